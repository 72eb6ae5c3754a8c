package collector

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// gapsSay returns the finding on gaps, and its remedy.
func (w *world) gapsSay() string {
	w.Helper()
	d, err := w.collector().Doctor(w.Context())
	w.ok(err)
	i := slices.IndexFunc(d.Checks, func(c Check) bool { return c.Name == "gaps" })
	return d.Checks[i].Text + " > " + d.Checks[i].Remedy
}

// A record that a public host refuses is left out and told, and holds up neither the rest of its
// batch nor the cursor; the gap is filled when the record is delivered.
func TestARefusedRecordIsSetAside(t *testing.T) {
	t.Parallel()
	w := newWorld(t).guest()
	h := w.onPublicHost()
	h.bad = "notes notes-1"
	res := w.run(records("notes", 0, 3) + state("notes", `{"at":1}`) + done(3))
	w.same(res.Outcome, OutcomeGaps, "outcome")
	w.same(names(h.records), "notes notes-0 notes notes-2", "records")
	w.same(string(h.state["notes"]), `{"at":1}`, "the cursor")
	w.same([]int64{res.Delivered.SetAside, res.Outbox.DeadLetter, res.Outbox.GapsOpen}, "[1 0 1]", "set aside, given up, gaps")
	w.run(done(0)) // tells the gap
	w.same(len(h.gaps), 1, "gaps at the host")
	for _, g := range h.gaps {
		w.same([]any{g["details"], g["stream_boundary"]}, []any{device.GapRefused, "notes-1"}, "the gap at the host")
	}
	if said := w.gapsSay(); !strings.Contains(said, "the host refuses one record, has invalid record identity") || !strings.Contains(said, "--full-refresh") {
		t.Errorf("doctor says %q, want the refusal and what helps", said)
	}
	h.bad = ""
	w.same(w.run(records("notes", 1, 2)+done(1)).Outbox.GapsOpen, 0, "gaps once the record is taken")
}

// The records of a stream that a public host does not declare, or refuses one after another, are
// left out, and no cursor that covers them is committed, so that a later run delivers them once the
// host takes them.
func TestARefusedStreamWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lacks, bad, says string
		riders           int
	}{
		"not declared":        {"riders", "", "stream is not declared by the connector manifest", 2},
		"each record refused": {"", "riders ", "has invalid record identity", 60},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t).guest()
			h := w.onPublicHost()
			h.lacks, h.bad = c.lacks, c.bad
			all := records("notes", 0, 2) + records("riders", 0, c.riders) + records("journal", 0, 1) +
				state("notes", `{"at":1}`) + state("journal", `{"at":1}`) + done(3+c.riders)
			res := w.run(all)
			w.same(res.Outcome, OutcomeGaps, "outcome")
			w.same(names(h.records), "journal journal-0 notes notes-0 notes notes-1", "records")
			w.same(names(h.state), "journal", "cursors")
			w.same([]int64{res.Outbox.DeadLetter, res.Outbox.GapsOpen}, "[0 1]", "given up, gaps")
			if said := w.gapsSay(); !strings.Contains(said, "riders: the host takes no record of this stream, "+c.says) || !strings.Contains(said, "declare the stream") {
				t.Errorf("doctor says %q, want the refusal and what helps", said)
			}
			h.lacks, h.bad = "", ""
			w.same(w.run(all).Outcome, OutcomeComplete, "outcome once it is declared")
			w.same(names(h.state), "journal notes", "cursors")
			w.same(len(h.records), 3+c.riders, "records")
		})
	}
}
