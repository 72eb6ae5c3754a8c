package contract

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// Each clause is reported once, with its outcome in the report.
func TestClausesAreObserved(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"honest": honest(), "without records": "finish"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []Clause
			r := check(t, Options{
				File: scripted(t), Roots: folder(t), Options: map[string]string{"script": script},
				Observe: func(c Clause) { seen = append(seen, c) },
			})
			if len(seen) != len(r.Clauses) {
				t.Errorf("observe got %d clauses, want %d", len(seen), len(r.Clauses))
			}
			for _, c := range seen {
				if got := r.Clause(c.ID); got != c {
					t.Errorf("observe got %+v, want %+v as in the report", c, got)
				}
			}
		})
	}
}

// A clause is reported before the next one is judged, so an observer that stops the
// suite has read every clause up to there.
func TestClausesAreToldAtOnce(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var seen []string
	_, err := Check(ctx, Options{
		File: scripted(t), Roots: folder(t), Options: map[string]string{"script": honest()}, Dir: t.TempDir(),
		Engine: rig.Engine(t, plugin.IsolationInline, limits()),
		Observe: func(c Clause) {
			if seen = append(seen, c.ID); c.ID == "checkpoint.covers" {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || !slices.Contains(seen, "collect.done") || slices.Contains(seen, "isolation.same") {
		t.Errorf("observe got %v, ended with %v; want the clauses up to checkpoint.covers, and an end by the stop", seen, err)
	}
}
