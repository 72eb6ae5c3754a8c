package storage

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// exerciseChosen: some connections of many are found by a part of their name, by their
// pill and by whether they need their owner, those that run with them. Runs are counted by
// day and outcome.
func exerciseChosen(t *testing.T, x *exercise) {
	rejected := Outcome{Status: "failed", Reason: "connector_reported_failed", Error: &RunError{Code: "demo_auth_failed", Message: "401"}}
	ids := map[string]string{}
	for _, name := range []string{"a_good", "b%bad", "c_Good", "d_new", "e_runs"} {
		c := x.connection(name)
		ids[c.ID] = name
		x.ok(x.s.PinPlugin(t.Context(), c.ID, "abc", []byte(keptManifest)))
	}
	for _, name := range []string{"a_good", "c_Good"} {
		x.finish(x.begin(name, allStreams))
	}
	x.ok(x.begin("b%bad", allStreams).Finish(t.Context(), rejected))
	x.clock.forward(25 * time.Hour)
	x.ok(x.begin("b%bad", allStreams).Finish(t.Context(), rejected))
	x.clock.forward(-25 * time.Hour)
	x.begin("e_runs", allStreams).Abandon()
	now := x.clock.Now().Add(26 * time.Hour)
	names := func(all []Evidence, err error) string {
		t.Helper()
		x.ok(err)
		var out []string
		for i := range all {
			out = append(out, all[i].Name)
		}
		return strings.Join(out, " ")
	}
	for _, c := range []struct {
		choice Choice
		after  string
		limit  int
		want   string
	}{
		{Choice{}, "", 3, "a_good b%bad c_Good"},
		{Choice{Name: "GOOD"}, "", 9, "a_good c_Good"},
		{Choice{Name: "good"}, "a_good", 9, "c_Good"},
		{Choice{Name: "%"}, "", 9, "b%bad"},
		{Choice{Name: "_"}, "", 9, "a_good c_Good d_new e_runs"},
		{Choice{Tone: verdict.Red}, "", 9, "b%bad e_runs"},
		{Choice{Name: "bad", Tone: verdict.Red}, "", 9, "b%bad"},
	} {
		if got := names(x.s.EvidenceChosen(t.Context(), now, c.choice, c.after, c.limit)); got != c.want {
			t.Errorf("%+v after %q: got %q, want %q", c.choice, c.after, got, c.want)
		}
	}
	if got, want := names(x.s.EvidenceNeeding(t.Context(), now, 9)), "b%bad e_runs"; got != want {
		t.Errorf("in need of their owner: got %q, want %q", got, want)
	}
	var all []string
	for id := range ids {
		all = append(all, id)
	}
	days, err := x.s.RunDays(t.Context(), all, x.clock.Now().Add(-time.Hour))
	x.ok(err)
	got := map[string]bool{}
	for _, d := range days {
		got[fmt.Sprintf("%s %s %s %d", ids[d.ConnectionID], d.Day.UTC().Format(time.DateOnly), d.Status, d.Runs)] = true
	}
	for _, want := range []string{"a_good 2026-01-02 succeeded 1", "b%bad 2026-01-02 failed 1", "b%bad 2026-01-03 failed 1", "c_Good 2026-01-02 succeeded 1", "e_runs 2026-01-02 running 1"} {
		if !got[want] {
			t.Errorf("got %v, want %q among them", got, want)
		}
	}
	if len(days) != 5 {
		t.Errorf("got %d counts, want 5", len(days))
	}
}
