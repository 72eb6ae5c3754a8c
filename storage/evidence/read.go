package evidence

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Evidence is what is kept of one connection for its projection. Reading it
// writes nothing, and nothing of it is an answer.
type Evidence struct {
	ConnectionID string
	Name         string
	Connector    string
	Revision     int64 // grows with every change
	Facts        *stored.Facts
	// LatestRun is the newest run, SettledRun the newest that succeeded or failed,
	// SucceededRun the newest that succeeded; "" for none.
	LatestRun, SettledRun, SucceededRun string
	// NextChange is when time alone changes the answer, ages in words apart; zero:
	// never. NextAttempt is before when nothing is tried again; zero: at once.
	NextChange, NextAttempt time.Time
	// DiskFull is the reader's to set: whether the disk that holds the store takes
	// nothing more. Moment asks it of a run that was left behind. nil: it has room.
	DiskFull func() bool

	holder    string // of the running run's lease, "" for none
	expiresUS int64
}

// Moment says at what moment the evidence is looked at. alive says whether the
// holder of a lease still lives; a device is alive for as long as it was heard of
// lately, which is how long its lease lasts.
func (e *Evidence) Moment(now time.Time, alive func(holder string) bool) stored.Moment {
	lives := alive != nil && e.holder != "" && !tables.IsDeviceHolder(e.holder) && alive(e.holder)
	m := stored.Moment{Now: health.At(now.UTC()), RunAlive: tables.LeaseHolds(e.holder, e.expiresUS, now, alive), HolderAlive: lives}
	m.DiskFull = e.Facts.Running() && !m.RunAlive && e.DiskFull != nil && e.DiskFull()
	return m
}

// Accepted reports whether the connection's owner has accepted a module for it.
func (e *Evidence) Accepted() bool { return e.Facts.Manifest != nil && e.Facts.Manifest.Module != "" }

// Dates reports whether the accepted manifest says when data is old. Without that a
// connection is never known to be fresh.
func (e *Evidence) Dates() bool {
	return e.Facts.Manifest == nil || e.Facts.Manifest.MaximumStalenessS > 0
}

// OpenGaps is how many details are still to be fetched; nil when nobody knows, which
// is not zero.
func (e *Evidence) OpenGaps() *int64 {
	if len(e.Facts.Unreadable) > 0 {
		return nil
	}
	pressure, other := e.Facts.Gaps.Open()
	n := pressure + other
	return &n
}

// MissingRecords are the records of one stream that failed its schema, and that no
// run has delivered since.
type MissingRecords struct {
	Stream   string `json:"stream"`
	Listed   int64  `json:"listed,omitempty"`   // known by key: a run that delivers one ends it
	Unlisted int64  `json:"unlisted,omitempty"` // beyond what is listed: a full refresh ends them
}

// MissingRecords lists the rejected records that are still missing, by stream.
func (e *Evidence) MissingRecords() []MissingRecords {
	var out []MissingRecords
	for _, r := range e.Facts.Rejections() {
		out = append(out, MissingRecords{Stream: r.Stream, Listed: r.Listed, Unlisted: r.Unlisted})
	}
	return out
}

// evidenceJoined is a row with the lease of its running run, and what of the
// connection's own row a run needs.
type evidenceJoined struct {
	Row `bun:",extend"`

	Holder    string `bun:"holder"`
	ExpiresUS int64  `bun:"expires_us"`
	Options   string `bun:"options"`
	Roots     string `bun:"roots"`
	ReadRoots string `bun:"read_roots"`
}

func (r *evidenceJoined) public() Evidence {
	f := r.facts()
	if c := (&tables.ConnectionRow{Name: r.Name, Options: r.Options, Roots: r.Roots, ReadRoots: r.ReadRoots}); c.Unreadable() {
		f.Unreadable = append(f.Unreadable, unreadableConnection)
	} else if f.Hold != nil && f.Hold.OfFolder() {
		f.Hold.Folder = folderOf(c.Public(), f.Hold)
	}
	return Evidence{
		ConnectionID: r.ConnectionID, Name: r.Name, Connector: r.Connector, Revision: r.Revision, Facts: f,
		LatestRun: r.LatestRun, SettledRun: r.SettledRun, SucceededRun: r.SucceededRun,
		NextChange: db.Time(r.NextChangeUS), NextAttempt: db.Time(r.NextAttemptUS), holder: r.Holder, expiresUS: r.ExpiresUS,
	}
}

// folderOf returns the path of the folder of which a hold's words name the root: the one that the
// connection is given, or has read before; "" if they name none.
func folderOf(c *tables.Connection, h *stored.Hold) string {
	given := []map[string]string{c.Roots, c.ReadRoots}
	if h.Reason == health.Word(abi.CodeRootChanged) { // whose words are about the folder of before
		slices.Reverse(given)
	}
	for _, roots := range given {
		for name, path := range roots {
			if strings.Contains(h.Says, "root "+strconv.Quote(name)) {
				return shown(path)
			}
		}
	}
	return ""
}

func publicAll(rows []evidenceJoined) []Evidence {
	out := make([]Evidence, len(rows))
	for i := range rows {
		out[i] = rows[i].public()
	}
	return out
}

// selectEvidence is the one statement that evidence is read with. Only a running
// run's lease is looked up.
func selectEvidence(q bun.IDB, to *[]evidenceJoined) *bun.SelectQuery {
	return q.NewSelect().Model(to).ModelTableExpr("evidence AS e").ColumnExpr("e.*").
		ColumnExpr("coalesce(l.holder, '') AS holder, coalesce(l.expires_us, 0) AS expires_us").
		ColumnExpr("c.options, c.roots, c.read_roots").
		Join("JOIN connections AS c ON c.id = e.connection_id").
		Join("LEFT JOIN leases AS l ON e.running = 1 AND l.connection_id = e.connection_id AND l.run_id = e.latest_run")
}

// EvidenceOf returns the evidence of the connection of that name or id, or
// connection.unknown.
func (s *Store) EvidenceOf(ctx context.Context, connection string) (*Evidence, error) {
	var rows []evidenceJoined
	if err := selectEvidence(s.db.Read, &rows).Where("e.name = ? OR e.connection_id = ?", connection, connection).Scan(ctx); err != nil {
		return nil, s.db.Fail("read the evidence", err)
	}
	if len(rows) == 0 {
		return nil, tables.UnknownConnection(connection)
	}
	found := &rows[0]
	for i := range rows {
		if rows[i].Name == connection {
			found = &rows[i]
		}
	}
	e := found.public()
	return &e, nil
}

// EvidenceOfEach returns the evidence of the connections of some ids, in no order. One that is not
// there is left out.
func (s *Store) EvidenceOfEach(ctx context.Context, ids []string) ([]Evidence, error) {
	var rows []evidenceJoined
	text := selectEvidence(s.db.Read, &rows).Where("e.connection_id IN (?)", bun.Safe("?")).String()
	if err := s.db.ScanAll(ctx, &rows, text, ids); err != nil {
		return nil, s.db.Fail("read the evidence", err)
	}
	return publicAll(rows), nil
}

// EvidencePage returns the evidence of up to limit connections after a name, by
// name. limit 0 is a hundred.
func (s *Store) EvidencePage(ctx context.Context, after string, limit int) ([]Evidence, error) {
	var rows []evidenceJoined
	err := selectEvidence(s.db.Read, &rows).Where("e.name > ?", after).OrderExpr("e.name").Limit(int64(tables.PageLimit(limit))).Scan(ctx)
	if err != nil {
		return nil, s.db.Fail("read the evidence", err)
	}
	return publicAll(rows), nil
}

// Snapshot reads several things as they were at one moment.
func (s *Store) Snapshot(ctx context.Context, read func(Gatherer) error) error {
	return s.db.Snapshot(ctx, func(q bun.IDB) error { return read(Gatherer{q, ctx}) })
}
