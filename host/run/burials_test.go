package run

import (
	"fmt"
	"strings"
	"testing"
)

// ofPart is an ENUMERATION of a part of stream notes.
func ofPart(part, status string) string {
	return enumeration(status, fmt.Sprintf(`,"part":%q`, part))
}

const (
	deferredNote = "\ngap " + `{"type":"DETAIL_GAP","stream":"notes","record_key":"b2","reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b2"}}`
	oddGap       = "\ngap " + `{"type":"DETAIL_GAP","stream":"notes","record_key":["b2","x"],"reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{"id":"b2"}}`
	keptBackNote = "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"record_key_missing"}`
	rejectedNote = "\nemit " + badNote
)

// A record that is deferred, rejected or kept back exists, in whichever part of its stream it
// is, and whether its list was closed already or not: until the cursor commits, nothing is
// buried over it.
//
// Invariant 12.
func TestWhatIsDeferredIsNotBuried(t *testing.T) {
	t.Parallel()
	openA, openB, wholeA, wholeB := ofPart("A", "open"), ofPart("B", "open"), ofPart("A", "whole"), ofPart("B", "whole")
	open, whole := enumeration("open", ""), enumeration("whole", "")
	parts := openA + notes("a1", "a2") + wholeA + openB + notes("b1", "b2") + wholeB
	all := open + notes("a1", "a2", "b1", "b2") + whole
	for name, c := range map[string]struct{ before, script string }{
		"deferred in one part, when another was closed":  {parts, openA + notes("a1", "a2") + openB + wholeA + notes("b1") + deferredNote + wholeB},
		"kept back in one part, when another was closed": {parts, openA + notes("a1", "a2") + openB + wholeA + notes("b1") + keptBackNote + wholeB},
		"deferred behind the list":                       {all, open + notes("a1", "a2", "b1") + whole + deferredNote},
		"rejected behind the list":                       {all, open + notes("a1", "a2", "b1") + whole + rejectedNote},
		"kept back behind the list":                      {all, open + notes("a1", "a2", "b1") + whole + keptBackNote},
		"rejected while another part is open":            {parts, openA + notes("a1", "a2") + openB + notes("b1") + rejectedNote + wholeB + wholeA},
		"rejected in the part that was opened before":    {parts, openB + notes("b1") + openA + rejectedNote + notes("a1", "a2") + wholeB + wholeA},
		"deferred in a part that was left open":          {parts, openB + notes("b1") + openA + notes("a1", "a2") + deferredNote + wholeA + wholeB},
		"deferred by a key that no record can have":      {all, open + notes("a1", "a2", "b1") + oddGap + whole},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed(c.before + state("notes", `{}`) + done(4))
			h.succeed(c.script + state("notes", `{"n":2}`) + done(strings.Count(c.script, `"RECORD"`)))
			if got := h.keys("notes"); got != "a1 a2 b1 b2" {
				t.Errorf("got the records %q, want a1 a2 b1 b2", got)
			}
		})
	}
	// A record that is gone is deleted all the same.
	h := newHost(t, setup{enumerate: true})
	h.succeed(parts + state("notes", `{}`) + done(4))
	h.succeed(openA + notes("a1", "a2") + openB + wholeA + notes("b1") + wholeB + state("notes", `{"n":2}`) + done(3))
	if got := h.keys("notes"); got != "a1 a2 b1" {
		t.Errorf("got the records %q, want a1 a2 b1", got)
	}
}

// A key that no record of the stream can have is met in vain, and says that the connector
// names its records by another key than it stores them.
//
// Invariant 12.
func TestMetNamesAKeyOfTheStream(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(notes("a") + state("notes", `{}`) + done(1))
	res := h.mustPlay(enumeration("open", "") + enumeration("met", `,"keys":[["a","b"]]`) + enumeration("whole", "") + state("notes", `{"n":2}`) + done(0))
	if res.Status != StatusFailed || h.keys("notes") != "a" {
		t.Errorf("got %s and the records %q, want failed and a", res.Status, h.keys("notes"))
	}
}
