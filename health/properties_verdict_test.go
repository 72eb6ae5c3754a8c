package health_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

func drawAll(t *rapid.T) (verdict.Input, verdict.RenderedVerdict) {
	in := drawInput(t, drawEvidence(t, anyWord))
	return in, verdict.Synthesize(in)
}

// HL-21.2: equal input gives equal verdicts, in any order of calls, and the
// input is left as it was.
func TestSynthesizeIsPure(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawEvidence(t, anyWord))
		other := drawInput(t, drawEvidence(t, anyWord))
		before := encode(t, in)
		first := verdict.Synthesize(in)
		verdict.Synthesize(other)
		if second := verdict.Synthesize(in); !reflect.DeepEqual(first, second) {
			t.Fatalf("verdict.Synthesize(in): got %s\n%s, want reflect.DeepEqual(first, second)", encode(t, first), encode(t, second))
		}
		if after := encode(t, in); after != before {
			t.Fatalf("the input changed:\n%s\n%s", before, after)
		}
	})
}

// The gate has never had to withhold a verdict: what is made keeps the
// invariants by itself, such as that an action's terminal flag is that of its scope
// (HL-25.1) and that what is not fresh is said to be so (HL-22.2).
func TestNoVerdictIsWithheld(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		if _, v := drawAll(t); v.Detail.Violations != nil {
			t.Fatalf("%q: got %s, want v.Detail.Violations == nil", v.Detail.Violations, encode(t, v))
		}
	})
}

var tones = map[verdict.Tone]int{verdict.Green: 0, verdict.Grey: 1, verdict.Amber: 2, verdict.Red: 3}

// HL-22.3: a worse input never makes a better pill.
func TestWorstWins(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, v := drawAll(t)
		worse := in
		worse.Streams = slices.Clone(in.Streams)
		least := 0
		switch s := &worse.Snapshot; one(t, "worsen", "stream", "stream gap", "state", "freshness", "attention", "outbox", "disposition") {
		case "stream":
			worse.Streams, least = append(worse.Streams, drawStream(t, "more")), 0
		case "stream gap":
			worse.Streams, least = append(worse.Streams, verdict.StreamRollup{StreamID: "more", Coverage: health.CoverageTerminalGap, Priority: verdict.Required}), 3
		case "state":
			s.State, least = health.StateBlocked, 3
		case "freshness":
			s.Axes.Freshness, least = health.FreshnessUnknown, 1
		case "attention":
			s.Axes.Attention, least = health.AttentionOpen, 2
		case "outbox":
			s.Axes.Outbox, least = health.OutboxStalled, 3
		case "disposition":
			s.ForwardDisposition, least = health.DispositionTerminal, 3
		}
		w := verdict.Synthesize(worse)
		if tones[w.Pill.Tone] < tones[v.Pill.Tone] || tones[w.Pill.Tone] < least {
			t.Fatalf("%s became %s, want tones[w.Pill.Tone] >= tones[v.Pill.Tone] && tones[w.Pill.Tone] >= least", v.Pill.Tone, w.Pill.Tone)
		}
		if w.Pill.Label != w.Pill.Tone.Label() {
			t.Fatalf("%s is called %s, want w.Pill.Label == w.Pill.Tone.Label()", w.Pill.Tone, w.Pill.Label)
		}
	})
}

// HL-25.1, HL-24.1: terminal means the same everywhere.
func TestTerminalityAgrees(t *testing.T) {
	t.Parallel()
	promise := regexp.MustCompile(`(?i)later run|next run|retr(y|ies)|refresh|resum|collection works`)
	rapid.Check(t, func(t *rapid.T) {
		_, v := drawAll(t)
		terminal := v.Detail.ForwardDisposition == health.DispositionTerminal
		rows := make(map[string]bool)
		for _, r := range v.Streams {
			rows[r.StreamID] = r.Disposition == health.DispositionTerminal
			if rows[r.StreamID] && promise.MatchString(r.Statement) {
				t.Fatalf("%s: got %q, want !rows[r.StreamID] || !promise.MatchString(r.Statement)", r.StreamID, r.Statement)
			}
		}
		for _, a := range v.RequiredActions {
			want := terminal
			for i, id := range a.Affects {
				if want = rows[id]; i > 0 && rows[id] != rows[a.Affects[0]] {
					t.Fatalf("%s affects streams of both kinds, want i <= 0 || rows[id] == rows[a.Affects[0]]", a.Kind)
				}
			}
			if a.Terminal != want {
				t.Fatalf("%s is terminal %v, want %v", a.Kind, a.Terminal, want)
			}
		}
		if terminal && promise.MatchString(v.ForwardStatement+v.Progress.Headline) {
			t.Fatalf("got %q, %q, want !terminal || !promise.MatchString(v.ForwardStatement + v.Progress.Headline)", v.ForwardStatement, v.Progress.Headline)
		}
	})
}

// HL-23.14, HL-29.2: what interrupts is something that the owner can do. And a
// red pill is never silent.
func TestAttentionIsActionable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, v := drawAll(t)
		can := slices.ContainsFunc(v.RequiredActions, func(a verdict.RequiredAction) bool { return a.OwnerSatisfiable() })
		if v.Channel == verdict.Attention && !can {
			t.Fatalf("attention for %+v, want v.Channel != verdict.Attention || can", v.RequiredActions)
		}
		if verdict.ShouldPush(v) && (v.Channel != verdict.Attention || !v.RequiredActions[0].OwnerSatisfiable()) {
			t.Fatal("a push for nothing")
		}
		if in.RuntimeOK && v.Pill.Tone == verdict.Red && v.Channel == verdict.Calm {
			t.Fatalf("red and silent: %+v, want !in.RuntimeOK || v.Pill.Tone != verdict.Red || v.Channel != verdict.Calm", v.RequiredActions)
		}
		if in.RuntimeOK && in.Snapshot.Axes.Outbox == health.OutboxStalled && v.Channel != verdict.Attention { // HL-23.6
			t.Fatalf("stalled and %s, want !in.RuntimeOK || in.Snapshot.Axes.Outbox != health.OutboxStalled || v.Channel == verdict.Attention", v.Channel)
		}
		for _, a := range v.RequiredActions {
			if (a.Kind == verdict.Wait || a.Kind == verdict.CodeFix || a.Kind == verdict.ContactSupport) != (a.SatisfiedWhen.Kind == verdict.NoContract) {
				t.Fatalf("%s is satisfied when %s, want %v", a.Kind, a.SatisfiedWhen.Kind, (a.SatisfiedWhen.Kind == verdict.NoContract))
			}
		}
	})
}

// HL-27.3: what does not interrupt counts nothing, and what is calm says one
// thing.
func TestCalmCountsNothing(t *testing.T) {
	t.Parallel()
	counted := regexp.MustCompile(`(?i)\d+ *(gap|retr|backlog|record|detail|item)|(gap|retr|backlog|record|detail|item)[a-z]*:? *\d`)
	rapid.Check(t, func(t *rapid.T) {
		_, v := drawAll(t)
		if v.Channel == verdict.Calm && len(v.Annotations) > 1 {
			t.Fatalf("got %+v, want v.Channel != verdict.Calm || len(v.Annotations) <= 1", v.Annotations)
		}
		layer := v.ForwardStatement
		for _, a := range v.Annotations {
			if v.Channel != verdict.Attention && !slices.Contains([]string{"freshness", "schedule", "activity"}, a.Kind) {
				t.Fatalf(`%s on %s, want v.Channel == verdict.Attention || slices.Contains([]string{"freshness", "schedule", "activity"}, a.Kind)`, a.Kind, v.Channel)
			}
			layer += "\n" + a.Text
		}
		if len(v.RequiredActions) > 0 {
			layer += "\n" + v.RequiredActions[0].CTA
		}
		if counted.MatchString(layer) || strings.Contains(layer, "2532") {
			t.Fatalf(`got %q, want !counted.MatchString(layer) && !strings.Contains(layer, "2532")`, layer)
		}
	})
}

// HL-28.2: a fault of the runtime calms every connection and changes no colour. The
// required actions stay; automatic work is no longer promised.
func TestRuntimeFault(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawEvidence(t, anyWord))
		in.RuntimeOK = true
		up := verdict.Synthesize(in)
		in.RuntimeOK = false
		down := verdict.Synthesize(in)
		if down.Channel != verdict.Calm || down.Pill != up.Pill || !reflect.DeepEqual(heldWords(down.RequiredActions), heldWords(up.RequiredActions)) ||
			!reflect.DeepEqual(down.Detail.Conditions, up.Detail.Conditions) || verdict.ShouldPush(down) {
			t.Fatalf("while the runtime is at fault: got %s, want a calm verdict with the pill and actions of\n%s", encode(t, down), encode(t, up))
		}
		said := down.ForwardStatement + encode(t, down.RequiredActions) + encode(t, down.Annotations)
		comes := strings.Contains(said, "comes without your doing") && !in.Snapshot.Badges.Syncing // a run that is going on goes on
		if comes || strings.Contains(said, "on its schedule") || strings.Contains(said, "is current") {
			t.Fatalf(`nothing runs, and: %s, want !comes && !strings.Contains(said, "on its schedule") && !strings.Contains(said, "is current")`, said)
		}
		if !slices.Contains(down.Detail.Suppressed, verdict.Suppressed{Kind: "runtime_fault", DetailField: "runtime_ok"}) {
			t.Fatalf(`got %+v, want slices.Contains(down.Detail.Suppressed, verdict.Suppressed{Kind: "runtime_fault", DetailField: "runtime_ok"})`, down.Detail.Suppressed)
		}
	})
}

// HL-25.3, HL-29.2: under a pause nothing happens automatically, so an action exists
// for missing data.
func TestPauseNeverWaits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawEvidence(t, anyWord))
		in.RuntimeOK, in.Schedule = true, &verdict.Schedule{Mode: verdict.ScheduleDisabled, HasPriorSuccess: rapid.Bool().Draw(t, "prior")}
		v := verdict.Synthesize(in)
		if slices.ContainsFunc(v.RequiredActions, func(a verdict.RequiredAction) bool { return a.Kind == verdict.Wait }) {
			t.Fatalf("under a pause: got the actions %+v, want none to wait", v.RequiredActions)
		}
		if v.Detail.ForwardDisposition != health.DispositionComplete && v.Channel == verdict.Calm {
			t.Fatalf("%s, and calm: %s, want v.Detail.ForwardDisposition == health.DispositionComplete || v.Channel != verdict.Calm", v.Detail.ForwardDisposition, encode(t, v))
		}
	})
}

// heldWords is the actions, with what waits in the words of a runtime at fault.
func heldWords(actions []verdict.RequiredAction) []verdict.RequiredAction {
	held := slices.Clone(actions)
	for i := range held {
		if a := &held[i]; a.CTACode == "cta_wait" || a.CTACode == "cta_wait_held" {
			a.CTA, a.CTACode = "", ""
		}
	}
	return held
}

// HL-02.1: no secret comes out of a verdict either.
func TestNoSecretInAVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret, text := drawSecret(t)
		e := drawEvidence(t, func(*rapid.T) health.Word { return health.Word(text) })
		in := drawInput(t, e)
		if out := encode(t, verdict.Synthesize(in)); strings.Contains(strings.ToLower(out), secret) {
			t.Fatalf("%q of %q stands in %s, want !strings.Contains(strings.ToLower(out), secret)", secret, text, out)
		}
	})
}

// HL-19.1: the backlog moves no verdict.
func TestBacklogMovesNoVerdict(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t, drawNearlyWell(t))
		with := verdict.Synthesize(in)
		in.Snapshot.DetailGapBacklog = nil
		without := verdict.Synthesize(in)
		with.Detail.DetailGapBacklog = nil
		if !reflect.DeepEqual(with, without) {
			t.Fatalf("got %s\n%s, want reflect.DeepEqual(with, without)", encode(t, with), encode(t, without))
		}
	})
}

// HL-22.4: never more collected than considered, and a reference points at an
// action that is there.
func TestRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, v := drawAll(t)
		for _, r := range v.Streams {
			if r.Collected != nil && r.Considered != nil && *r.Collected > *r.Considered {
				t.Fatalf("%d of %d, want r.Collected == nil || r.Considered == nil || *r.Collected <= *r.Considered", *r.Collected, *r.Considered)
			}
			if r.ActionRef == nil {
				continue
			}
			a := v.RequiredActions[*r.ActionRef]
			if !slices.Contains(a.Affects, r.StreamID) && (len(a.Affects) > 0 || a.Audience != verdict.AudienceOwner) {
				t.Fatalf("%s points at %+v, want slices.Contains(a.Affects, r.StreamID) || len(a.Affects) <= 0 && a.Audience == verdict.AudienceOwner", r.StreamID, a)
			}
		}
	})
}

// HL-27.2: what the rest leaves out is in the detail.
func TestDetailHoldsEverything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, v := drawAll(t)
		s, d := in.Snapshot, v.Detail
		if d.State != s.State || d.ReasonCode != s.ReasonCode || d.DominantConditionID != s.DominantConditionID || d.Axes != s.Axes || d.Badges != s.Badges ||
			!reflect.DeepEqual(d.Conditions, s.Conditions) || d.DetailGapBacklog != s.DetailGapBacklog || d.OutboxCounts != s.OutboxCounts ||
			d.NextAttemptAt != s.NextAttemptAt {
			t.Fatalf("the detail: got %+v, want what the snapshot holds:\n%+v", d, s)
		}
	})
}

// HL-06.2, HL-19.3, HL-27.4: a client with a grant learns no reasons, no owner's
// actions, and no counts.
func TestGrantScoped(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		_, v := drawAll(t)
		before := encode(t, v)
		g := verdict.GrantScoped(v)
		if g.Detail != nil || len(g.RequiredActions) > 0 || g.ForwardStatement != "" || g.Channel != verdict.Calm || len(g.Streams) != len(v.Streams) {
			t.Fatalf(`got %+v, want g.Detail == nil && len(g.RequiredActions) <= 0 && g.ForwardStatement == "" && g.Channel == verdict.Calm && len(g.Streams) == len(v.Streams)`, g)
		}
		out := encode(t, g)
		for _, word := range []string{"condition", "backlog", "outbox", "credential", "Sign in", "owner", "disposition", "when you run it", "on its schedule", `"action_ref":0`} {
			if strings.Contains(out, word) {
				t.Fatalf("%q stands in %s, want !strings.Contains(out, word)", word, out)
			}
		}
		if encode(t, v) != before {
			t.Fatal("the owner's verdict changed")
		}
	})
}
