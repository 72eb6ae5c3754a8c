package collector

import (
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// skips has a run say of parts of its source that it did not collect them.
func skips(parts ...string) (text string) {
	for _, p := range parts {
		text += `skip {"type":"SKIP_RESULT",` + p + "}\n"
	}
	return text
}

// LC-05.1, LC-07.1: an execution says of a gap what the status says of it, also
// where an earlier run left it and this one did not look, or did not begin.
func TestRunAndStatusCountTheSameGaps(t *testing.T) {
	t.Parallel()
	const stays, asks = `"stream":"notes","reason":"malformed_lines","recovery_hint":"not_retriable"`,
		`"stream":"journal","reason":"file_unreadable","recovery_hint":"manual_action_required"`
	w := newWorld(t, func(d *Deps) { d.Policy.MaxDrain = time.Second }).guest() // nothing is waited for
	agree := func(r *RunResult, want, when string) {
		t.Helper()
		s, err := w.collector().Status(t.Context())
		w.ok(err)
		w.same(s.GapsLeft(), want, "the status, "+when)
		w.same(r.GapsLeft(), want, "the execution, "+when)
	}
	agree(w.run(skips(stays)+done(0)), "1 gap: 1 stays missing", "of its own gap")
	narrow := w.script(skips(asks) + done(0))
	narrow.Streams = []string{"journal"}
	r, err := w.collector().Run(t.Context(), narrow)
	w.ok(err)
	agree(r, "2 gaps: 1 needs somebody, 1 stays missing", "of one stream")
	r, err = w.collector().Run(t.Context(), RunRequest{Refused: missing})
	w.same(abi.CodeOf(err), abi.CodePluginUnknown, "code")
	agree(r, "2 gaps: 1 needs somebody, 1 stays missing", "that was refused")
	w.host.fail(on("/ingest-batches", answer{status: 500}))
	agree(w.run(skips(stays)+records("notes", 0, 1)+done(1)), "1 gap: 1 stays missing", "that waits")
	agree(w.run(done(0)), "1 gap: 1 stays missing", "that scans nothing")
	w.host.fail(nil)
	_, err = w.collector().RetryDeadLetters(t.Context()) // what was put off is due
	w.ok(err)
	agree(w.run(skips(`"stream":"notes","reason":"still_written","recovery_hint":"retry_by_runtime"`)+done(0)),
		"2 gaps: 1 stays missing, 1 is tried again by itself", "that did not look again")
	agree(w.run(done(0)), "0 gaps: ", "once all is collected")
	if _, err := os.Stat(w.collector().memoryPath()); err == nil {
		t.Error("something is remembered of what is done")
	}
}

// A reason that is no plain word is written as one in the outbox, and is still the
// one that the run gave.
func TestGapsOfReasonsThatAreNoWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	r := w.run(skips(`"stream":"notes","reason":"malformed lines (é)","message":"3 of them","recovery_hint":"not_retriable"`) + done(0))
	s, err := w.collector().Status(t.Context())
	w.ok(err)
	w.same(r.GapsLeft(), "1 gap: 1 stays missing", "the execution")
	w.same(s.GapsLeft(), "1 gap: 1 stays missing", "the status")
	w.same(s.Open.Parts[0].Why(), "notes: malformed_lines____, 3 of them", "why")
}

// A gap that doctor tells somebody to put right is a gap here: what the host refused needs
// somebody too, and has a finding of its own.
func TestDoctorNamesAGap(t *testing.T) {
	t.Parallel()
	s := &Status{Open: OpenWork{Total: 2, Parts: []OpenPart{
		{Kind: kindUnit, Stream: "notes", Status: storage.UnitDead, Reason: "http_409:device_run_conflict"},
		{Kind: kindUnit, Stream: "journal", Status: storage.UnitGap, Reason: "file_unreadable"},
	}}}
	s.Outbox.Counts.GapsOpen = 1
	newWorld(t).same(gapsCheck(s, "").Text, "1 gap: 1 needs somebody; journal: file_unreadable", "the finding")
}
