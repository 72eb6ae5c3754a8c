package verdict_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

var noon = time.Date(2031, 3, 9, 12, 0, 0, 0, time.UTC)

func ago(d time.Duration) int64 { return noon.Add(-d).UnixMicro() }

const tenDays = 240 * time.Hour

// keptWell returns the facts of a connection that runs automatically and whose last
// run, two hours ago, collected both of its streams, of which b is optional.
func keptWell() *stored.Facts {
	run, no := &stored.Run{ID: "r", Status: "succeeded", StartedUS: ago(3 * time.Hour), EndedUS: ago(2 * time.Hour)}, false
	return &stored.Facts{
		Manifest: &stored.Manifest{MaximumStalenessS: 86400, Streams: []health.ManifestStream{{Name: "a"}, {Name: "b", Required: &no}}},
		Latest:   run, Settled: run, Succeeded: run, CollectedUS: map[string]int64{"a": run.EndedUS, "b": run.EndedUS},
		Retained: new(int64(5)), Committed: new(int64(5)), Schedule: &health.Schedule{Enabled: true},
	}
}

// byHand makes it one that only its owner runs.
func byHand(s *stored.Facts) {
	s.Schedule, s.Manifest.Refresh = nil, &health.Refresh{RecommendedMode: "manual"}
}

// never takes every success away: its only run failed.
func never(s *stored.Facts) {
	s.Succeeded, s.CollectedUS, s.Retained = nil, nil, new(int64(0))
	s.Settled = &stored.Run{ID: "r", Status: "failed", Reason: "demo_http_500", StartedUS: ago(3 * time.Hour), EndedUS: ago(2 * time.Hour)}
	s.Latest, s.Failed = s.Settled, []string{"a", "b"}
}

// old makes its data ten days old.
func old(s *stored.Facts) { s.CollectedUS = map[string]int64{"a": ago(tenDays), "b": ago(tenDays)} }

// fed makes it one that a device feeds, which was heard long ago and had nothing
// left to send.
func fed(s *stored.Facts) {
	s.Schedule, s.Settled.Device = nil, "dev_1"
	s.Device = &stored.Device{Sources: []stored.Source{{
		ID: "src", Device: "dev_1", HeardUS: ago(tenDays), Status: "healthy", Pending: new(int64(0)),
	}}}
}

func pressed(s *stored.Facts) {
	s.Gaps.Streams = []stored.StreamGaps{{Stream: "a", Pressure: 3}}
}

func cooling(s *stored.Facts) {
	s.Hold = &stored.Hold{Kind: stored.HeldUntil, Reason: "source_pressure", AtUS: ago(time.Hour), UntilUS: ago(-20 * time.Hour)}
}

// The owner is asked for steps that only the owner can take, but not for steps that
// are not possible yet or that something else takes (HL-23, HL-24, HL-25, HL-29).
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	type changes []func(*stored.Facts)
	paused := func(s *stored.Facts) { s.Schedule = &health.Schedule{} }
	notServed := func(s *stored.Facts) { s.Schedule = nil }
	optionalFailed := func(s *stored.Facts) { s.Failed = []string{"b"} }
	// AC-10: two runs or more asked in vain for all three, or for two of them.
	optionalStay := func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Stream: "b", Other: 3, Failing: 3}} }
	optionalPartStays := func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Stream: "b", Other: 3, Failing: 2}} }
	optionalGaps := func(s *stored.Facts) { s.Gaps.Streams = []stored.StreamGaps{{Stream: "b", Other: 3}} }
	runs := func(s *stored.Facts) {
		s.Latest = &stored.Run{ID: "q", Status: "running", StartedUS: ago(time.Minute)}
	}
	loaded := func(s *stored.Facts) {
		s.Device.Sources[0].HeardUS, s.Device.Sources[0].Status, s.Device.Sources[0].Pending = ago(time.Minute), "retrying", new(int64(4))
	}
	for name, c := range map[string]struct {
		of      changes
		todo    string // kind, cta and what it is about; "": nothing
		channel verdict.Channel
		forward verdict.Code
	}{
		"well": {nil, "", verdict.Calm, "complete"},

		"stale, by schedule":             {changes{old}, "", verdict.Calm, "complete_held"},
		"stale, nothing runs it":         {changes{old, notServed}, "refresh_now cta_refresh_now ", verdict.Advisory, "refresh_now"},
		"stale, and it runs":             {changes{old, notServed, runs}, "wait cta_wait ", verdict.Calm, "complete_held"},
		"stale, cooling, not run":        {changes{old, notServed, cooling}, "wait cta_run_again ", verdict.Calm, "complete_held"},
		"stale, on a device":             {changes{old, fed}, "refresh_now cta_run_collector ", verdict.Advisory, "run_collector"},
		"stale, on a device, and coming": {changes{old, fed, loaded}, "", verdict.Calm, "uploading"},
		"stale, by hand, on a device":    {changes{old, byHand, fed}, "refresh_now cta_run_collector ", verdict.Advisory, "run_collector"},
		"stale, device taken over": {changes{old, fed, func(s *stored.Facts) {
			s.Device.Sources[0].Device = "dev_2"
		}}, "refresh_now cta_run_collector ", verdict.Advisory, "run_collector"},
		"fresh, on a device":      {changes{fed}, "", verdict.Calm, "complete"},
		"stale, by hand":          {changes{old, byHand}, "refresh_now cta_refresh_now ", verdict.Advisory, "refresh_now"},
		"stale, by hand, cooling": {changes{old, byHand, cooling}, "wait cta_run_again ", verdict.Calm, "owner_refresh_due"},

		"paused":                        {changes{paused}, "reattach_schedule cta_reattach_schedule ", verdict.Advisory, "reattach_schedule"},
		"paused, never succeeded":       {changes{never, paused}, "reattach_schedule cta_reattach_schedule ", verdict.Advisory, "reattach_schedule"},
		"paused, its only run killed":   {changes{never, paused, runs, func(s *stored.Facts) { s.Settled = nil }}, "reattach_schedule cta_reattach_schedule ", verdict.Advisory, "reattach_schedule"},
		"paused, never succeeded, runs": {changes{never, runs, paused}, "reattach_schedule cta_reattach_schedule ", verdict.Advisory, "reattach_schedule"},
		"scheduled, never succeeded":    {changes{never}, "wait cta_wait a b", verdict.Calm, "resumable"},
		"by hand, never succeeded":      {changes{never, notServed}, "retry_gap cta_retry_gap a b", verdict.Advisory, "retry_gap"},

		"failed, and its owner acts": {changes{never, byHand, func(s *stored.Facts) { s.Settled.OwnerActs = true }}, "add_info cta_put_right_gap ", verdict.Attention, "put_right_gap"},
		"gap, by hand":               {changes{pressed, byHand}, "retry_gap cta_retry_gap a", verdict.Advisory, "retry_gap"},
		"gap, by hand, cooling":      {changes{pressed, byHand, cooling}, "wait cta_run_again a", verdict.Calm, "resumable_from"},
		"gap, by hand, the provider's time": {changes{pressed, byHand, func(s *stored.Facts) {
			s.Pressure = &stored.Pressure{Reason: "rate_limited", AtUS: s.Settled.EndedUS + 1, NextAttemptUS: ago(-time.Hour)}
		}}, "wait cta_run_again a", verdict.Calm, "resumable_from"},
		"gap, by hand, stale, cooling": {changes{old, pressed, byHand, cooling}, "wait cta_run_again a", verdict.Calm, "resumable_from"},
		"gap, by hand, a back-off of failures": {changes{pressed, byHand, func(s *stored.Facts) {
			cooling(s)
			s.Hold.Reason = "backing_off"
		}}, "retry_gap cta_retry_gap a", verdict.Advisory, "retry_gap"},

		"optional failed, by schedule":        {changes{optionalFailed}, "wait cta_wait b", verdict.Calm, "resumable"},
		"optional failed, by hand":            {changes{optionalFailed, byHand}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps, by hand":              {changes{optionalGaps, byHand}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps that stay, by hand":    {changes{optionalStay, byHand}, "add_info cta_came_back_unchanged b", verdict.Advisory, "came_back_unchanged"},
		"optional gaps that stay":             {changes{optionalStay}, "add_info cta_came_back_unchanged b", verdict.Advisory, "came_back_unchanged"},
		"optional gaps, some stay, by hand":   {changes{optionalPartStays, byHand}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps that stay, and failed": {changes{optionalStay, optionalFailed, byHand}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps, nothing runs it":      {changes{optionalGaps, notServed}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps, on a device":          {changes{optionalGaps, fed}, "retry_gap cta_retry_gap b", verdict.Advisory, "retry_gap"},
		"optional gaps, nothing, and it runs": {changes{optionalGaps, notServed, runs}, "wait cta_wait ", verdict.Calm, "complete_held"},
		"gap, nothing runs it, and it runs":   {changes{pressed, notServed, runs}, "wait cta_wait a", verdict.Calm, "resumable"},
		"optional gaps, by hand, cooling":     {changes{optionalGaps, byHand, cooling}, "wait cta_run_again ", verdict.Calm, "complete_held"},
		"optional gaps, by hand, and stale":   {changes{old, optionalGaps, byHand}, "refresh_now cta_refresh_now ", verdict.Advisory, "refresh_now"},
		"optional gaps, by schedule, stale":   {changes{old, optionalGaps}, "wait cta_wait b", verdict.Calm, "resumable"},
		"optional gaps, paused":               {changes{optionalGaps, paused}, "reattach_schedule cta_reattach_schedule ", verdict.Advisory, "reattach_schedule"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := keptWell()
			for _, change := range c.of {
				change(s)
			}
			v := verdict.OfStored(s, stored.Moment{Now: health.At(noon), RunAlive: !strings.Contains(name, "killed")}, true)
			var todo []string
			for _, a := range v.RequiredActions {
				todo = append(todo, string(a.Kind)+" "+string(a.CTACode)+" "+strings.Join(a.Affects, " "))
			}
			if got := strings.Join(todo, ", "); got != c.todo || v.Channel != c.channel || v.ForwardCode != c.forward || v.Detail.Violations != nil {
				t.Errorf("%s %s: %q, %s, %q; want %q, %s, %q", v.Pill.Tone, v.Detail.State, got, v.Channel, v.ForwardCode, c.todo, c.channel, c.forward)
			}
		})
	}
}

// While what serves the connections is at fault nothing is said to come by itself
// (HL-24, HL-28); what is going on is.
func TestNothingComesWhileTheRuntimeIsDown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(*stored.Facts)
		up, down string // forward, freshness and call to action
	}{
		"stale": {old, "complete_held stale_scheduled ", "complete_held stale_since "},
		"gap":   {pressed, "resumable  cta_wait", "complete_held  cta_wait_held"},
		"gap, and it runs": {func(s *stored.Facts) {
			pressed(s)
			s.Latest = &stored.Run{ID: "q", Status: "running", StartedUS: ago(time.Minute)}
		}, "resumable  cta_wait", "resumable  cta_wait"},
		"uploading": {func(s *stored.Facts) {
			fed(s)
			s.Device.Sources[0].HeardUS, s.Device.Sources[0].Pending = ago(time.Minute), new(int64(4))
		}, "uploading  ", "complete_held  "},
		"by hand, cooling": {func(s *stored.Facts) {
			pressed(s)
			byHand(s)
			cooling(s)
		}, "resumable_from last_successful_refresh cta_run_again", "resumable_from last_successful_refresh cta_run_again"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for ok, want := range map[bool]string{true: c.up, false: c.down} {
				s := keptWell()
				c.change(s)
				v := verdict.OfStored(s, stored.Moment{Now: health.At(noon), RunAlive: true}, ok)
				fresh, cta := "", ""
				for _, a := range v.Annotations {
					fresh = string(a.Code)
				}
				for _, a := range v.RequiredActions {
					cta = string(a.CTACode)
				}
				if fresh == "last_successful_refresh" && !strings.Contains(want, fresh) {
					fresh = "" // of no interest here
				}
				if got := string(v.ForwardCode) + " " + fresh + " " + cta; got != want {
					t.Errorf("runtime ok %v: %q, want %q", ok, got, want)
				}
			}
		})
	}
}

// AC-10: a sentence that says what a later run fetches says from when, where that is known.
func TestALaterRunHasItsMoment(t *testing.T) {
	t.Parallel()
	for until, want := range map[time.Duration]string{
		-5*time.Hour - 35*time.Minute: "A later run fetches what is missing, from 17:35 UTC on.",
		-24 * time.Hour:               "A later run fetches what is missing, from 2031-03-10 12:00 UTC on.",
		time.Minute:                   "Running it now fetches what is missing.",
	} {
		s := keptWell()
		pressed(s)
		byHand(s)
		s.Pressure = &stored.Pressure{Reason: "rate_limited", AtUS: s.Settled.EndedUS + 1, NextAttemptUS: ago(until)}
		if v := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true); v.ForwardStatement != want || v.Detail.Violations != nil {
			t.Errorf("%v from now: got %q, want %q", -until, v.ForwardStatement, want)
		}
	}
}

// The staleness line depends on who runs the connection.
func TestStaleIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*stored.Facts)
		want   verdict.Code
	}{
		"by schedule": {func(*stored.Facts) {}, "stale_scheduled"}, "not served": {func(s *stored.Facts) { s.Schedule = nil }, "stale_manual"},
		"by hand": {byHand, "stale_manual"}, "by a device": {fed, "stale_since"}, "by hand, cooling": {func(s *stored.Facts) { byHand(s); cooling(s) }, "stale_since"},
		"by a device, with a schedule that this host does not use": {func(s *stored.Facts) {
			fed(s)
			s.Schedule = &health.Schedule{Enabled: true}
		}, "stale_since"},
	} {
		s := keptWell()
		old(s)
		c.change(s)
		v := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true)
		if !slices.ContainsFunc(v.Annotations, func(a verdict.Annotation) bool { return a.Code == c.want }) {
			t.Errorf("%s: %+v, want %s", name, v.Annotations, c.want)
		}
	}
}

// HL-06.2: what a client with a grant sees is how collection is, how fresh the data
// is, and how far each stream came, and not that or why an owner is waited for.
func TestGrantClientsLearnNothingOfTheOwner(t *testing.T) {
	t.Parallel()
	refused := func(reason health.Word) func(*stored.Facts) {
		return func(s *stored.Facts) {
			s.Settled = &stored.Run{ID: "r", Status: "failed", Reason: reason, Refused: true, StartedUS: ago(time.Hour), EndedUS: ago(time.Hour)}
			s.Latest, s.Failed = s.Settled, []string{"a"}
		}
	}
	for name, c := range map[string]struct {
		change func(*stored.Facts)
		fresh  string
	}{
		"a folder is missing": {refused("files.root_missing"), "Last successful refresh today."},
		"a module is missing": {refused("plugin.missing"), "Last successful refresh today."},
		"it is to be run": {func(s *stored.Facts) {
			byHand(s)
			old(s)
		}, "Last refreshed 10 days ago."},
		"stale": {old, "Last refreshed 10 days ago."},
		"terminal": {func(s *stored.Facts) {
			s.KnownGaps = []health.KnownGap{{Stream: "a", Severity: "actionable"}}
		}, "Last successful refresh today."},
		"missing": {pressed, "Last successful refresh today."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := keptWell()
			c.change(s)
			s.Accounts = map[string]*stored.StreamAccount{"a": {Considered: new(int64(9)), Collected: new(int64(4))}}
			whole := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true)
			v := verdict.GrantScoped(whole)
			b, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range []string{"owner", "resum", "terminal\"", "run it", "schedule.", "later", "fix", "checking", "has been run"} {
				if text := strings.ToLower(string(b)); strings.Contains(strings.ReplaceAll(text, `"coverage":"terminal_gap"`, ""), word) {
					t.Errorf("%q stands in %s, want !strings.Contains(strings.ReplaceAll(text, `\"coverage\":\"terminal_gap\"`, \"\"), word)", word, b)
				}
			}
			if len(v.Annotations) != 1 || v.Annotations[0].Text != c.fresh {
				t.Errorf("%+v, want %q", v.Annotations, c.fresh)
			}
			if r := v.Streams[0]; r.StreamID != "a" || r.Coverage != whole.Streams[0].Coverage || *r.Collected != 4 || *r.Considered != 9 || v.Pill != whole.Pill {
				t.Errorf(`v.Streams[0]: got %+v %+v, want r.StreamID == "a" && r.Coverage == whole.Streams[0].Coverage && *r.Collected == 4 && *r.Considered == 9 && v.Pill == whole.Pill`, v.Pill, r)
			}
		})
	}
}

// HL-17, RT-11.1: a stream that the manifest declares as not collected is not required
// unless the manifest says so, and then needs no action.
func TestDeclaredAbsence(t *testing.T) {
	t.Parallel()
	for _, policy := range []health.CoverageAxis{"unsupported", "unavailable", "deferred", "inventory_only"} {
		for _, change := range []func(*stored.Facts){func(*stored.Facts) {}, byHand, fed} {
			s := keptWell()
			change(s)
			s.Manifest.Streams = append(s.Manifest.Streams, health.ManifestStream{Name: "c", CoveragePolicy: policy})
			v := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true)
			if v.Pill.Tone != verdict.Green || len(v.RequiredActions) != 0 || v.ForwardCode != "complete" || v.Streams[2].Code != "declared_absent" {
				t.Errorf(`%s: got %+v %s %+v %+v, want v.Pill.Tone == verdict.Green && len(v.RequiredActions) == 0 && v.ForwardCode == "complete" && v.Streams[2].Code == "declared_absent"`, policy, v.Pill, v.ForwardCode, v.RequiredActions, v.Streams[2])
			}
		}
	}
}
