package stored_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// collected is a connection that runs by itself and whose last run, two hours before
// heardAt, collected everything.
func collected() *stored.Facts {
	kept := int64(5)
	run := &stored.Run{ID: "r", Status: "succeeded", StartedUS: us(-3 * time.Hour), EndedUS: us(-2 * time.Hour)}
	return &stored.Facts{
		Manifest: &stored.Manifest{MaximumStalenessS: 86400, Streams: []health.ManifestStream{{Name: "a"}}},
		Latest:   run, Settled: run, Succeeded: run, CollectedUS: map[string]int64{"a": run.EndedUS},
		Retained: &kept, Committed: &kept, Schedule: &health.Schedule{Enabled: true},
	}
}

// HL-04.1, HL-04.2: what delays the next run is in sight with its time until a newer
// success, and the success of the run that met it is not newer.
func TestDelays(t *testing.T) {
	t.Parallel()
	const ended = -2 * time.Hour
	pressure := func(at, until time.Duration) *stored.Pressure {
		return &stored.Pressure{Reason: "rate_limited", AtUS: us(at), NextAttemptUS: us(until)}
	}
	held := func(at, until time.Duration) *stored.Hold {
		return &stored.Hold{Kind: stored.HeldUntil, Reason: "source_pressure", AtUS: us(at), UntilUS: us(until)}
	}
	for name, c := range map[string]struct {
		pressure *stored.Pressure
		hold     *stored.Hold
		until    time.Duration // 0: nothing delays
		reason   health.Word
	}{
		"nothing":                                      {nil, nil, 0, ""},
		"of the run that succeeded":                    {pressure(ended, 20*time.Hour), nil, 20 * time.Hour, "rate_limited"},
		"and the scheduler's own":                      {pressure(ended, 20*time.Hour), held(-time.Hour, 20*time.Hour), 20 * time.Hour, "rate_limited"},
		"of a run before":                              {pressure(ended-time.Microsecond, 20*time.Hour), nil, 0, ""},
		"of a run before, and the scheduler's own":     {pressure(ended-time.Microsecond, 20*time.Hour), held(-time.Hour, 20*time.Hour), 20 * time.Hour, "source_pressure"},
		"of a run before, and the scheduler's shorter": {pressure(ended-time.Microsecond, 20*time.Hour), held(-time.Hour, 10*time.Hour), 10 * time.Hour, "source_pressure"},
		"the scheduler's alone":                        {nil, held(-time.Hour, 20*time.Hour), 20 * time.Hour, "source_pressure"},
		"the scheduler's at the run's end":             {nil, held(ended, 20*time.Hour), 20 * time.Hour, "source_pressure"},
		"the scheduler's from before the run's end":    {nil, held(ended-time.Minute, 20*time.Hour), 0, ""},
		"and of the run itself":                        {pressure(ended, 10*time.Hour), held(ended-time.Minute, 20*time.Hour), 10 * time.Hour, "rate_limited"},
		"the scheduler's later":                        {pressure(ended, 10*time.Hour), held(-time.Hour, 20*time.Hour), 20 * time.Hour, "source_pressure"},
		"the scheduler's sooner":                       {pressure(ended, 20*time.Hour), held(-time.Hour, 10*time.Hour), 20 * time.Hour, "rate_limited"},
		"over":                                         {pressure(ended, -time.Minute), held(-time.Hour, -time.Minute), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := collected()
			s.Pressure, s.Hold = c.pressure, c.hold
			snap, v := snapshotAt(s, heardAt), verdictAt(s, heardAt)
			if c.until == 0 {
				if snap.State != health.StateHealthy || !snap.NextAttemptAt.IsZero() || v.Pill.Tone != verdict.Green {
					t.Errorf("%s until %v, %+v, want snap.State == health.StateHealthy && snap.NextAttemptAt.IsZero() && v.Pill.Tone == verdict.Green", snap.State, snap.NextAttemptAt, v.Pill)
				}
				return
			}
			until := heardAt.Add(c.until)
			if snap.State != health.StateCoolingOff || snap.ReasonCode != c.reason || !snap.NextAttemptAt.Equal(until) || v.Pill.Tone != verdict.Amber {
				t.Errorf("%s %s until %v, %+v, want snap.State == health.StateCoolingOff && snap.ReasonCode == c.reason && snap.NextAttemptAt.Equal(until) && v.Pill.Tone == verdict.Amber", snap.State, snap.ReasonCode, snap.NextAttemptAt, v.Pill)
			}
			if next := s.NextChange(health.At(heardAt)); !next.Equal(until) {
				t.Errorf("it changes at %v, want %v", next, until)
			}
		})
	}
}

// HL-04.2: a scheduler that has given up is reported, and no time ends it.
func TestGivenUpIsInSight(t *testing.T) {
	t.Parallel()
	s := collected()
	s.Pressure = &stored.Pressure{Reason: "rate_limited", AtUS: us(-2 * time.Hour), NextAttemptUS: us(-time.Minute)}
	s.Hold = &stored.Hold{Kind: stored.HeldForGood, Reason: "failing_for_good", AtUS: us(-time.Hour)}
	for _, after := range []time.Duration{0, 20 * time.Hour} {
		snap, v := snapshotAt(s, heardAt.Add(after)), verdictAt(s, heardAt.Add(after))
		if snap.State != health.StateBlocked || !snap.NextAttemptAt.IsZero() || v.Pill.Tone != verdict.Red || v.Channel == verdict.Calm {
			t.Errorf("after %v: %s until %v, %+v %s, want snap.State == health.StateBlocked && snap.NextAttemptAt.IsZero() && v.Pill.Tone == verdict.Red && v.Channel != verdict.Calm", after, snap.State, snap.NextAttemptAt, v.Pill, v.Channel)
		}
	}
}

// HL-18.1: the backlog has the count of the gaps under pressure, the most attempts at
// one of them, and the time before which none is tried again.
func TestBacklogOfStoredGaps(t *testing.T) {
	t.Parallel()
	s := collected()
	s.Gaps = stored.Gaps{
		Streams:     []stored.StreamGaps{{Stream: "a", Pressure: 3}, {Stream: "b", Pressure: 2, Other: 4}},
		MaxAttempts: 6, NextAttemptUS: us(5 * time.Hour), Recovered: 7,
	}
	b := snapshotAt(s, heardAt).DetailGapBacklog
	if b == nil || b.Pending != 5 || b.PendingOther != 4 || b.MaxAttemptCount != 6 || !b.NextAttemptAt.Equal(heardAt.Add(5*time.Hour)) || *b.Recovered != 7 {
		t.Errorf("got %+v, want b != nil && b.Pending == 5 && b.PendingOther == 4 && b.MaxAttemptCount == 6 && b.NextAttemptAt.Equal(heardAt.Add(5 * time.Hour)) && *b.Recovered == 7", b)
	}
}

// A rejection stays until later evidence ends it; a killed run is no such evidence.
func TestRejectionOutlivesAKilledRun(t *testing.T) {
	t.Parallel()
	failed := func(status, reason health.Word) *stored.Run {
		return &stored.Run{ID: "q", Status: status, Reason: reason, StartedUS: us(-time.Hour), EndedUS: us(-time.Hour)}
	}
	rejected := func() *stored.Facts {
		s := collected()
		s.Credential = &stored.Credential{PutUS: us(-9999 * time.Hour), Fields: []string{"token"}}
		s.Settled = failed("failed", "demo_auth_failed")
		s.Settled.StartedUS, s.Settled.EndedUS = us(-90*time.Minute), us(-90*time.Minute)
		s.Latest, s.Rejected = s.Settled, s.Settled.Rejection()
		return s
	}
	for name, c := range map[string]struct {
		change func(s *stored.Facts)
		signIn bool
	}{
		"nothing since": {func(*stored.Facts) {}, true},
		"a run was killed": {func(s *stored.Facts) {
			s.Latest = &stored.Run{ID: "q", Status: "running", StartedUS: us(-time.Hour)}
		}, true},
		"and written off":   {func(s *stored.Facts) { s.Settled = failed("abandoned", "host_restarted"); s.Latest = s.Settled }, true},
		"it failed besides": {func(s *stored.Facts) { s.Settled = failed("failed", "demo_http_500"); s.Latest = s.Settled }, true},
		"the scheduler waits for it": {func(s *stored.Facts) {
			s.Settled = failed("abandoned", "host_restarted")
			s.Latest, s.Hold = s.Settled, &stored.Hold{Kind: stored.HeldForOwner, Reason: "attention", AtUS: us(-time.Minute)}
		}, true},
		"a new one, then a run was killed": {func(s *stored.Facts) {
			s.Credential.PutUS = us(-80 * time.Minute)
			s.Settled = failed("abandoned", "host_restarted")
			s.Latest = s.Settled
		}, false},
		"another device's": {func(s *stored.Facts) {
			s.Settled.Device = "dev_1"
			s.Device = &stored.Device{Sources: []stored.Source{{ID: "src", Device: "dev_2"}}}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rejected()
			c.change(s)
			snap, v := snapshotAt(s, heardAt), verdictAt(s, heardAt)
			signIn := len(v.RequiredActions) == 1 && v.RequiredActions[0].Kind == verdict.Reauth && v.RequiredActions[0].Reason == "demo_auth_failed"
			loud := snap.State == health.StateBlocked && v.Pill.Tone == verdict.Red && v.Channel == verdict.Attention
			if signIn != c.signIn || loud != c.signIn {
				t.Errorf("got %s %+v %s %+v, want signIn == c.signIn && loud == c.signIn", snap.State, v.Pill, v.Channel, v.RequiredActions)
			}
		})
	}
}

// HL-25.2: what keeps a run from beginning is put to the owner before a credential that
// was rejected, since only a run tells of that one, and neither hides the other for good.
func TestRefusedAfterARejection(t *testing.T) {
	t.Parallel()
	folder := &stored.Hold{Kind: stored.HeldForOwner, Reason: "files.root_missing", AtUS: us(-time.Hour)}
	rejected := func() *stored.Facts {
		s := collected()
		s.Settled = &stored.Run{ID: "q", Status: "failed", Reason: "demo_auth_failed", StartedUS: us(-90 * time.Minute), EndedUS: us(-90 * time.Minute)}
		s.Latest, s.Rejected, s.Failed = s.Settled, s.Settled.Rejection(), []string{"a"}
		return s
	}
	refused := &stored.Run{ID: "p", Status: "failed", Reason: "files.root_missing", Refused: true, StartedUS: us(-time.Hour), EndedUS: us(-time.Hour)}
	required := func(s *stored.Facts, taken ...string) {
		s.Manifest.Credentials, s.Credential = []string{"token"}, &stored.Credential{Taken: taken}
	}
	for name, c := range map[string]struct {
		change func(s *stored.Facts)
		want   string // the actions
	}{
		"of the environment":      {func(s *stored.Facts) { s.Hold = folder }, "cta_put_right_folder cta_reauth"},
		"the folder is put right": {func(*stored.Facts) {}, "cta_reauth"},
		"a run began":             {func(s *stored.Facts) { s.Hold, s.Latest = folder, &stored.Run{ID: "n", Status: "running"} }, "cta_reauth"},
		"refused as a run":        {func(s *stored.Facts) { s.Settled, s.Latest = refused, refused }, "cta_put_right_folder cta_reauth"},
		"and killed before": {func(s *stored.Facts) {
			s.Settled.Status, s.Settled.Reason, s.Hold = "abandoned", "host_restarted", folder
		}, "cta_put_right_folder cta_reauth"},
		"another is stored": {func(s *stored.Facts) {
			s.Hold = folder
			s.Credential = &stored.Credential{PutUS: us(-time.Minute), Fields: []string{"token"}}
		}, "cta_put_right_folder"},
		"taken away":                 {func(s *stored.Facts) { s.Hold = folder; required(s, "token") }, "cta_put_right_folder cta_sign_in"},
		"never in":                   {func(s *stored.Facts) { s.Hold, s.Succeeded, s.CollectedUS = folder, nil, nil; required(s) }, "cta_put_right_folder cta_sign_in"},
		"the scheduler waits for it": {func(s *stored.Facts) { s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: "attention"} }, "cta_reauth"},
		"none of it is there": {func(s *stored.Facts) {
			s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: "credential.missing"}
		}, "cta_reauth"},
		"its name holds one": {func(s *stored.Facts) {
			s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: "config.token_empty"}
		}, "cta_reauth"},
		"the source asks for less too": {func(s *stored.Facts) {
			s.Hold = &stored.Hold{Kind: stored.HeldUntil, Reason: "source_pressure", UntilUS: us(time.Hour)}
		}, "cta_reauth"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := rejected()
			c.change(s)
			snap, v := snapshotAt(s, heardAt), verdictAt(s, heardAt)
			var got []string
			for _, a := range v.RequiredActions {
				got = append(got, string(a.CTACode))
			}
			held := strings.HasPrefix(c.want, "cta_put_right_folder")
			if strings.Join(got, " ") != c.want || v.Channel != verdict.Attention || held != (v.ForwardCode == "put_right_folder") {
				t.Errorf("%s: %q, want %q", v.ForwardCode, got, c.want)
			}
			if held != (snap.State == health.StateNeedsAttention && snap.ReasonCode == "folder_not_usable") {
				t.Errorf("held: got %s %s, want %v", snap.State, snap.ReasonCode, (snap.State == health.StateNeedsAttention && snap.ReasonCode == "folder_not_usable"))
			}
		})
	}
}

// A run that was refused for lack of a credential says nothing against one that
// another run had.
func TestRejectionIsOfARunThatBegan(t *testing.T) {
	t.Parallel()
	for run, want := range map[*stored.Run]bool{
		{Status: "failed", Reason: "demo_auth_failed", EndedUS: 7}:                  true,
		{Status: "failed", Reason: "credential.missing", EndedUS: 7, Refused: true}: false,
		{Status: "failed", Reason: "demo_http_500", EndedUS: 7}:                     false,
		{Status: "cancelled", Reason: "demo_auth_failed", EndedUS: 7}:               false,
		{Status: "succeeded", EndedUS: 7}:                                           false,
	} {
		if r := run.Rejection(); (r != nil) != want || r != nil && (r.Reason != run.Reason || r.AtUS != 7) {
			t.Errorf("run.Rejection(): got %+v: %+v, want (r != nil) == want && (r == nil || r.Reason == run.Reason && r.AtUS == 7)", run, r)
		}
	}
}

// Data is as old as its oldest collected stream, even if no stream is required.
func TestFreshnessOfOptionalStreams(t *testing.T) {
	t.Parallel()
	no, yes := false, true
	const day = 24 * time.Hour
	s := collected()
	s.Manifest.Streams = []health.ManifestStream{{Name: "a"}, {Name: "b", Required: &yes}, {Name: "c", Required: &no}}
	s.CollectedUS = map[string]int64{"a": us(-10 * day), "b": us(-time.Hour), "c": us(-20 * day)}
	if at := s.RefreshedAt(); !at.Equal(heardAt.Add(-10 * day)) {
		t.Errorf("the oldest of what is required is of %v, want at.Equal(heardAt.Add(-10 * day))", at)
	}
	for name, c := range map[string]struct {
		collected map[string]int64
		want      health.FreshnessAxis
	}{
		"both fresh":             {map[string]int64{"a": us(-time.Hour), "b": us(-2 * time.Hour)}, health.FreshnessFresh},
		"one is ten days old":    {map[string]int64{"a": us(-time.Hour), "b": us(-10 * day)}, health.FreshnessStale},
		"the other is":           {map[string]int64{"a": us(-10 * day), "b": us(-time.Hour)}, health.FreshnessStale},
		"both are":               {map[string]int64{"a": us(-10 * day), "b": us(-10 * day)}, health.FreshnessStale},
		"one was never there":    {map[string]int64{"a": us(-time.Hour)}, health.FreshnessFresh},
		"nothing was ever there": {nil, health.FreshnessUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := collected()
			s.Manifest.Streams = []health.ManifestStream{
				{Name: "a", Required: &no}, {Name: "b", Required: &no}, {Name: "c", Required: &no, CoveragePolicy: health.CoverageUnsupported},
			}
			s.CollectedUS = c.collected
			snap, v := snapshotAt(s, heardAt), verdictAt(s, heardAt)
			if snap.Axes.Freshness != c.want || (c.want == health.FreshnessFresh) != (snap.State == health.StateHealthy) {
				t.Errorf("got %s, %s, %+v, want snap.Axes.Freshness == c.want && (c.want == health.FreshnessFresh) == (snap.State == health.StateHealthy)", snap.Axes.Freshness, snap.State, v.Pill)
			}
		})
	}
}

// HL-14: credentials that are known to be no good keep a device's own proof away, and
// a run that succeeded has shown that they are.
func TestRejectionAndOtherProof(t *testing.T) {
	t.Parallel()
	m := stored.Moment{Now: health.At(heardAt)}
	for name, c := range map[string]struct {
		stored *stored.Facts
		want   health.State
	}{"a device's": {fed(), health.StateBlocked}, "a run's": {ran(), health.StateHealthy}} {
		e := c.stored.Evidence(m)
		if s := health.Project(e); s.State != health.StateHealthy {
			t.Errorf("%s, without: %s, want %v", name, s.State, health.StateHealthy)
		}
		e.Credentials = &health.Credentials{Stored: true, Rejected: "demo_auth_failed"}
		s := health.Project(e)
		if rejected := s.Conditions[5].Reason == "demo_auth_failed"; s.State != c.want || rejected != (c.want == health.StateBlocked) {
			t.Errorf(`%s: s.Conditions[5].Reason == "demo_auth_failed": got %s, %s, want s.State == c.want && rejected == (c.want == health.StateBlocked)`, name, s.State, s.Conditions[5].ID)
		}
	}
}
