package outcome

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

func TestWriteVerdict(t *testing.T) {
	t.Parallel()
	action := func(a verdict.Audience) []view.Action {
		return []view.Action{{Audience: a, CTA: "Fetch what is missing"}}
	}
	for _, tc := range []struct {
		name    string
		brief   view.Brief
		command string
		want    string
	}{
		{"nothing to do", view.Brief{Pill: verdict.Pill{Tone: verdict.Green, Label: "Healthy"}, ForwardStatement: "All there."}, "", "● Healthy  All there.\n"},
		{"HL-25.2 the owner's step first, the others counted", view.Brief{
			Pill: verdict.Pill{Tone: verdict.Amber, Label: "Degraded"}, ForwardStatement: "Some is missing.", RequiredActions: action(verdict.AudienceOwner), MoreActions: 2,
			Annotations: []verdict.Annotation{{Text: "Ten days ago."}},
		}, "pdpp-host run x", "◐ Degraded  Some is missing.\n  Ten days ago.\n  you can: Fetch what is missing: pdpp-host run x    +2 more    details: pdpp-host status c --detail\n"},
		{"without a command", view.Brief{
			Pill: verdict.Pill{Tone: verdict.Grey, Label: "Checking"}, ForwardStatement: "S.", RequiredActions: action(verdict.AudienceOwner),
		}, "", "○ Checking  S.\n  you can: Fetch what is missing    details: pdpp-host status c --detail\n"},
		{"nobody's step", view.Brief{
			Pill: verdict.Pill{Tone: verdict.Red, Label: "Can't collect"}, ForwardStatement: "S.", RequiredActions: action(verdict.AudienceMaintainer),
		}, "pdpp-host run x", "✗ Can't collect  S.\n"},
		{"what comes of itself", view.Brief{
			Pill: verdict.Pill{Tone: verdict.Amber, Label: "Degraded"}, ForwardStatement: "S.", RequiredActions: []view.Action{{Audience: verdict.AudienceNone, CTA: "The rest comes"}},
		}, "", "◐ Degraded  S.\n  The rest comes.\n"},
		{"the same once", view.Brief{
			Pill: verdict.Pill{Tone: verdict.Grey, Label: "Checking"}, ForwardStatement: "How fresh, is not known.", ForwardCode: "complete_freshness_unknown",
			Annotations: []verdict.Annotation{{Code: "freshness_unknown", Text: "How fresh, is not known."}},
		}, "", "○ Checking  How fresh, is not known.\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			WriteVerdict(&b, output.Style{Symbols: true}, "c", &tc.brief, tc.command)
			if b.String() != tc.want {
				t.Errorf("got\n%swant\n%s", b.String(), tc.want)
			}
			// The words alone carry the meaning.
			b.Reset()
			WriteVerdict(&b, output.Style{Colour: true}, "c", &tc.brief, tc.command)
			if !strings.Contains(b.String(), tc.brief.Pill.Label) {
				t.Errorf("without symbols: %s", b.String())
			}
		})
	}
}
