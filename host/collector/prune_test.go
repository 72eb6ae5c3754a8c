package collector

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/storage"
)

// keeping is an environment that says how much to keep.
func keeping(enabled, keep string) func(string) string {
	return func(name string) string {
		return map[string]string{EnvAutoPrune: enabled, EnvAutoPruneKeep: keep}[name]
	}
}

// LC-09.5: the environment wins over the configuration, and that over the
// default; what cannot be read is nobody's word, and fewer than one row cannot be
// asked for (LC-09.6).
func TestPrunePrecedence(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	for _, tc := range []struct {
		config        AutoPrune
		enabled, keep string
		want          pruning
	}{
		{AutoPrune{}, "", "", pruning{true, 10_000}},
		{AutoPrune{Keep: 4}, "", "", pruning{true, 4}},
		{AutoPrune{Keep: 4}, "", "7", pruning{true, 7}},
		{AutoPrune{Keep: 4}, "", "abc", pruning{true, 4}},
		{AutoPrune{Keep: 4}, "", "0", pruning{true, 4}},
		{AutoPrune{Keep: 4}, "", "-3", pruning{true, 4}},
		{AutoPrune{Keep: 4}, "", "99999999999999999999", pruning{true, 4}},
		{AutoPrune{Keep: 0}, "", "0", pruning{true, 10_000}},
		{AutoPrune{Keep: -1}, "", "", pruning{true, 10_000}},
		{AutoPrune{Enabled: &no}, "", "", pruning{false, 10_000}},
		{AutoPrune{Enabled: &no}, "1", "", pruning{true, 10_000}},
		{AutoPrune{Enabled: &yes}, "off", "", pruning{false, 10_000}},
		{AutoPrune{}, "NO", "", pruning{false, 10_000}},
		{AutoPrune{}, " 0 ", "", pruning{false, 10_000}},
		{AutoPrune{}, "false", "", pruning{false, 10_000}},
		{AutoPrune{Enabled: &no}, "", "3", pruning{false, 3}},
	} {
		if got := pruningOf(tc.config, keeping(tc.enabled, tc.keep)); got != tc.want {
			t.Errorf("%+v %q %q: %+v, want %+v", tc.config, tc.enabled, tc.keep, got, tc.want)
		}
	}
}

// A prune is a part of each execution, and what it tells, to its caller and to
// the host, is counted after it.
func TestRunPrunes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		id             string
		enabled, keep  string
		want           PrunedSent
		sent, matching int64
	}{
		// Five batches and the end of their run were acknowledged this minute.
		{"LC-09.1 LC-09.2", "", "3", PrunedSent{Enabled: true, Matched: 3, Pruned: 3}, 3, 3},
		{"LC-09.4", "", "6", PrunedSent{Enabled: true}, 6, 0},
		{"LC-09.5", "off", "3", PrunedSent{}, 6, 6},
		{"LC-09.5 malformed", "", "none", PrunedSent{Enabled: true, Matched: 2, Pruned: 2}, 4, 2}, // the configuration's 4
	} {
		t.Run(tc.id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(d *Deps) { d.Getenv, d.AutoPrune = keeping(tc.enabled, tc.keep), AutoPrune{Keep: 4} })
			w.host.manifest = []byte("{}")
			w.enqueue(5)
			w.host.fail(on("/state", answer{status: 503})) // nothing is scanned: the rows are those above
			res, _ := w.collector().Run(t.Context(), RunRequest{})
			w.same(res.PrunedSent, tc.want, "pruned")
			w.same(res.Outbox.Sent, tc.sent, "kept")
			w.same(w.counts().Succeeded, tc.sent, "kept on the disk")
			w.same(w.host.lastBeat().Outbox.Succeeded, tc.sent, "kept, as the host learns it")
		})
	}
}

// LC-09.3: nothing but acknowledged rows is pruned. LC-09.6: no copy of the file
// is made for it, and one row stays at least.
func TestPruneLeavesUndeliveredWork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(d *Deps) { d.Getenv = keeping("", "1") })
	w.host.manifest = []byte("{}")
	w.enqueue(5)
	w.over(func(e *execution) { w.ok(e.d.Drain(t.Context())) })
	w.enqueueStreams("notes", "journal", "chats")
	s := w.open()
	held, err := s.Claim(t.Context(), storage.ClaimRequest{Holder: "other", Lease: 1e12, Limit: 3})
	if err != nil || len(held) != 3 {
		t.Fatalf("%v %v", held, err)
	}
	w.ok(s.DeadLetter(t.Context(), &held[0], "http_422:device_records_rejected", "refused"))
	w.ok(s.Retry(t.Context(), &held[1], w.deps.Now().Add(1e12), "http_503", "busy"))
	w.ok(s.Close())
	res, err := w.collector().Run(t.Context(), RunRequest{})
	w.ok(err)
	w.same(res.PrunedSent, PrunedSent{Enabled: true, Matched: 5, Pruned: 5}, "pruned")
	o := res.Outbox
	w.same([]int64{o.Sent, o.DeadLetter, o.Retrying, o.Leased, o.Pending}, "[1 1 1 1 1]", "sent, given up, put off, leased, waiting")
	files, err := os.ReadDir(filepath.Dir(w.path))
	w.ok(err)
	for _, f := range files {
		if name := f.Name(); name != "lane.sqlite" && name != "lane.sqlite-wal" && name != "lane.sqlite-shm" {
			t.Errorf("there is a file %s beside the outbox", name)
		}
	}
}

// The lane's own runs are bounded too, whether acknowledged rows are or not; and it
// still knows how the last one ended.
func TestRunsOfALaneAreBounded(t *testing.T) {
	t.Parallel()
	off := false
	w := newWorld(t, func(d *Deps) { d.Policy.KeepRuns, d.AutoPrune.Enabled = 2, &off }).guest()
	var pruned []int64
	for range 4 {
		pruned = append(pruned, w.run(done(0)).RunsPruned)
	}
	w.same(pruned, "[0 0 1 1]", "runs pruned")
	s := w.open()
	runs, err := s.Runs(t.Context(), "", 0)
	w.ok(err)
	differ, err := s.CheckEvidence(t.Context())
	w.ok(errors.Join(err, s.Close()))
	w.same([]int{len(runs), len(differ)}, "[2 0]", "runs that are kept, and evidence that differs")
	status, err := w.collector().Status(t.Context())
	w.ok(err)
	w.same(status.Last.Status, "succeeded", "the last run")
}
