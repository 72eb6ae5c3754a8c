package overview

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func rendered(t *testing.T, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// HL-13.1, HL-13.2, HL-21.1, HL-27.1: a row shows the verdict's pill and sentence and leads to
// the connection's page; it has a count only where a device's work is stuck.
func TestRowsShowTheVerdict(t *testing.T) {
	t.Parallel()
	r := &row{ConnectionStatus: owner.ConnectionStatus{ID: "id1", Item: view.Item{Name: "no/tes", Verdict: view.Brief{
		Pill: verdict.Pill{Tone: verdict.Amber, Label: "Degraded"}, ForwardStatement: "It goes on by itself",
	}}}, days: ui.DaysOf(nil, now, days), now: now}
	text := rendered(t, rowPart(r))
	for _, want := range []string{"Degraded", "It goes on by itself", `href="/connections/no%2Ftes"`, "No runs in 30 days"} {
		if !strings.Contains(text, want) {
			t.Errorf("got %s, want %q in it", text, want)
		}
	}
	if strings.Contains(text, "cue") {
		t.Error("a quiet row: got a count, want none")
	}
	r.Outbox = &view.OutboxCue{Text: "3 waiting"}
	if text := rendered(t, rowPart(r)); !strings.Contains(text, "3 waiting") {
		t.Errorf("got %s, want what is stuck in it", text)
	}
}

// HL-28.1: a fault of the runtime is said once above the list, and nothing interrupts beside it.
func TestARuntimeFaultIsSaidOnce(t *testing.T) {
	t.Parallel()
	n := &needs{fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 3}, Runtime: view.Runtime{Fault: "scheduler_stopped"}}, now: now}
	text := rendered(t, needsPart(n))
	if got := strings.Count(text, "The scheduler has stopped"); got != 1 || strings.Contains(text, `class="do`) {
		t.Errorf("got the fault %d times in %s, want it once and nothing to do", got, text)
	}
}

// The headline counts the cards below it: a connection with a question and something else to do
// has two.
func TestHeadlineCountsItsCards(t *testing.T) {
	t.Parallel()
	reauth := view.Action{Kind: verdict.Reauth, Audience: verdict.AudienceOwner, CTA: "Sign in"}
	answer := view.Action{Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, CTA: "Answer", CTACode: "cta_add_info"}
	of := func(name string, a view.Action) owner.ConnectionStatus {
		return owner.ConnectionStatus{Item: view.Item{Name: name, Verdict: view.Brief{RequiredActions: []view.Action{a}}}}
	}
	n := &needs{
		fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 2, NeedsOwner: 2}}, now: now,
		needing: []owner.ConnectionStatus{of("shop", reauth), of("bank", answer)}, asked: []ui.Question{{ID: "q1", Connection: "shop"}, {ID: "q2", Connection: "bank"}},
	}
	text := rendered(t, needsPart(n))
	if cards := strings.Count(text, `class="do`); cards != 3 || !strings.Contains(text, "<h1>Three things need you</h1>") {
		t.Errorf("got %d cards in %s, want 3 and as many counted", cards, text)
	}
}

// The headline answers whether the owner has to do anything, questions counted with it; each
// thing to do has its button.
func TestHeadline(t *testing.T) {
	t.Parallel()
	needing := []owner.ConnectionStatus{{Item: view.Item{Name: "shop", Verdict: view.Brief{
		Pill:            verdict.Pill{Tone: verdict.Red},
		RequiredActions: []view.Action{{Kind: verdict.Reauth, Audience: verdict.AudienceOwner, CTA: "Sign in again"}},
	}}}}
	asked := []ui.Question{{ID: "q1", Connection: "bank", Quote: "<b>code?</b>"}}
	same := []owner.ConnectionStatus{needing[0], {Item: view.Item{Name: "bank", Verdict: view.Brief{
		RequiredActions: []view.Action{{Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, CTA: "Answer the connector's request", CTACode: "cta_add_info"}},
	}}}}
	for want, n := range map[string]*needs{
		"Nothing is collected yet": {fleet: &owner.Fleet{}},
		"Nothing needs you":        {fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 1}}},
		"One thing needs you":      {fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 1, NeedsOwner: 1}}, needing: needing},
		"Two things need you":      {fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 2, NeedsOwner: 1}}, needing: needing, asked: asked},
		"Three things need you":    {fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 3, NeedsOwner: 3}}, needing: same, asked: asked},
		"4000 things need you":     {fleet: &owner.Fleet{Fleet: view.Fleet{Registered: 9000, NeedsOwner: 4000}}, needing: needing},
	} {
		n.now = now
		text := rendered(t, needsPart(n))
		if !strings.Contains(text, "<h1>"+want+"</h1>") {
			t.Errorf("got %s, want the headline %q", text, want)
		}
		if len(n.needing) > 0 && !strings.Contains(text, `href="/connections/shop/credentials"`) {
			t.Errorf("%s: got no button of what is to be done, want one", want)
		}
		if strings.Contains(text, "Answer the connector's request") {
			t.Errorf("%s: got a question twice, want it once, as the question that it is", want)
		}
		if len(n.asked) > 0 && (!strings.Contains(text, `href="/questions/q1"`) || !strings.Contains(text, "&lt;b&gt;code?")) {
			t.Errorf("%s: got no question, want one, quoted", want)
		}
	}
}
