package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

// A row says each thing once, and what its owner is to put right names the thing or
// the command.
func TestARowSaysEachThingOnce(t *testing.T) {
	t.Parallel()
	item := func(forward string, a view.Action, notes ...string) *statusItem {
		b := view.Brief{ForwardStatement: forward, RequiredActions: []view.Action{a}}
		for _, n := range notes {
			b.Annotations = append(b.Annotations, verdict.Annotation{Text: n})
		}
		return &statusItem{Item: view.Item{Name: "mine", Verdict: b}, subject: subject{connection: "mine", connector: "codex"}}
	}
	owner := func(cta string, code verdict.Code) view.Action {
		return view.Action{Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, CTA: cta, CTACode: code}
	}
	for name, c := range map[string]struct {
		of         *statusItem
		todo, next string
	}{
		"said twice":            {item("It is so.", owner("Do it", "cta_add_info"), "It is so.", "It is old."), "Do it", "It is so. It is old."},
		"said as what to do":    {item("do it.", owner("Do it", "cta_add_info"), "It is old."), "Do it", "It is old."},
		"a hold":                {item("Held.", owner("Put right what it waits for", "cta_put_right")), "Put right what it waits for: pdpp-host doctor", "Held."},
		"a hold for an address": {item("Held.", owner("Put right the address", "cta_put_right_address")), "Put right the address: pdpp-host run codex --connection mine", "Held."},
		"nothing runs it": {
			item("Later.", view.Action{Kind: verdict.Wait, Audience: verdict.AudienceNone, CTA: "Run it again", CTACode: "cta_run_again"}), "-",
			"Later. Run it again: pdpp-host run codex --connection mine",
		},
	} {
		got := c.of.row(strings.Clone)
		if got[2] != c.todo || got[3] != c.next {
			t.Errorf("%s: %q, %q", name, got[2], got[3])
		}
	}
}
