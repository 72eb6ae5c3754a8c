package console

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-16: dates, times and numbers follow the browser's language and zone, the exact instant is
// there to point at and to be read out, and a day stays the day that it is. Without scripts all
// of it is said in UTC, by that name.
func TestTimesAndNumbersFollowTheReader(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	day := `emit {"type":"RECORD","stream":"notes","key":"day","data":{"id":"day","at":"2026-01-02T03:04:05Z"},"emitted_at":"2026-01-02T03:04:05Z"}`
	owner := scripted(t, day+"\nrecords notes 0 1233\nfinish")
	owner.Says(0, "run", "slow", "--no-input")
	cookie := owner.Claim()
	v := browser.Visit(t, owner.Origin(), browser.Options{Language: "de-DE", Zone: "America/Los_Angeles"})
	v.Give(cookie)
	p := v.Page()
	p.Open("/connections/slow")
	p.See("1.234")
	if got := p.Eval(`[...document.querySelectorAll("time")].filter((t) => {
		const whole = new Date(t.dateTime).toLocaleString("de-DE", {dateStyle: "full", timeStyle: "long", timeZone: "America/Los_Angeles"});
		return !/^(vor |jetzt)/.test(t.textContent) || t.title !== whole || t.querySelector(".sr").textContent !== " (" + whole + ")" || t.lang !== "de-DE";
	}).map((t) => t.outerHTML).join("")`).Str(); got != "" || p.Eval(`document.querySelectorAll("time").length`).Int() < 2 {
		t.Errorf("moments on the page of a connection in German in California: %s, want all of them told so", got)
	}
	p.Open("/data/slow/notes/record?key=day")
	p.See("01.01.2026, 19:04")
	p.Open("/data")
	p.See("1.234", "02.01.2026")
	if text := p.Text(); strings.Contains(text, "2026-01-02") {
		t.Errorf("the page Data has a day as a machine writes it: %s", text)
	}
	v = browser.Visit(t, owner.Origin(), browser.Options{NoScripts: true, Language: "de-DE", Zone: "America/Los_Angeles"})
	v.Give(cookie)
	p = v.Page()
	p.Open("/data/slow/notes/record?key=day")
	p.See("2 January 2026, 03:04:05 UTC")
	p.Open("/connections/slow")
	p.See("1\u202f234", " UTC)")
}
