package console

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// asking has a guest ask for a one-time code, and go on once it has the right one.
const asking = `submit 3 {"type":"INTERACTION","request_id":"q1","kind":"otp","message":"The code that was sent to your phone"}
expect 424242
emit {"type":"RECORD","stream":"notes","key":"1","data":{"id":"1","text":"behind the code"},"emitted_at":"2026-01-02T03:04:05Z"}
finish`

// questionAtNight is the third story (OC-17, OC-18, OC-19): a run that began by itself asks
// for a one-time code while nobody looks. The owner is told, answers on a phone, and the run goes on.
func questionAtNight(t *testing.T, h *host) func(t *testing.T) {
	t.Helper()
	phone := newInbox(h)
	h.Tells(phone.url+"\n", 0, "notifications", "add", "--service", "--name", "phone")
	h.Install("codes", edition(t, "codes", "1.0.0", `"recommended_mode": "manual"`, `"recommended_mode": "automatic", "recommended_interval_seconds": 21600`))
	for _, o := range tellings {
		h.Says(0, "connections", "add", called("night", o), "codes", "--accept", "--set", "script="+asking)
	}
	return func(t *testing.T) {
		told(t, func(t *testing.T, o browser.Options) {
			name := called("night", o)
			phone.awaits(t, name+" asks for a one-time code: Answer on this host's page")
			o.Width, o.Height = 390, 844
			p := h.page(t, o)
			p.Open("/")
			p.See(name + " asks")
			p.Press("Answer: " + name)
			p.At("/questions/")
			p.See(name+" asks", "In the words of the connector", "The code that was sent to your phone", "Type no password here")
			p.Holds(`document.querySelector('input[autocomplete="one-time-code"][inputmode="numeric"]')`)
			if !o.NoScripts {
				legible(t, p)
			}
			p.Fill("One-time code", "424242")
			p.PressOne("button", "Answer")
			p.See("Your answer is given, and the run goes on")
			p.PressOne("link", "run_")
			p.At("/runs/")
			ends(p, o)
			p.See("Succeeded")
			p.Open("/connections/" + name)
			p.See("notes")
			if !o.NoScripts {
				legible(t, p)
			}
			if got := phone.about(name); len(got) != 1 {
				t.Errorf("notifications: %q, want one", got)
			}
		})
	}
}
