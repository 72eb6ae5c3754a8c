package evidence

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Format is the version of the document in facts. A row of another one
// is unreadable until it is made again, which Open does.
const Format = 19

// Row is what is kept of one connection for its projection.
type Row struct {
	bun.BaseModel `bun:"table:evidence"`

	ConnectionID  string `bun:"connection_id,pk"`
	Name          string `bun:"name"`
	Connector     string `bun:"connector"`
	Format        int64  `bun:"format"`
	Revision      int64  `bun:"revision"` // of each change of the row one more
	LatestRun     string `bun:"latest_run"`
	SettledRun    string `bun:"settled_run"`
	SucceededRun  string `bun:"succeeded_run"`
	Running       int64  `bun:"running"`
	GapsPressure  int64  `bun:"gaps_pressure"`
	GapsOther     int64  `bun:"gaps_other"`
	NextAttemptUS int64  `bun:"next_attempt_us"` // no attempt before it; 0: at once
	NextChangeUS  int64  `bun:"next_change_us"`  // when time alone changes the answer; 0: never
	Retained      int64  `bun:"retained"`
	Changed       int64  `bun:"changed"`    // see Changed
	ExamineUS     int64  `bun:"examine_us"` // see Examination
	Facts         string `bun:"facts"`
}

// standingRow is how a connection counts in its fleet for a while.
type standingRow struct {
	bun.BaseModel `bun:"table:standings"`

	ConnectionID string `bun:"connection_id,pk"`
	FromUS       int64  `bun:"from_us,pk"`
	UntilUS      int64  `bun:"until_us"`
	Tone         string `bun:"tone"`
	Channel      string `bun:"channel"`
	Stalled      bool   `bun:"stalled"`
	Records      bool   `bun:"records"`
}

// encodeFacts fills the row from a document.
func (r *Row) encodeFacts(f *stored.Facts, now time.Time) error {
	text, err := tables.EncodeJSON(f)
	if err != nil {
		return err
	}
	r.Format, r.Facts = Format, text
	r.LatestRun, r.SettledRun, r.SucceededRun = runID(f.Latest), runID(f.Settled), runID(f.Succeeded)
	r.Running = 0
	if f.Running() {
		r.Running = 1
	}
	r.GapsPressure, r.GapsOther = f.Gaps.Open()
	r.NextAttemptUS = f.Gaps.NextAttemptUS
	if p := f.Pressure; p != nil && p.NextAttemptUS > r.NextAttemptUS {
		r.NextAttemptUS = p.NextAttemptUS
	}
	r.NextChangeUS = 0
	if next := f.NextChange(health.At(now)); !next.IsZero() {
		r.NextChangeUS = db.Micros(next.Time)
	}
	return nil
}

func runID(r *stored.Run) string {
	if r == nil {
		return ""
	}
	return r.ID
}

// facts returns the row's document. A document that cannot be read, or has another format,
// says so and nothing else: the last good answer is not the answer (Invariant 8).
func (r *Row) facts() *stored.Facts {
	f := new(stored.Facts)
	if r.Format != Format || json.Unmarshal([]byte(r.Facts), f) != nil || !r.tells(f) {
		*f = stored.Facts{Unreadable: []health.Word{unreadableEvidence}}
	}
	if r.Retained >= 0 {
		retained := r.Retained
		f.Retained = &retained
	}
	return f
}

// tells reports whether a document is what the row was filled from: one that was
// emptied is JSON, too, and would say that the connection never ran.
func (r *Row) tells(f *stored.Facts) bool {
	pressure, other := f.Gaps.Open()
	return strings.Contains(r.Facts, `"gaps":{`) && r.LatestRun == runID(f.Latest) && r.SettledRun == runID(f.Settled) &&
		r.SucceededRun == runID(f.Succeeded) && (r.Running == 1) == f.Running() && r.GapsPressure == pressure && r.GapsOther == other
}

// The names of what cannot be read in a document, or by its reader.
const (
	unreadableEvidence  = "evidence"
	unreadableManifest  = "manifest"
	UnreadableKnownGaps = "known_gaps"
	// unreadableHeartbeats: what a device said last cannot be read.
	unreadableHeartbeats = "heartbeats"
	// unreadableConnection: its options, or its folders. No run of it can begin.
	unreadableConnection = "connection"
)

// Current reports whether this program can read every document.
func Current(ctx context.Context, q bun.IDB) (bool, error) {
	stale, err := q.NewSelect().Model((*Row)(nil)).Where("format <> ?", Format).Exists(ctx)
	return !stale, err
}
