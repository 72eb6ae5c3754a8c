package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02, AC-07: a file is counted as what it is: XML is no HTML of activities, and what has no message is no mailbox.
func TestWhatAFileIsCountedAs(t *testing.T) {
	t.Parallel()
	const activity = `<div class="outer-cell">x</div>`
	for name, c := range map[string]struct{ file, text, kind, fate, told string }{
		"a list of subscriptions as OPML":        {"subscription_manager.opml", `<opml><body/></opml>`, "other", abi.FileUnknown, ""},
		"XML":                                    {"watch-history.xml", `<?xml version="1.0"?><h>x</h>`, "other", abi.FileUnknown, ""},
		"what an editor noted of a photo":        {"a.xmp", `<x:xmpmeta>x</x:xmpmeta>`, "other", abi.FileUnknown, ""},
		"XML with a mark in front":               {"a.xml", "\ufeff<h>", "other", abi.FileUnknown, ""},
		"HTML":                                   {"x.html", `<div>x</div>`, "html_activities", abi.FileKnown, "history_is_html[x.html]manual_action_required"},
		"HTML of another ending":                 {"x.htm", `<div>x</div>`, "html_activities", abi.FileKnown, "history_is_html[x.htm]manual_action_required"},
		"HTML without an ending":                 {"x", "<!-- x -->\n<HTML lang=x>", "html_activities", abi.FileKnown, "history_is_html[x]manual_action_required"},
		"HTML by its first line":                 {"x.txt", `<!DOCTYPE html><title>x`, "html_activities", abi.FileKnown, "history_is_html[x.txt]manual_action_required"},
		"activities by their form":               {"x.xml", activity, "html_activities", abi.FileKnown, "history_is_html[x.xml]manual_action_required"},
		"a map":                                  {"x.xml", `<kml>`, "maps", abi.FileKnown, "places_are_a_map[x.xml]manual_action_required"},
		"a mailbox":                              {"a.mbox", "From a@b Mon Jan  1 10:00:00 2024\nSubject: x\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n", "mailboxes", abi.FileRead, ""},
		"one without a message that can be read": {"a.mbox", "From a@b Mon Jan  1 10:00:00 2024\nSubject: x\nDate", "mailboxes", abi.FileDamaged, "mbox_truncated[a.mbox, at byte 49]manual_action_required"},
		"lines without anything":                 {"a.mbox", "\n\r\n\n", "empty", abi.FileRule, ""},
		"text":                                   {"a.mbox", "text\n", "other", abi.FileDamaged, "mbox_not_a_mailbox[a.mbox]manual_action_required"},
		"zeros":                                  {"a.mbox", "\x00\x00\x00", "other", abi.FileDamaged, "mbox_not_a_mailbox[a.mbox]manual_action_required"},
	} {
		f := folder{c.file: &fstest.MapFile{Data: []byte(c.text)}}
		res := f.collect(t)
		var kinds []string
		for _, r := range res.Records(streamCoverage) {
			if reason := r.Text("reason"); strings.HasSuffix(reason, ": 1") {
				kinds = append(kinds, r.Text("store"))
			}
		}
		if got := strings.Join(kinds, " "); got != c.kind || res.File("google_takeout", c.file) != c.fate || told(res) != c.told {
			t.Errorf("%s: got %q, %q, %q, want %q, %q, %q", name, got, res.File("google_takeout", c.file), told(res), c.kind, c.fate, c.told)
		}
	}
}
