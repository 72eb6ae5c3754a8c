package connections

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// HL-08.1, HL-08.3, HL-12.1, HL-12.2, HL-31.1: a page shows a stalled device's remediation as
// text and a command to copy, with its scale, and no button that would do it from here; a
// quiet one has neither command nor count, and uploads in progress are calm.
func TestTheDevicesPart(t *testing.T) {
	t.Parallel()
	const command = "pdpp-local-collector status --source-instance-id src_1"
	heard := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	feed := owner.Feed{DeviceID: "dev_1", Label: `<b>laptop</b>`, SourceInstanceID: "src_1", HeardAt: &heard}
	panel := &view.RemediationPanel{Label: "Check the collector", Command: command, Scale: "3 waiting, 1 given up"}
	for name, c := range map[string]struct {
		part          owner.DevicePart
		devices       []owner.Feed
		want, without []string
	}{
		"stalled": {
			owner.DevicePart{Outbox: panel}, []owner.Feed{feed}, []string{panel.Label, "<pre tabindex=\"0\">" + command + "</pre>", "3 waiting, 1 given up", "&lt;b&gt;laptop"},
			[]string{"<form", "<button", "<b>laptop", "title="},
		},
		"which one is not known": {
			owner.DevicePart{Outbox: &view.RemediationPanel{Label: "Check the collector"}}, []owner.Feed{feed}, []string{words.CannotTell}, []string{"<pre", "<button"},
		},
		"recovery": {
			owner.DevicePart{Recovery: &view.RecoveryPanel{Label: "Send them again", Host: "laptop", Commands: []view.RecoveryCommand{{Label: "Look", Purpose: "why", Command: command}}}},
			[]owner.Feed{feed}, []string{"Send them again", command, words.OnThatMachine}, []string{"<button"},
		},
		"uploading": {
			owner.DevicePart{Uploading: &view.BackgroundDrain{Text: "Saved work is uploading from laptop: 5 to go."}}, []owner.Feed{feed}, []string{"5 to go"}, []string{"<pre", "<button"},
		},
		"quiet":     {owner.DevicePart{}, []owner.Feed{feed}, []string{"dev_1"}, []string{"<pre", "waiting", words.OnThatMachine}},
		"no device": {owner.DevicePart{}, nil, nil, []string{"<section", "device"}},
	} {
		s := &shown{Connection: &owner.Connection{Name: "notes", Devices: c.devices}, health: &owner.Health{DevicePart: c.part}, now: heard.Add(time.Hour)}
		var b bytes.Buffer
		if err := device(s).Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		for _, text := range c.want {
			if !strings.Contains(b.String(), text) {
				t.Errorf("%s: got %s, want %q in it", name, b.String(), text)
			}
		}
		for _, text := range c.without {
			if strings.Contains(b.String(), text) && (text != "title=" || strings.Contains(b.String(), `title="Check`)) {
				t.Errorf("%s: got %q, want none of it", name, text)
			}
		}
	}
}
