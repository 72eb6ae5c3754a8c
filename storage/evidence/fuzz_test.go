package evidence

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// FuzzFacts reads documents that anything may have written: none ends the
// program, and one that cannot be read is never green (Invariant 8).
func FuzzFacts(f *testing.F) {
	for _, seed := range []string{
		"", "{", "null", "{}", `{"latest":{"status":"running"}}`, `{"accounts":{"a":null},"manifest":{"streams":[{"name":"a"}]}}`,
		`{"gaps":{"streams":[{"stream":"a","other":-9223372036854775808},{"other":-1}]}}`,
		`{"settled":{"status":"succeeded","ended_us":9223372036854775807},"manifest":{"maximum_staleness_s":9223372036854775807}}`,
		`{"pressure":{"reason":"x","next_attempt_us":-1},"collected_us":{"a":-1},"unreadable":[""]}`,
	} {
		f.Add(seed, int64(1))
	}
	now := health.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	f.Fuzz(func(t *testing.T, text string, retained int64) {
		row := Row{Format: Format, Facts: text, Retained: retained}
		facts := row.facts()
		v := verdict.OfStored(facts, stored.Moment{Now: now}, true)
		if len(facts.Unreadable) > 0 && v.Pill.Tone == verdict.Green {
			t.Fatalf("%q: got green, want another: it is unreadable", text)
		}
		if next := facts.NextChange(now); !next.IsZero() && !next.After(now.Time) {
			t.Fatalf("%q: got a change at %v, want one after %v", text, next, now.Time)
		}
		if rows := Standings("c", facts, now.Time); len(rows) == 0 || rows[len(rows)-1].UntilUS <= rows[0].FromUS {
			t.Fatalf("%q: got no standing, want one that lasts", text)
		}
	})
}

// FuzzManifest keeps what any accepted text says of health.
func FuzzManifest(f *testing.F) {
	for _, seed := range []string{
		"", "{", "null", "[]", `{"connector_key":"c","capabilities":{"refresh_policy":{"recommended_mode":"automatic","maximum_staleness_seconds":3600}},"streams":[{"name":"a"},{"name":"b","required":false,"coverage_policy":"defer"}]}`, `{"streams":[null]}`, `{"capabilities":{"refresh_policy":{"maximum_staleness_seconds":-1}},"streams":[{"name":"a","required":null}]}`,
	} {
		f.Add(seed)
	}
	now := health.At(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	f.Fuzz(func(t *testing.T, text string) {
		facts := &stored.Facts{}
		if err := AcceptManifest(facts, text); err != nil {
			facts.Unreadable = []health.Word{unreadableManifest}
		}
		if v := verdict.OfStored(facts, stored.Moment{Now: now}, true); v.Pill.Tone == verdict.Green {
			t.Fatalf("%q is green, and nothing was ever collected", text)
		}
	})
}
