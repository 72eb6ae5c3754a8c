package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

func TestRunStoresRecordsThenMovesTheCursor(t *testing.T) {
	t.Parallel()
	for _, isolation := range []string{"inline", "process"} {
		t.Run(isolation, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: isolation})
			res := h.mustPlay("records notes 0 12000" + state("notes", `{"at":1}`) + done(12000))
			if res.Status != StatusSucceeded || res.Records["notes"].New != 12000 || len(res.Checkpoints.Committed) != 1 {
				t.Fatalf("got %+v, want 12000 new records and one cursor", res)
			}
			if got := h.cursor("notes"); got != `{"at":1}` {
				t.Fatalf("got cursor %q, want at 1", got)
			}
			// The next run gets the cursor; records that it delivers again are not stored again.
			res = h.mustPlay("expect \"state\":{\"notes\":{\"at\":1}}\nrecords notes 0 12000\nemit " +
				`{"type":"RECORD","stream":"notes","key":"notes-1","data":{"id":"notes-1","n":7},"emitted_at":"2026-01-01T00:00:00Z"}` + done(12001))
			if c := res.Records["notes"]; c.New != 0 || c.Changed != 1 || c.Unchanged != 12000 {
				t.Fatalf("got %+v, want 1 changed and 12000 unchanged", c)
			}
		})
	}
}

// PB-D8, PB-A7, Invariant 1: a complete slice survives a failure after it; a cursor
// that was only staged does not.
func TestSliceSurvivesACrash(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay("records notes 0 10" + slice("notes", `{"page":1}`) + "\nrecords notes 10 20" + state("notes", `{"page":2}`) +
		state("journal", `{"x":1}`) + "\ntrap")
	if res.Status != StatusFailed || res.Reason != string(abi.ReasonExitWithoutDone) || res.Error.Code != string(abi.CodeGuestTrap) {
		t.Fatalf("got %s %s %+v, want failed %s %s", res.Status, res.Reason, res.Error, abi.ReasonExitWithoutDone, abi.CodeGuestTrap)
	}
	if got := h.cursor("notes"); got != `{"page":1}` {
		t.Fatalf("got cursor %q, want page 1", got)
	}
	if got := h.cursor("journal"); got != "" {
		t.Fatalf("got staged cursor %q committed by a failed run, want none", got)
	}
	if n := len(strings.Fields(h.keys("notes"))); n != 20 {
		t.Fatalf("%d records kept, want 20", n)
	}
	if len(res.Checkpoints.Withheld) != 2 || res.Checkpoints.Withheld[0].Reason != ledger.WithheldRunFailed {
		t.Fatalf("got checkpoints %+v, want two withheld as run_failed", res.Checkpoints)
	}
	h.mustPlay("expect {\"page\":1}" + done(0))
}

// A slice of a parent waits for the lane's coverage, then commits at once.
func TestSliceWaitsForCoverage(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	script := "records chats 0 2" + slice("chats", `{"c":1}`) + "\nrecords messages 0 1"
	h.mustPlay(script + "\ntrap")
	if got := h.cursor("chats"); got != "" {
		t.Fatalf("got cursor %q committed before its coverage, want none", got)
	}
	cover := "\ncoverage " + `{"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","reference_only":true,"required_keys":["messages-0"],"hydrated_keys":["messages-0"]}`
	h.mustPlay(script + cover + "\ntrap")
	if got := h.cursor("chats"); got != `{"c":1}` {
		t.Fatalf("got cursor %q after its coverage, want c 1", got)
	}
}

// RT-12.1, RT-12.2, RT-12.3: coverage over a lane, whole, short and with gaps.
func TestDetailCoverage(t *testing.T) {
	t.Parallel()
	cover := func(hydrated, gaps string) string {
		return "\ncoverage " + `{"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","reference_only":true,"required_keys":["a","b"],"hydrated_keys":[` + hydrated + `],"gap_keys":[` + gaps + `]}`
	}
	gap := "\ngap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b"}}`
	list := "records chats 0 1" + state("chats", `{"c":1}`)
	for _, tc := range []struct {
		name, script, cursor string
		fails                abi.Code
	}{
		{"whole", list + message("a") + message("b") + cover(`"a","b"`, ``) + done(3), `{"c":1}`, ""},
		{"a gap stands for the missing one", list + message("a") + gap + cover(`"a"`, `"b"`) + done(2), `{"c":1}`, ""},
		{"a gap key without its gap", list + message("a") + cover(`"a"`, `"b"`) + done(2), "", ""},
		{"short", list + message("a") + cover(`"a"`, ``) + done(2), "", ""},
		{"no coverage at all", list + done(1), "", ""},
		{"twice", list + cover(`"a","b"`, ``) + cover(`"a","b"`, ``) + done(1), "", abi.CodeCoverageInvalid},
		{"a record after it", list + cover(`"a","b"`, ``) + "\nrecords messages 0 1" + done(2), "", abi.CodeCoverageInvalid},
		{"a gap after it", list + cover(`"a","b"`, ``) + gap + done(1), "", abi.CodeCoverageInvalid},
		{"hydrated and gap at once", list + gap + cover(`"a","b"`, `"b"`) + done(1), "", abi.CodeCoverageInvalid},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			res, err := h.play(tc.script)
			if tc.fails != "" {
				expectFailure(t, res, err, abi.ReasonProtocolViolation, tc.fails)
			} else if err != nil || res.Status != StatusSucceeded {
				t.Fatalf("got %v, %+v; want it to succeed", err, res)
			}
			if got := h.cursor("chats"); got != tc.cursor {
				t.Fatalf("cursor %q, want %q", got, tc.cursor)
			}
			if tc.fails == "" && tc.cursor == "" && (len(res.Checkpoints.Withheld) != 1 || res.Checkpoints.Withheld[0].Reason != ledger.WithheldCoverage) {
				t.Fatalf("got checkpoints %+v, want one withheld for its coverage", res.Checkpoints)
			}
		})
	}
}

// A served gap that is recovered does not come back; one that is attempted and
// left alone fails the run.
func TestGapsAreServedAndRecovered(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("gap " + `{"type":"DETAIL_GAP","stream":"messages","parent_stream":"chats","record_key":"b","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"id":"b"}}` + done(0))
	served := "expect \"record_key\":\"b\""
	h.succeed(served + "\nsubmit 4\nexpect \"detail_gaps\":[]" + done(0))
	gaps, err := h.store.Gaps(t.Context(), "scripted", storage.GapQuery{})
	if err != nil || len(gaps) != 1 {
		t.Fatalf("got gaps %+v (%v), want one", gaps, err)
	}
	outcome := func(kind string) string { // of the next run, whose first lease it is
		lease := fmt.Sprintf("run_%s_%d.1", filepath.Base(h.dir), h.ids.Load()+1)
		return "\ngap " + `{"type":"DETAIL_GAP_` + kind + `","gap_id":"` + gaps[0].ID + `","stream":"messages","lease_id":"` + lease + `"}`
	}
	res, err := h.play(served + outcome("ATTEMPTED") + done(0))
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeGapInvalid)
	h.succeed(served + outcome("ATTEMPTED") + message("b") + outcome("RECOVERED") + done(1))
	h.succeed("when \"record_key\" trap\nsubmit 4\nexpect \"detail_gaps\":[]" + done(0))
}

// PB-D11, PB-A10: a page is bounded by bytes and bounds nothing else: every gap
// is served in one run, the first page with START and the others when asked.
func TestGapPagesAreBoundedByBytesAndAllServed(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	var put strings.Builder
	const gaps = 30
	for i := range gaps {
		fmt.Fprintf(&put, "gap {\"type\":\"DETAIL_GAP\",\"stream\":\"messages\",\"parent_stream\":\"chats\",\"record_key\":\"k%02d\",\"reason\":\"retry_exhausted\",\"retryable\":true,\"status\":\"pending\",\"detail_locator\":{\"pad\":%q}}\n",
			i, strings.Repeat("x", 24<<10))
	}
	h.succeed(put.String() + done(0))
	// 256 KiB hold ten of them: START's page and two more are full, then none is left.
	more := "expect record_key\nsubmit 4\n"
	h.succeed(more + more + "expect record_key\nsubmit 4\nexpect \"detail_gaps\":[]" + done(0))
}

func TestViolationsEndTheRunAndCommitNothing(t *testing.T) {
	t.Parallel()
	rec := func(stream, key, data string) string {
		return "\nemit " + `{"type":"RECORD","stream":"` + stream + `","key":"` + key + `","data":` + data + `,"emitted_at":"2026-01-01T00:00:00Z"}`
	}
	del := func(stream, key string) string {
		return "\nemit " + `{"type":"RECORD","stream":"` + stream + `","key":"` + key + `","op":"delete","emitted_at":"2026-01-01T00:00:00Z"}`
	}
	for _, tc := range []struct {
		name, script string
		code         abi.Code
	}{
		{"emit after DONE", done(3) + rec("notes", "x", `{"id":"x"}`), abi.CodeAfterDone},
		{"undeclared stream", rec("ghosts", "x", `{"id":"x"}`), abi.CodeStreamOutOfScope},
		{"key that the data contradicts", rec("notes", "x", `{"id":"y"}`), abi.CodeKeyMismatch},
		{"bad UTF-8", "\nbytes emit 7b2274797065223a22ff227d", abi.CodeInvalidUTF8},
		{"duplicate names", "\nemit " + `{"type":"RECORD","type":"RECORD"}`, abi.CodeDuplicateName},
		{"not JSON", "\nemit nonsense", abi.CodeSyntax},
		{"deep nesting", "\nemit " + strings.Repeat("[", 5000), abi.CodeNesting},
		{"delete on an append-only stream (RT-07.2)", del("journal", "x"), abi.CodeDeleteOnAppendOnly},
		{"count in DONE too high", rec("notes", "x", `{"id":"x"}`) + done(2), abi.CodeCountMismatch},
		{"DONE with an error on success", "\ndone " + `{"type":"DONE","status":"succeeded","records_emitted":0,"error":{"message":"m","retryable":false}}`, abi.CodeEnvelope},
		{"STATE of another stream", state("ghosts", `{}`), abi.CodeStreamOutOfScope},
		{"bad pointer", "\npointer emit 0xfffffff0 64", abi.CodeCallOutOfBounds},
		{"overlong length", "\npointer emit 8 0xffffffff", abi.CodeCallTooLarge},
		{"payload above the limit", "\nbig emit 5000000", abi.CodeCallTooLarge},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			res, err := h.play("records journal 0 3" + state("journal", `{"ok":1}`) + tc.script + "\nreturn 0")
			if tc.code == abi.CodeCallTooLarge && err == nil && res.Error != nil && res.Error.Code == string(abi.CodeCallOutOfBounds) {
				return // either says what is wrong
			}
			expectFailure(t, res, err, abi.ReasonProtocolViolation, tc.code)
			if got := h.cursor("journal"); got != "" {
				t.Fatalf("got cursor %q committed, want none", got)
			}
		})
	}
}

// RT-05.1: a key outside the resources ends the run, and the error names the
// stream and the key. RT-05.2: an empty set filters nothing.
func TestResourcesFilter(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	only := func(r *Request) { r.Resources = map[string][]string{"notes": {"notes-0"}} }
	res, err := h.play("records notes 0 2"+done(2), only)
	expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeKeyOutsideResource)
	if !strings.Contains(res.Error.Message, "notes") || !strings.Contains(res.Error.Message, "notes-1") {
		t.Fatalf("got %q, want an error that names notes and notes-1", res.Error.Message)
	}
	res = h.mustPlay("records notes 0 1"+state("notes", `{"x":1}`)+done(1), only)
	if res.Status != StatusSucceeded || h.cursor("notes") != "" || res.Checkpoints.Withheld[0].Reason != ledger.WithheldNarrowed {
		t.Fatalf("got %+v, want a run that succeeded with its cursor withheld", res)
	}
	if res = h.mustPlay("records notes 0 2" + done(2)); res.Status != StatusSucceeded {
		t.Fatalf("got %+v, want it to succeed", res)
	}
}

// RT-07.1: a tombstone is stored where readers of changes see it.
func TestTombstone(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	del := "\nemit " + `{"type":"RECORD","stream":"notes","key":"notes-1","op":"delete","emitted_at":"2026-01-02T00:00:00Z"}`
	res := h.mustPlay("records notes 0 3" + del + done(4))
	if c := res.Records["notes"]; c.New != 3 || c.Deleted != 1 {
		t.Fatalf("got %+v, want 3 new and 1 deleted", c)
	}
	if got := h.keys("notes"); got != "notes-0 notes-2" {
		t.Fatalf("got live records %q, want notes-0 notes-2", got)
	}
	changes, err := h.store.Changes(t.Context(), "scripted", 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	if last := changes[len(changes)-1]; last.Key != "notes-1" || !last.Deleted {
		t.Fatalf("got changes %+v, want the deletion of notes-1 last", changes)
	}
}

// RT-10.1: the host validates every record of every plugin where it arrives. A
// record that fails its schema is not stored, counted, and named without its value.
func TestSchemaRejection(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay("records notes 0 1\nemit " +
		`{"type":"RECORD","stream":"notes","key":"x","data":{"id":"x","n":"canary-value"},"emitted_at":"2026-01-01T00:00:00Z"}` + state("notes", `{"a":1}`) + done(2))
	if res.Status != StatusSucceeded || res.Records["notes"].Rejected != 1 || h.keys("notes") != "notes-0" {
		t.Fatalf("got %+v, want notes-0 kept and one record rejected", res)
	}
	g := res.KnownGaps[0]
	if g.Kind != "rejected_record" || !strings.Contains(g.Message, "/n") || !strings.Contains(g.Message, "type") || strings.Contains(g.Message, "canary") {
		t.Fatalf("got %+v, want a rejection of /n by its type, without the value", g)
	}
}

// PB-D10, PB-A8: a back-fill has bookmarks of its own and leaves the
// incremental cursor alone.
func TestBackfillKeepsItsOwnBookmarks(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("records notes 5 6" + state("notes", `{"newest":5}`) + done(1))
	backfill := func(r *Request) { r.Mode = abi.ModeBackfill }
	h.mustPlay("expect \"collection_mode\":\"backfill\"\nexpect \"state\":null\nrecords notes 0 2"+slice("notes", `{"oldest":2}`)+done(2), backfill)
	if got := h.cursor("notes"); got != `{"newest":5}` {
		t.Fatalf("got incremental cursor %q after a back-fill, want newest 5", got)
	}
	h.mustPlay("expect {\"oldest\":2}"+done(0), backfill)
	h.mustPlay("expect {\"newest\":5}" + done(0))
}

func TestFailedStreamsWithholdTheirParents(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay("records journal 0 1\nskip " + `{"type":"SKIP_RESULT","stream":"riders","reason":"stream_collection_failed","message":"m"}` +
		state("notes", `{"n":1}`) + state("journal", `{"j":1}`) +
		"\ndone " + `{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"stream_collection_failed","message":"one stream failed","retryable":true}}`)
	if res.Status != StatusFailed || h.cursor("journal") != `{"j":1}` || h.cursor("notes") != "" {
		t.Fatalf("got %s with cursors journal %q and notes %q, want failed, and journal's alone", res.Status, h.cursor("journal"), h.cursor("notes"))
	}
}

// Invariant 2: a second run of the connection yields while the first holds it.
func TestSecondRunYields(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{isolation: "process"})
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan *Result, 1)
	started := make(chan struct{}, 1)
	h.deps.Observe = func(Update) {
		select {
		case started <- struct{}{}:
		default:
		}
	}
	first := New(h.deps)
	go func() {
		res, err := first.Run(ctx, Request{Module: h.file, Accept: true, Options: map[string]string{"script": "records notes 0 1\nsleep 20000"}})
		if err != nil {
			t.Error(err)
		}
		ended <- res
	}()
	select {
	case <-started:
	case res := <-ended:
		t.Fatalf("the first run ended with %+v, want it to go on", res)
	}
	_, err := h.play(done(0))
	if abi.CodeOf(err) != abi.CodeConnectionBusy {
		t.Fatalf("got %v, want %s", err, abi.CodeConnectionBusy)
	}
	cancel(ErrInterrupted)
	if res := <-ended; res == nil || res.Status != StatusCancelled || res.Reason != string(abi.ReasonOwnerCancelForced) {
		t.Fatalf("got %+v, want %s", res, abi.ReasonOwnerCancelForced)
	}
	if res := h.mustPlay("records notes 0 1" + done(1)); res.Records["notes"].Unchanged != 1 {
		t.Fatalf("got %+v, want the record that arrived before the cancellation unchanged", res.Records)
	}
}

// RT-09.2, Invariant 6: a guest that does not return is gone within three
// seconds of its deadline, and of its DONE.
func TestGuestThatDoesNotReturn(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script string
		timeout      time.Duration
		reason       abi.Reason
		code         abi.Code
	}{
		{"endless loop", "loop", 300 * time.Millisecond, abi.ReasonRunTimedOut, abi.CodeLimitTime},
		{"recursion", "recurse", 300 * time.Millisecond, abi.ReasonRunTimedOut, abi.CodeLimitTime},
		{"after DONE", done(0) + "\nloop", 0, abi.ReasonProtocolViolation, abi.CodeGuestExit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: "process"})
			h.mustPlay("records notes 0 1" + done(1)) // the module is compiled by now
			began := time.Now()
			res, err := h.play(tc.script, func(r *Request) { r.Timeout = tc.timeout })
			expectFailure(t, res, err, tc.reason, tc.code)
			if took := time.Since(began); took > tc.timeout+3*time.Second+startAllowance {
				t.Fatalf("got the run ended after %v, want %v at most", took, tc.timeout+3*time.Second+startAllowance)
			}
		})
	}
}

// startAllowance is what starting a worker may cost on a busy machine. A guest that is not
// stopped runs on for hours.
const startAllowance = 2 * time.Minute

// RT-09.1: the last message is whole, however large, when the guest exits
// right after it.
func TestDoneIsNeverTruncated(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{isolation: "process"})
	message := strings.Repeat("m", 900<<10)
	res := h.mustPlay("done " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"x_failed","message":"` + message + `","retryable":false}}` + "\nexit 0")
	if res.Reason != string(abi.ReasonConnectorReportedFailed) || res.Error.Code != "x_failed" || len(res.Error.Message) != maxErrorMessage {
		t.Fatalf("got %s %.300v, want x_failed and a message of %d bytes", res.Reason, res.Error, maxErrorMessage)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, script string
		limits       func(*plugin.Limits)
		code         abi.Code
	}{
		{"memory", "hunger", func(l *plugin.Limits) { l.MemoryBytes = 64 << 20 }, abi.CodeLimitMemory},
		{"log", "log 100000 some text", func(l *plugin.Limits) { l.LogBytes = 64 << 10 }, abi.CodeLimitLog},
		{"stderr", "stderr 100000 some text", func(l *plugin.Limits) { l.LogBytes = 64 << 10 }, abi.CodeLimitLog},
		{"output", "records notes 0 100000", func(l *plugin.Limits) { l.OutputBytes = 1 << 20 }, abi.CodeLimitOutput},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{isolation: "process", limits: tc.limits})
			res, err := h.play(tc.script)
			expectFailure(t, res, err, abi.ReasonLimitExceeded, tc.code)
		})
	}
}

func TestModuleIsPinned(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay(done(0))
	// A custom section changes the hash and nothing else.
	other := plugin.FromBytes("scripted", append(append([]byte{}, h.file.Bytes...), 0, 2, 1, 'x'))
	_, err := h.runner.Run(t.Context(), Request{Module: other})
	if abi.CodeOf(err) != abi.CodePluginChanged {
		t.Fatalf("got %v, want %s", err, abi.CodePluginChanged)
	}
	var e *abi.Error
	if !errors.As(err, &e) || e.Hint == "" || e.Detail == "" {
		t.Fatalf("got %+v, want an error with detail and hint", e)
	}
}
