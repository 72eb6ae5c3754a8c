package question

import (
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// The states of a question. Each but Open is its last one.
const (
	Open     = "open"
	Answered = "answered"
	Declined = "declined"
	TimedOut = "timed_out"
	Lost     = "lost" // its run ended before it had an answer
)

// Question is what a run asks its owner.
type Question struct {
	ID           string // never used before; ids are ordered by time
	RunID        string
	ConnectionID string
	Connection   string // its name; OpenQuestion does not read it
	Connector    string // OpenQuestion does not read it
	Kind         string // an interaction's
	Stream       string
	Message      string // the guest's words, as are those in Schema
	Schema       []byte // JSON; nil: none
	State        string
	ClosedBy     string // the face that answered or declined; "": none did
	AskedAt      time.Time
	Deadline     time.Time // zero: it waits as long as the run
	ClosedAt     time.Time // zero: it is open
}

type row struct {
	bun.BaseModel `bun:"table:questions"`

	ID           string `bun:"id,pk"`
	ConnectionID string `bun:"connection_id"`
	RunID        string `bun:"run_id"`
	Kind         string `bun:"kind"`
	Stream       string `bun:"stream"`
	Message      string `bun:"message"`
	Schema       string `bun:"schema"`
	State        string `bun:"state"`
	Answer       []byte `bun:"answer"` // sealed; nil: none, or taken
	ClosedBy     string `bun:"closed_by"`
	AskedUS      int64  `bun:"asked_us"`
	DeadlineUS   int64  `bun:"deadline_us"`
	ClosedUS     int64  `bun:"closed_us"`
}

// found is a row with its connection and the lease of its run, where it has one.
type found struct {
	row

	Name      string
	Connector string
	Holder    string
	ExpiresUS int64
}

// from are the rows as found has them, but for their answers.
const from = `SELECT q.id, q.connection_id, q.run_id, q.kind, q.stream, q.message, q.schema, q.state, q.closed_by, q.asked_us, q.deadline_us, q.closed_us,
c.name, c.connector, coalesce(l.holder, '') AS holder, coalesce(l.expires_us, 0) AS expires_us
FROM questions q JOIN connections c ON c.id = q.connection_id LEFT JOIN leases l ON l.connection_id = q.connection_id AND l.run_id = q.run_id `

// public returns the question. One that is open and whose run is gone is lost, whether
// somebody has written that down or not.
func (f *found) public(now time.Time, alive func(holder string) bool) Question {
	q := Question{
		ID: f.ID, RunID: f.RunID, ConnectionID: f.ConnectionID, Connection: f.Name, Connector: f.Connector, Kind: f.Kind, Stream: f.Stream, Message: f.Message,
		Schema: tables.JSONBytes(f.Schema), State: f.State, ClosedBy: f.ClosedBy, AskedAt: db.Time(f.AskedUS), Deadline: db.Time(f.DeadlineUS), ClosedAt: db.Time(f.ClosedUS),
	}
	if q.State == Open && !f.waits(now, alive) {
		q.State = Lost
	}
	return q
}

// waits reports whether the run goes on that asks.
func (f *found) waits(now time.Time, alive func(holder string) bool) bool {
	return tables.LeaseHolds(f.Holder, f.ExpiresUS, now, alive)
}
