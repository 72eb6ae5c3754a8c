package stored_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// drawStored draws what could be kept of a connection, of runs at around an
// instant.
func drawStored(t *rapid.T, around time.Time) *stored.Facts {
	us := func(what string) int64 {
		return around.Add(-time.Duration(rapid.IntRange(0, 2000).Draw(t, what)) * time.Hour).UnixMicro()
	}
	word := func(what string, from ...health.Word) health.Word { return rapid.SampledFrom(from).Draw(t, what) }
	no := false
	s := &stored.Facts{
		Manifest: &stored.Manifest{
			MaximumStalenessS: int64(rapid.SampledFrom([]int{0, 3600, 7 * 86400}).Draw(t, "window")),
			Refresh:           &health.Refresh{RecommendedMode: word("mode", "manual", "automatic")},
			Streams: []health.ManifestStream{
				{Name: "a"}, {Name: "b", Required: &no}, {Name: "c", Required: &no, CoveragePolicy: health.CoverageUnsupported},
			},
		},
		CollectedUS: map[string]int64{},
	}
	for _, name := range []string{"a", "b"} {
		if rapid.Bool().Draw(t, "collected") {
			s.CollectedUS[name] = us("at")
		}
	}
	if rapid.Bool().Draw(t, "settled") {
		s.Settled = &stored.Run{ID: "r", Status: word("status", "succeeded", "failed", "abandoned"), StartedUS: us("began"), EndedUS: us("ended")}
		s.Settled.Device = string(word("ran on", "", "dev_1", "dev_2"))
		if s.Settled.Status == "failed" {
			s.Settled.Reason = word("refused", "", "files.root_missing", "credential.missing", "other")
			s.Settled.Refused = s.Settled.Reason != ""
		}
		s.Latest = s.Settled
		if s.Settled.Status == "succeeded" {
			s.Succeeded = s.Settled
		}
	}
	if rapid.Bool().Draw(t, "running") {
		s.Latest = &stored.Run{ID: "q", Status: "running", StartedUS: us("began")}
	}
	if rapid.Bool().Draw(t, "gaps") {
		s.Gaps.Streams = []stored.StreamGaps{{Stream: "a", Pressure: 1}, {Stream: "b", Other: 2}}
	}
	if rapid.Bool().Draw(t, "pressure") {
		s.Pressure = &stored.Pressure{Reason: "rate_limited", AtUS: us("at"), NextAttemptUS: around.Add(time.Hour).UnixMicro()}
	}
	if rapid.IntRange(0, 3).Draw(t, "held") == 0 {
		s.Hold = &stored.Hold{
			Kind: rapid.SampledFrom([]stored.HoldKind{stored.HeldUntil, stored.HeldForGood, stored.HeldForOwner}).Draw(t, "kind"), Reason: "source_pressure",
			AtUS: us("held at"), UntilUS: around.Add(time.Duration(rapid.IntRange(-1, 3).Draw(t, "hours")) * time.Hour).UnixMicro(),
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "rejected") == 0 {
		s.Rejected = &stored.Rejection{Reason: "demo_auth_failed", AtUS: us("rejected at")}
	}
	if rapid.Bool().Draw(t, "signed in") {
		s.Manifest.Credentials = []string{"token"}
		s.Credential = rapid.SampledFrom([]*stored.Credential{
			nil, {PutUS: us("put"), Fields: []string{"token"}}, {PutUS: us("put"), Fields: []string{"other", "token"}, Taken: []string{"token"}},
			{Taken: []string{"other", "token"}},
		}).Draw(t, "credential")
	}
	if rapid.Bool().Draw(t, "fed") {
		s.Device = drawDevice(t, around)
	}
	return s
}

// withoutAges is a verdict without what an age in words or a moment makes of it.
func withoutAges(v verdict.RenderedVerdict) string {
	v.Annotations = nil
	v.Progress.Headline = ""
	d := *v.Detail
	d.Conditions = nil
	for _, c := range v.Detail.Conditions {
		c.ObservedAt = health.Instant{}
		d.Conditions = append(d.Conditions, c)
	}
	v.Detail = &d
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // no verdict holds what JSON cannot
	}
	return string(text)
}

// The next change is the first moment with a different answer; until then the answer
// is the same.
func TestNextChange(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		s := drawStored(t, base)
		alive := rapid.Bool().Draw(t, "alive")
		at := func(when time.Time) string {
			return withoutAges(verdict.OfStored(s, stored.Moment{Now: health.At(when), RunAlive: alive}, true))
		}
		now := base
		for range 12 {
			next := s.NextChange(health.At(now))
			end := now.Add(100 * 24 * time.Hour)
			if !next.IsZero() {
				if !next.After(now) {
					t.Fatalf("the next change is not later: %v, want next.After(now)", next)
				}
				end = next.Add(-time.Microsecond)
			}
			if at(now) != at(end) {
				t.Fatalf("it changed before %v\n%s\n%s, want at(now) == at(end)", next, at(now), at(end))
			}
			if next.IsZero() {
				return
			}
			now = next.Time
		}
		t.Fatal("it never comes to rest")
	})
}

// Fresh data is stale from the announced moment on, to the microsecond.
func TestStaleFromTheAnnouncedMoment(t *testing.T) {
	t.Parallel()
	done := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	run := &stored.Run{ID: "r", Status: "succeeded", EndedUS: done.UnixMicro()}
	s := &stored.Facts{
		Manifest: &stored.Manifest{MaximumStalenessS: 60}, Latest: run, Settled: run, Succeeded: run,
	}
	next := s.NextChange(health.At(done))
	if want := done.Add(time.Minute + time.Microsecond); !next.Equal(want) {
		t.Fatalf("%v, want %v", next, want)
	}
	for at, want := range map[time.Time]health.FreshnessAxis{next.Add(-time.Microsecond): health.FreshnessFresh, next.Time: health.FreshnessStale} {
		if got := s.Evidence(stored.Moment{Now: health.At(at)}).Freshness.Axis; got != want {
			t.Errorf("at %v: %s, want %v", at, got, want)
		}
	}
}

// A document says the same once it was written and read.
func TestStoredRoundTrip(t *testing.T) {
	t.Parallel()
	base := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		s := drawStored(t, base)
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back stored.Facts
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		m := stored.Moment{Now: health.At(base)}
		if !reflect.DeepEqual(s.Evidence(m), back.Evidence(m)) {
			t.Fatalf("got %s, want reflect.DeepEqual(s.Evidence(m), back.Evidence(m))", text)
		}
	})
}

// The retained known gaps give the same coverage as all of them.
func TestKeptGapsWeighTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		word := func(what string, from ...health.Word) health.Word { return rapid.SampledFrom(from).Draw(t, what) }
		var gaps []health.KnownGap
		for range rapid.IntRange(0, 6).Draw(t, "gaps") {
			gaps = append(gaps, health.KnownGap{
				Kind: word("kind", "skip_result", "other"), Stream: string(word("stream", "a", "b", "")),
				Severity:       word("severity", "informational", "recoverable", "transient", "actionable", "odd"),
				Reason:         word("reason", "otp_needed", "captcha", "x", "y"),
				RecoveryAction: word("action", "", "retry_by_runtime", "manual_action_required", "update_selector", "unknown"),
			})
		}
		var pending []health.PendingGap
		if rapid.Bool().Draw(t, "pending") {
			pending = []health.PendingGap{{Stream: "a"}}
		}
		streams := []health.ManifestStream{{Name: "a"}, {Name: "b"}}
		run := func(g []health.KnownGap) health.Coverage {
			return health.RunCoverage(&health.RunEvidence{Status: "succeeded", KnownGaps: g}, pending, streams)
		}
		kept := stored.KeepGaps(gaps)
		if all, few := run(gaps), run(kept); !reflect.DeepEqual(all, few) {
			t.Fatalf("%+v, of the kept %+v, want reflect.DeepEqual(all, few)", all, few)
		}
		if !slices.Equal(kept, stored.KeepGaps(kept)) {
			t.Fatal("keeping twice keeps less")
		}
	})
}

// A run's reason is its connector's word, which may ask for new credentials
// under any name; what the host ended has the host's.
func TestRunReason(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reason     abi.Reason
		code, hint string
		want       health.Word
	}{
		{abi.ReasonConnectorReportedFailed, "demo_auth_failed", "refresh_credentials", "demo_auth_failed"},
		{abi.ReasonConnectorReportedFailed, "demo_denied", "refresh_credentials", "credential_rejected"},
		{abi.ReasonConnectorReportedFailed, "connector.failed", "refresh_credentials", "credential_rejected"},
		{abi.ReasonConnectorReportedFailed, "connector.failed", "", "connector_reported_failed"},
		{abi.ReasonConnectorReportedFailed, "demo_http_500", "", "demo_http_500"},
		{abi.ReasonExitWithoutDone, "guest.trap", "", "connector_exit_without_done"},
		{abi.ReasonHostRestarted, "", "", "host_restarted"},
	} {
		if got := stored.RunReason(c.reason, c.code, c.hint); got != c.want {
			t.Errorf("health.RunReason(c.reason, c.code, c.hint): got %+v: %s, want %v", c, got, c.want)
		}
	}
}

// A success proves nothing of a stream that it did not collect (Invariant 8).
func TestSuccessOfSomeStreams(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 12, 0, 0, 0, 0, time.UTC)
	run := &stored.Run{ID: "r", Status: "succeeded", EndedUS: now.UnixMicro()}
	s := &stored.Facts{
		Manifest: &stored.Manifest{MaximumStalenessS: 86400, Streams: []health.ManifestStream{{Name: "a"}, {Name: "b"}}},
		Latest:   run, Settled: run, Succeeded: run, CollectedUS: map[string]int64{"a": run.EndedUS},
	}
	m := stored.Moment{Now: health.At(now)}
	v := verdict.OfStored(s, m, true)
	if v.Pill.Tone != verdict.Grey || v.Streams[0].Coverage != health.CoverageComplete || v.Streams[1].Coverage != health.CoverageUnknown {
		t.Errorf("never collected: %+v %+v, want v.Pill.Tone == verdict.Grey && v.Streams[0].Coverage == health.CoverageComplete && v.Streams[1].Coverage == health.CoverageUnknown", v.Pill, v.Streams)
	}
	s.CollectedUS["b"] = now.Add(-10 * 24 * time.Hour).UnixMicro()
	if v := verdict.OfStored(s, m, true); v.Pill.Tone != verdict.Amber || v.Detail.Axes.Freshness != health.FreshnessStale {
		t.Errorf("ten days ago: %+v %+v, want v.Pill.Tone == verdict.Amber && v.Detail.Axes.Freshness == health.FreshnessStale", v.Pill, v.Detail.Axes)
	}
	s.CollectedUS["b"] = run.EndedUS
	if v := verdict.OfStored(s, m, true); v.Pill.Tone != verdict.Green {
		t.Errorf("collected: %+v, want %v", v.Pill, verdict.Green)
	}
}
