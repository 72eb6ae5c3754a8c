package contract

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// Each clause is told once, as it ends up in the report.
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
				t.Errorf("%d clauses were told, want %d", len(seen), len(r.Clauses))
			}
			for _, c := range seen {
				if got := r.Clause(c.ID); got != c {
					t.Errorf("told %+v, the report has %+v", c, got)
				}
			}
		})
	}
}

// A clause is told before the next one is judged: who stops the suite then has
// read all until there.
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
		t.Errorf("told %v, ended with %v; want the clauses up to checkpoint.covers, and an end by the stop", seen, err)
	}
}
