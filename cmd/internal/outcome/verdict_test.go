package outcome

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/run"
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
			WriteVerdict(&b, output.Style{Symbols: true}, "c", &tc.brief, tc.command, plain)
			if b.String() != tc.want {
				t.Errorf("got\n%swant\n%s", b.String(), tc.want)
			}
			// The words alone carry the meaning.
			b.Reset()
			WriteVerdict(&b, output.Style{Colour: true}, "c", &tc.brief, tc.command, plain)
			if !strings.Contains(b.String(), tc.brief.Pill.Label) {
				t.Errorf("without symbols: %s", b.String())
			}
		})
	}
}

func plain(text string) string { return text }

// Every command that is advised is advised for this installation.
func TestAdviseIsAsked(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	mark := func(text string) string { return "<" + text + ">" }
	brief := view.Brief{RequiredActions: []view.Action{{Audience: verdict.AudienceOwner, CTA: "Do it"}}}
	WriteVerdict(&b, output.Style{}, "c", &brief, "pdpp-host run c", mark)
	r := &run.Result{RunID: "run_1", Connection: "c", Status: run.StatusFailed, KnownGaps: make([]run.KnownGap, mostGapLines+1)}
	Write(&b, output.Style{}, r, "", mark)
	for _, want := range []string{"<pdpp-host run c>", "<pdpp-host status c --detail>", "next: <pdpp-host runs show run_1>", "more: <pdpp-host runs show run_1>"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in %s", want, b.String())
		}
	}
}
