package storage

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// clock is a wall clock that tests move.
type clock struct{ us atomic.Int64 }

func newClock() *clock {
	c := &clock{}
	c.us.Store(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).UnixMicro())
	return c
}

func (c *clock) Now() time.Time          { return time.UnixMicro(c.us.Load()) }
func (c *clock) forward(d time.Duration) { c.us.Add(d.Microseconds()) }

// opener opens one and the same empty database as often as it is called.
type opener func(t *testing.T, now func() time.Time) *Store

// sqliteFile returns an opener over a fresh SQLite file.
func sqliteFile(t *testing.T) opener {
	path := filepath.Join(t.TempDir(), "data", "pdpp.sqlite")
	return func(t *testing.T, now func() time.Time) *Store {
		t.Helper()
		return mustOpen(t, Options{Path: path, Now: now})
	}
}

// placed is the address of the store that a test calls path, which has its schema.
func placed(t *testing.T, path string) string {
	t.Helper()
	if !pgtest.Running() && !strings.Contains(path, "://") {
		blank.Store(t, path, migrated)
	}
	return pgtest.Place(t, path, migrated)
}

// anew is placed for a test that needs many stores, one after another.
func anew(t *testing.T, path string) string {
	t.Helper()
	if !pgtest.Running() {
		blank.Store(t, path, migrated)
	}
	return pgtest.Anew(t, path, migrated)
}

func mustOpen(t *testing.T, o Options) *Store {
	t.Helper()
	if o.Now == nil {
		o.Now = newClock().Now
	}
	if o.maxPages > 0 {
		pgtest.OnFile(t)
	}
	o.Path = placed(t, o.Path)
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	Exercise(t, sqliteFile)
}

// Exercise is what any database behind Store has to pass. fresh makes an empty
// database for each case.
func Exercise(t *testing.T, fresh func(t *testing.T) opener) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, x *exercise)
	}{
		{"connections", exerciseConnections},
		{"remove a connection", exerciseRemove},
		{"credentials", exerciseCredentials},
		{"access", exerciseAccess},
		{"passkeys", exercisePasskeys},
		{"answers OC-09.1", exerciseAnswers},
		{"requests for grants", exerciseGrantRequests},
		{"requests and clients that give way", exerciseGiveWay},
		{"requests that are refused at once", exerciseDenyGrants},
		{"an approval is one transaction RD-43.4", exerciseApproval},
		{"grants and their tokens RD-36.2 RD-48.3", exerciseGrants},
		{"codes and refresh tokens are good once RD-45.2 RD-47.2", exerciseRedeem},
		{"one token of a grant that is read once RD-35.2", exerciseOneIssue},
		{"codes that owners type RD-46.1", exerciseUserCodes},
		{"what readers were told RD-56.3", exerciseDisclosures},
		{"many refused reads RD-56.3", exerciseManyDisclosures},
		{"edits OC-09.3", exerciseEdits},
		{"renamed and revoked RD-55", exerciseRevoked},
		{"records: new, changed, unchanged, deleted RT-07.1", exerciseRecords},
		{"what owners delete stays deleted RD-25.1, Invariant 13", exerciseErasures},
		{"what owners delete stays deleted under another key RD-25.1, Invariant 13", exerciseErasedMoved},
		{"which fields carry data is kept AC-05", exerciseFields},
		{"enumerations of what owners delete RD-25.1, Invariant 12", exerciseErasedEnumerated},
		{"rejections of what owners delete RD-25.1, Invariant 12", exerciseErasedRejected},
		{"artifacts of what owners delete RD-25.2", exerciseErasedArtifacts},
		{"what changes while its owner deletes it RD-25.1", exerciseErasedMeanwhile},
		{"artifacts of what comes after its owner deletes another RD-25.2", exerciseErasedArtifactToCome},
		{"artifacts of what comes while their owner deletes RD-25.2", exerciseErasedArtifactMeanwhile},
		{"records: pages and changes", exerciseReads},
		{"the longest names and keys", exerciseLongKeys},
		{"a run's life", exerciseRun},
		{"events", exerciseEvents},
		{"slices commit in order PB-D8 PB-A7", exerciseSlices},
		{"backfill has its own bookmark PB-D10 PB-A8", exerciseBookmarks},
		{"a second run yields, an expired one is taken over", exerciseLease},
		{"a stale run is fenced, Invariant 2", exerciseFencing},
		{"after a failure nothing more is written, Invariant 1", exerciseFailure},
		{"what waits behind a lost batch is not written, Invariant 1", exerciseLostBatch},
		{"gaps", exerciseGaps},
		{"gone", exerciseGone},
		{"gap leases end with their run", exerciseGapLeases},
		{"a gap seen again costs no event", exerciseGapEvents},
		{"coverage RT-12", exerciseCoverage},
		{"a device enrolls", exerciseEnroll},
		{"bindings of devices", exerciseBindings},
		{"a device delivers", exerciseDelivery},
		{"a device's run and the host's, Invariant 2", exerciseDeviceLease},
		{"a device's run ends", exerciseDeviceCommit},
		{"a device's gaps", exerciseDeviceGaps},
		{"questions OC-18", exerciseQuestions},
		{"questions of runs that are gone OC-18.2", exerciseLostQuestions},
		{"runs that end behind a secret BR-13.5", exerciseSubmitted},
		{"notices OC-19.3 OC-19.6", exerciseNotices},
		{"refusals", exerciseRefusals},
		{"starts that were turned away", exerciseTurnedAway},
		{"what has changed", exerciseChanged},
		{"some connections OC-14", exerciseChosen},
		{"an enumeration sweeps what it has not met, Invariant 12", exerciseEnumerations},
		{"parts of a stream, Invariant 12", exerciseEnumeratedParts},
		{"a sweep after its weighing, Invariant 12", exerciseSweepAfterItsWeighing},
		{"an enumeration goes on in the next run, Invariant 12", exerciseEnumerationGoesOn},
		{"an enumeration that sweeps nothing, Invariant 12", exerciseEnumerationRefused},
		{"how much goes unasked AC-09, Invariant 12", exerciseGoesUnasked},
		{"how much goes unasked of the parts of a run AC-09, Invariant 12", exerciseGoesTogether},
		{"the same answer in three runs AC-09, Invariant 12", exerciseSameAnswer},
		{"reopen", exerciseReopen},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := &exercise{T: t, open: fresh(t), clock: newClock()}
			x.s = x.open(t, x.clock.Now)
			c.run(t, x)
			x.sound()
			x.copied()
		})
	}
}

// exercise is one case's fixture.
type exercise struct {
	*testing.T
	open  opener
	s     *Store
	clock *clock
	runs  int
}

func (x *exercise) sound() {
	x.Helper()
	r, err := x.s.Check(x.Context())
	x.ok(err)
	if len(r.Problems) > 0 {
		x.Errorf("the store is not sound: %s", strings.Join(r.Problems, "; "))
	}
	differ, err := x.s.CheckEvidence(x.Context())
	x.ok(err)
	if len(differ) > 0 {
		x.Errorf("the evidence of %v is not what its facts make", differ)
	}
}

func (x *exercise) ok(err error) {
	x.Helper()
	if err != nil {
		x.Fatalf("%v: %v", err, errors.Unwrap(err))
	}
}

func (x *exercise) code(err error, want abi.Code) {
	x.Helper()
	if got := abi.CodeOf(err); err == nil || got != want {
		x.Fatalf("got %v, want %s", err, want)
	}
	if e, ok := errors.AsType[*abi.Error](err); !ok || e.Message == "" {
		x.Fatalf("got %v, want an error with a message", err)
	}
}

func (x *exercise) connection(name string) *Connection {
	x.Helper()
	c, err := x.s.EnsureConnection(x.Context(), name, "demo")
	x.ok(err)
	return c
}

func (x *exercise) newRun(connection string, change ...func(*NewRun)) NewRun {
	x.Helper()
	x.runs++
	n := NewRun{
		RunID: fmt.Sprintf("run%d", x.runs), ConnectionID: x.connection(connection).ID, Connector: "demo", Version: "1",
		ModuleSHA256: "abc", Mode: abi.ModeIncremental, Bookmark: BookmarkIncremental, Holder: "holder1",
		Streams: []string{"a", "b"}, LeaseTTL: time.Minute,
	}
	for _, c := range change {
		c(&n)
	}
	return n
}

func (x *exercise) begin(connection string, change ...func(*NewRun)) *RunWriter {
	x.Helper()
	w, err := x.s.BeginRun(x.Context(), x.newRun(connection, change...))
	x.ok(err)
	return w
}

func (x *exercise) finish(w *RunWriter, checkpoints ...StateCommit) {
	x.Helper()
	x.ok(w.Finish(x.Context(), Outcome{Status: "succeeded", Checkpoints: checkpoints}))
}

// put writes records: "key=data" for one, "from>key=data" for one that had another key, "-key" for a tombstone, "!key" for one
// that was rejected.
func put(ctx context.Context, w *RunWriter, stream int, records ...string) error {
	b := w.NewBatch()
	fill(b, stream, records...)
	return w.Write(ctx, b)
}

func fill(b *Batch, stream int, records ...string) {
	for _, r := range records {
		if key, bad := strings.CutPrefix(r, "!"); bad {
			b.Reject(stream, HashKey([]byte(key)))
			continue
		}
		if key, gone := strings.CutPrefix(r, "-"); gone {
			b.Add(stream, []byte(key), []byte("ignored"), []byte("t"), true)
			continue
		}
		key, data, _ := strings.Cut(r, "=")
		if from, key, moved := strings.Cut(key, ">"); moved {
			b.AddMoved(stream, []byte(from), []byte(key), []byte(data), []byte("t"))
			continue
		}
		b.Add(stream, []byte(key), []byte(data), []byte("t"), false)
	}
}

func (x *exercise) put(w *RunWriter, stream int, records ...string) {
	x.Helper()
	x.ok(put(x.Context(), w, stream, records...))
}

// list shows a stream's records with their sequence: "seq:key=data", "seq:-key".
func (x *exercise) list(connection, stream string) string {
	x.Helper()
	var out []string
	x.ok(x.s.EachRecord(x.Context(), connection, stream, func(r Record) error {
		out = append(out, show(r))
		return nil
	}))
	return strings.Join(out, " ")
}

func show(r Record) string {
	if r.Deleted {
		return fmt.Sprintf("%d:-%s", r.Seq, r.Key)
	}
	return fmt.Sprintf("%d:%s=%s", r.Seq, r.Key, r.Data)
}

func (x *exercise) same(got, want any) {
	x.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.Fatalf("got  %v\nwant %v", got, want)
	}
}

// cursors shows the committed cursors, and the staged ones in brackets.
func (x *exercise) cursors(connection string) string {
	x.Helper()
	list, err := x.s.Checkpoints(x.Context(), connection)
	x.ok(err)
	var out []string
	for _, c := range list {
		text := fmt.Sprintf("%s/%s=%s", c.Stream, c.Bookmark, c.Cursor)
		if c.Staged {
			text = "[" + text + "]"
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

func (x *exercise) eventTypes(run string) string {
	x.Helper()
	list, err := x.s.Events(x.Context(), run, 0, 0)
	x.ok(err)
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("%d:%s", e.Seq, e.Type))
	}
	return strings.Join(out, " ")
}
