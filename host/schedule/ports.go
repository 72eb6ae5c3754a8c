package schedule

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Store is what the scheduler keeps and reads; *storage.Store is one. All
// methods are safe for concurrent use.
type Store interface {
	Claims
	Connections(ctx context.Context) ([]storage.Connection, error)
	// EvidenceOf is asked whether a run that was rejected still says something.
	EvidenceOf(ctx context.Context, connection string) (*storage.Evidence, error)
	ScheduleState(ctx context.Context, connectionID string, limit int) (storage.ScheduleState, error)
	// AdoptSchedule keeps that a connection about which its owner said nothing runs
	// by itself.
	AdoptSchedule(ctx context.Context, connectionID string) error
	PutDue(ctx context.Context, connectionID string, due storage.Due) error
	RecordDispatch(ctx context.Context, d storage.Dispatch) (fresh bool, err error)
}

// Job is one run to make.
type Job struct {
	Connection storage.Connection
	Trigger    Trigger
	Attendance Attendance
	Attempt    int // of this dispatch, from 0
}

// Probe looks whether an obstacle is still there. version names the evidence: when
// it is another one, what it shows is new. It is called by one goroutine at a time.
type Probe func(ctx context.Context, c storage.Connection, o Obstacle) (e verdict.SatisfactionEvidence, version string, err error)

// Pressure is what is stored of a connection's source pressure.
type Pressure struct {
	Gaps []Gap
	Run  *Gap // nil: none
}

// Deps is everything a Scheduler works with. Store, Policy, Run, Now and Random
// are required. Callbacks are called from several goroutines.
type Deps struct {
	Store Store
	// Policy returns what a connection's manifest recommends; nil when it says
	// nothing. An error keeps the connection from running, and is told.
	Policy func(ctx context.Context, c storage.Connection) (*abi.RefreshPolicy, error)
	// OnDevice reports whether a device feeds a connection, which is never run here
	// then; nil: none is fed so.
	OnDevice func(ctx context.Context, c storage.Connection) (bool, error)
	// Pressure returns the source pressure that is stored; nil: there is none.
	Pressure func(ctx context.Context, c storage.Connection) (Pressure, error)
	// Probes returns the probe of one pass, or of one look: what it asks for all
	// connections at once it may ask once. nil: nothing is ever known.
	Probes func() Probe
	// Rests marks what a run is refused or begun over that is no part of its connection:
	// the module, what is configured. Equal marks are of the same; "", or nil: nobody
	// knows. It is at most printable ASCII without a space.
	Rests func(ctx context.Context, c storage.Connection) string
	// Ready says why a run could not even begin, as far as that can be seen at once
	// and by every pass: a module that is gone. nil, and nil for it: nothing is known
	// to be in the way.
	Ready func(ctx context.Context, c storage.Connection) error
	// Run makes one run, to its end, and returns nil when it has one in the store,
	// however it ended. An error says that the run was refused before it began:
	// run.connection_busy when another process runs the connection. When ctx is
	// cancelled it ends the run and returns soon.
	Run func(ctx context.Context, j Job) error
	// HolderAlive says whether the holder of a lease still lives; nil: every one
	// does until its lease expires.
	HolderAlive func(holder string) bool
	Now         func() time.Time // the wall clock; it may jump
	Random      func() float64   // 0 up to 1
	Report      func(Event)      // what happens, in order; nil: nobody listens
	Passed      func()           // a pass has looked at every connection; nil: nobody listens
	Workers     int              // runs at a time; 0: 2
}

// EventKind says what happened.
type EventKind string

// The kinds of event.
const (
	EventStarted  EventKind = "started"
	EventEnded    EventKind = "ended"   // the run is in the store
	EventRefused  EventKind = "refused" // it was refused before it began
	EventSkipped  EventKind = "skipped"
	EventHealed   EventKind = "healed" // the owner did something about what it waited for
	EventTrouble  EventKind = "trouble"
	EventRecovers EventKind = "recovered" // from trouble
	EventStopping EventKind = "stopping"
)

// Event is one thing that happened.
type Event struct {
	Kind       EventKind
	Connection string // its name; "" when it is about none
	Trigger    Trigger
	Reason     Reason
	Until      time.Time // until when it is skipped; zero: until something changes
	Attempt    int
	Run        *Ended // of EventEnded
	Healed     Healed // of EventHealed, whose Reason and Until say what it waits for now
	Err        error
}
