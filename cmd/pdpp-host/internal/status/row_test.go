package status

import (
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A row says each thing once, and what its owner is to put right names the thing or
// the command.
func TestARowSaysEachThingOnce(t *testing.T) {
	t.Parallel()
	item := func(forward string, a view.Action, notes ...string) *owner.ConnectionStatus {
		b := view.Brief{ForwardStatement: forward, RequiredActions: []view.Action{a}}
		for _, n := range notes {
			b.Annotations = append(b.Annotations, verdict.Annotation{Text: n})
		}
		return &owner.ConnectionStatus{Item: view.Item{Name: "mine", Connector: "codex", Verdict: b}}
	}
	owners := func(cta string, code verdict.Code) view.Action {
		return view.Action{Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, CTA: cta, CTACode: code}
	}
	for name, c := range map[string]struct {
		of         *owner.ConnectionStatus
		todo, next string
	}{
		"said twice":            {item("It is so.", owners("Do it", "cta_add_info"), "It is so.", "It is old."), "Do it", "It is so. It is old."},
		"said as what to do":    {item("do it.", owners("Do it", "cta_add_info"), "It is old."), "Do it", "It is old."},
		"a hold":                {item("Held.", owners("Put right what it waits for", "cta_put_right")), "Put right what it waits for: pdpp-host doctor", "Held."},
		"a hold for an address": {item("Held.", owners("Put right the address", "cta_put_right_address")), "Put right the address: pdpp-host run codex --connection mine", "Held."},
		"nothing runs it": {
			item("Later.", view.Action{Kind: verdict.Wait, Audience: verdict.AudienceNone, CTA: "Run it again", CTACode: "cta_run_again"}), "-",
			"Later. Run it again: pdpp-host run codex --connection mine",
		},
	} {
		got := row(c.of, strings.Clone)
		if got[2] != c.todo || got[3] != c.next {
			t.Errorf("%s: %q, %q", name, got[2], got[3])
		}
	}
}

// One line names a missing module, and everything that needs it.
func TestMissingModules(t *testing.T) {
	t.Parallel()
	item := func(name, connector string, missing bool) owner.ConnectionStatus {
		return owner.ConnectionStatus{Item: view.Item{Name: name, Connector: connector}, ModuleMissing: missing}
	}
	got := missingModules([]owner.ConnectionStatus{item("a", "x", true), item("b", "y", false), item("c", "z", true), item("d", "x", true)})
	if want := []string{
		"no module of connector x is in the plugins folder: a, d; see: pdpp-host doctor",
		"no module of connector z is in the plugins folder: c; see: pdpp-host doctor",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
