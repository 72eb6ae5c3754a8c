package chain

import (
	"slices"
	"testing"
)

// TestContractSuite checks every network connector against the contract of the ABI, as
// `plugin test` of the built program does, with its provider. A clause is skipped only
// where it concerns a feature that the connector lacks.
func TestContractSuite(t *testing.T) {
	t.Parallel()
	// TestInterrupted tests the stop of a connector that is silent before its first
	// answer: the suite has no provider at that clause. Strava has one stream.
	skipped := map[string][]string{"github": {"stop.complies"}, "strava": {"scope.streams"}}
	for _, name := range append([]string{"jellyfin"}, connectors...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := served(t, name, 6)
			o := newOwner(t, s.Handler, s.Variables)
			var report struct {
				Records int64
				Clauses []struct{ ID, Title, Outcome, Detail string }
			}
			o.asks(0, &report, "plugin", "test", o.b.plugins+"/"+name+".wasm", "--require-records", "--set", "base_url="+o.url)
			passed := 0
			for _, c := range report.Clauses {
				switch c.Outcome {
				case "pass":
					passed++
				case "skip":
					t.Logf("skipped %s: %s", c.ID, c.Detail)
					if !slices.Contains(append(skipped[name], "collect.empty"), c.ID) {
						t.Errorf("%s was not judged: %s", c.ID, c.Detail)
					}
				default:
					t.Errorf("%s %s: %s: %s, want pass or skip", c.Outcome, c.ID, c.Title, c.Detail)
				}
			}
			t.Logf("%d clauses passed, %d records", passed, report.Records)
			if passed < 15 || report.Records == 0 {
				t.Errorf("%d clauses passed, over %d records, want at least 15 and not 0", passed, report.Records)
			}
		})
	}
}
