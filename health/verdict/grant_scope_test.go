package verdict_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-06.2, HL-19.3, HL-27.4: of a verdict that holds everything, a client with a grant
// gets exactly this: no count but how far each stream came, no reference to an action,
// and no note but how old the data is.
func TestGrantScopedIsNoMore(t *testing.T) {
	t.Parallel()
	full := verdict.RenderedVerdict{
		Pill: verdict.Pill{Tone: verdict.Amber, Label: "Degraded"}, Channel: verdict.Attention, ForwardStatement: "Answering lets the connector go on.", ForwardCode: "add_info",
		Annotations: []verdict.Annotation{
			{Kind: "attention", Code: "asked", Text: "The owner has to answer a request."},
			{Kind: "freshness", Code: "stale_since", Text: "Last refreshed today."},
			{Kind: "activity", Code: "run", Text: "A run is going on."},
		},
		RequiredActions: []verdict.RequiredAction{{Kind: verdict.AddInfo}, {Kind: verdict.Wait, Affects: []string{"a"}}},
		Progress: verdict.Progress{
			Mode: verdict.ModeDeferred, Headline: "Records kept: 5.", HeadlineCode: "progress_kept", RecordsCommittedLastRun: new(int64(4)),
			RetainedRecords: new(int64(5)), LastRefreshedAt: health.At(noon), GapsDrainedLastRun: new(int64(6)),
		},
		Detail: &verdict.Detail{State: health.StateNeedsAttention},
	}
	for ref := range 3 {
		full.Streams = append(full.Streams, verdict.StreamRow{
			StreamID: "a", Coverage: health.CoverageGaps, Disposition: health.DispositionResumable, Collected: new(int64(2)), Considered: new(int64(3)),
			ActionRef: new(ref), Statement: "A later run fetches what is missing.", Code: "resumable",
		})
	}
	want := verdict.RenderedVerdict{
		Pill: full.Pill, Channel: verdict.Calm, Annotations: full.Annotations[1:2], RequiredActions: []verdict.RequiredAction{},
		Progress: verdict.Progress{Headline: "It is not known yet how much was collected.", HeadlineCode: "progress_unknown"},
	}
	for range full.Streams {
		want.Streams = append(want.Streams, verdict.StreamRow{StreamID: "a", Coverage: health.CoverageGaps, Collected: new(int64(2)), Considered: new(int64(3))})
	}
	if got := verdict.GrantScoped(full); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}

// RD-30.3, HL-06.2: a client's pill shows the streams that it sees, whatever the others are, and leaves out
// those that the source is known not to have. The rows tell no count of records.
func TestForStreamsIsOfThose(t *testing.T) {
	t.Parallel()
	v := verdict.RenderedVerdict{Pill: verdict.Pill{Tone: verdict.Red, Label: "Can't collect"}}
	for id, row := range map[string]verdict.StreamRow{
		"whole":  {Coverage: health.CoverageComplete, Disposition: health.DispositionComplete},
		"gaps":   {Coverage: health.CoverageGaps, Disposition: health.DispositionResumable},
		"lost":   {Coverage: health.CoverageTerminalGap, Disposition: health.DispositionTerminal},
		"absent": {Coverage: health.CoverageUnsupported, Disposition: health.DispositionComplete},
		"denied": {Coverage: health.CoverageUnsupported, Disposition: health.DispositionTerminal},
		"new":    {Coverage: health.CoverageUnknown, Disposition: health.DispositionChecking},
	} {
		row.StreamID, row.Collected, row.Considered = id, new(int64(2)), new(int64(3))
		v.Streams = append(v.Streams, row)
	}
	for streams, want := range map[string]verdict.Tone{
		"whole": verdict.Green, "whole absent": verdict.Green, "gaps whole": verdict.Amber, "gaps lost": verdict.Red, "denied": verdict.Red, "new whole": verdict.Grey, "": verdict.Grey,
	} {
		seen := strings.Fields(streams)
		got := verdict.ForStreams(v, func(stream string) bool { return slices.Contains(seen, stream) })
		if got.Pill != (verdict.Pill{Tone: want, Label: want.Label()}) || len(got.Streams) != len(seen) {
			t.Errorf("%q: got %+v with %d streams, want %s", streams, got.Pill, len(got.Streams), want)
		}
		for _, row := range got.Streams {
			if row.Collected != nil || row.Considered != nil {
				t.Errorf("%q: got counts of %s, want none", streams, row.StreamID)
			}
		}
	}
}

// HL-06.2: but for its pill, nothing that a client with a grant sees tells that the
// connection waits for its owner, or for what.
func TestGrantScopedHidesTheRequest(t *testing.T) {
	t.Parallel()
	seen := func(change func(*stored.Facts)) string {
		s := keptWell()
		old(s)
		change(s)
		v := verdict.GrantScoped(verdict.OfStored(s, stored.Moment{Now: health.At(noon), RunAlive: true}, true))
		v.Pill = verdict.Pill{}
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	quiet := seen(func(*stored.Facts) {})
	for name, change := range map[string]func(*stored.Facts){
		"a run asks": func(s *stored.Facts) {
			s.Latest, s.Asking = &stored.Run{ID: "q", Status: "running", StartedUS: ago(1)}, "otp"
		},
		"held for its owner": func(s *stored.Facts) {
			s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: "files.root_missing", AtUS: ago(1)}
		},
		"rejected":    func(s *stored.Facts) { s.Rejected = &stored.Rejection{Reason: "demo_auth_failed", AtUS: ago(1)} },
		"a run is on": func(s *stored.Facts) { s.Latest = &stored.Run{ID: "q", Status: "running", StartedUS: ago(1)} },
	} {
		if got := seen(change); got != quiet {
			t.Errorf("%s:\n%s\nand otherwise\n%s", name, got, quiet)
		}
	}
}

// HL-06.2, HL-19.3: how the connection comes to its runs is its owner's, a pause as well,
// and so is whether gaps were left and filled.
func TestGrantScopedHidesTheSchedule(t *testing.T) {
	t.Parallel()
	seen := func(change func(*stored.Facts)) string {
		s := keptWell()
		change(s)
		whole := verdict.OfStored(s, stored.Moment{Now: health.At(noon)}, true)
		if whole.Progress.Mode == "" || whole.Pill.Tone != verdict.Green {
			t.Errorf(`got %q %+v, want whole.Progress.Mode != "" && whole.Pill.Tone == verdict.Green`, whole.Progress.Mode, whole.Pill)
		}
		b, err := json.Marshal(verdict.GrantScoped(whole))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	quiet := seen(func(*stored.Facts) {})
	if strings.Contains(quiet, "mode") {
		t.Errorf(`got %+v, want !strings.Contains(quiet, "mode")`, quiet)
	}
	for name, change := range map[string]func(*stored.Facts){
		"paused":          func(s *stored.Facts) { s.Schedule = &health.Schedule{} },
		"run by hand":     byHand,
		"fed by a device": fed,
		"gaps were filled": func(s *stored.Facts) {
			s.Gaps.Recovered = 3
		},
	} {
		if got := seen(change); got != quiet {
			t.Errorf("%s:\n%s\nand otherwise\n%s", name, got, quiet)
		}
	}
}

// A list for a surface is never null, in an owner's verdict and in a client's.
func TestEmptyListsAreLists(t *testing.T) {
	t.Parallel()
	in := short()
	in.Snapshot.State, in.Snapshot.ForwardDisposition, in.Snapshot.Axes.Coverage = health.StateHealthy, health.DispositionComplete, health.CoverageComplete
	in.Streams = nil
	v := verdict.Synthesize(in)
	for name, list := range map[string]any{
		"annotations": v.Annotations, "actions": v.RequiredActions, "streams": v.Streams, "suppressed": v.Detail.Suppressed,
		"a client's annotations": verdict.GrantScoped(v).Annotations, "a client's actions": verdict.GrantScoped(v).RequiredActions, "a client's streams": verdict.GrantScoped(v).Streams,
	} {
		if b, err := json.Marshal(list); err != nil || string(b) != "[]" {
			t.Errorf(`%s: got %s, %v, want no error && string(b) == "[]"`, name, b, err)
		}
	}
}
