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

// A record that comes unchanged exists, in whichever order the connector says so: until the
// cursor that closes its list has committed, nothing is buried over it.
//
// Invariant 12.
func TestWhatComesBehindTheListIsNotBuried(t *testing.T) {
	t.Parallel()
	openA, openB, wholeA, wholeB := ofPart("A", "open"), ofPart("B", "open"), ofPart("A", "whole"), ofPart("B", "whole")
	open, whole := enumeration("open", ""), enumeration("whole", "")
	parts := openA + notes("a1", "a2") + wholeA + openB + notes("b1", "b2") + wholeB
	all := open + notes("a1", "a2", "b1", "b2") + whole
	cursor, sliced := state("notes", `{"n":2}`), slice("notes", `{"n":2}`)
	for name, c := range map[string]struct{ before, script string }{
		"the list, the record, the cursor":                 {all, open + notes("a1", "a2", "b1") + whole + notes("b2") + cursor},
		"the list, the record, the cursor of a slice":      {all, open + notes("a1", "a2", "b1") + whole + notes("b2") + sliced},
		"the list, the cursor, the record":                 {all, open + notes("a1", "a2", "b1") + whole + cursor + notes("b2")},
		"the list, the record, no cursor":                  {all, open + notes("a1", "a2", "b1") + whole + notes("b2")},
		"the list, some cursor, the record":                {all, open + notes("a1", "a2", "b1") + whole + state("riders", `{}`) + notes("b2") + cursor},
		"a part, its record, the cursor":                   {parts, openB + notes("b1") + wholeB + notes("b2") + openA + notes("a1", "a2") + wholeA + cursor},
		"a part, its record in the next one":               {parts, openB + notes("b1") + wholeB + openA + notes("b2", "a1", "a2") + wholeA + cursor},
		"a part, its record in one that is left open":      {parts, openB + notes("b1") + wholeB + openA + notes("b2", "a1", "a2") + sliced},
		"two parts, a record of the first":                 {parts, openB + notes("b1") + wholeB + openA + notes("a1", "a2") + wholeA + notes("b2") + cursor},
		"two parts, a record of the second":                {parts, openA + notes("a1", "a2") + wholeA + openB + notes("b1") + wholeB + notes("b2") + sliced},
		"two parts, the record between their cursors":      {parts, openA + notes("a1", "a2") + wholeA + sliced + openB + notes("b1") + wholeB + notes("b2") + sliced},
		"a part within the other, its record behind":       {parts, openB + notes("b1") + openA + notes("a1", "a2") + wholeA + wholeB + notes("b2") + cursor},
		"a part within the other, its record in the other": {parts, openB + openA + notes("a1", "a2") + wholeA + notes("b1", "b2") + wholeB + cursor},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed(c.before + state("notes", `{}`) + done(4))
			res := h.succeed(c.script + done(strings.Count(c.script, `"RECORD"`)))
			if got := h.keys("notes"); got != "a1 a2 b1 b2" || res.Records["notes"].Deleted != 0 {
				t.Errorf("got the records %q after %d deletions, want a1 a2 b1 b2 after 0", got, res.Records["notes"].Deleted)
			}
		})
	}
}

// A list of the whole stream is given up by one of a part of it: what it had not met stays.
//
// Invariant 12.
func TestAPartGivesTheWholeListUp(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(enumeration("open", "") + notes("a1", "b1") + enumeration("whole", "") + state("notes", `{}`) + done(2))
	res := h.succeed(enumeration("open", "") + notes("a1") + enumeration("whole", "") + ofPart("A", "open") + notes("a1") + ofPart("A", "whole") +
		notes("a1") + state("notes", `{"n":2}`) + done(3))
	if got := h.keys("notes"); got != "a1 b1" || withheldDeletions(res) == "" {
		t.Errorf("got the records %q and the gap %q, want both and a gap", got, withheldDeletions(res))
	}
}

// A list of the whole stream that the host does not have gives the parts up as well: what came
// while it was open was met in it alone.
//
// Invariant 12.
func TestAListThatIsNotHadGivesPartsUp(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	openA, wholeA := ofPart("A", "open"), ofPart("A", "whole")
	h.succeed(openA + notes("a1", "a2") + wholeA + state("notes", `{}`) + done(2))
	res := h.succeed(openA + enumeration("open", `,"begun_by":"run_other"`) + notes("a1", "a2") + wholeA + state("notes", `{"n":2}`) + done(2))
	if got := h.keys("notes"); got != "a1 a2" || withheldDeletions(res) == "" {
		t.Errorf("got the records %q and the gap %q, want both and a gap", got, withheldDeletions(res))
	}
}

// A record that was rejected or kept back since a list began exists, whichever run said so: a
// narrowed one, one that opened no list, or a list that the host does not have.
//
// Invariant 12.
func TestWhatOtherRunsRejectedIsNotBuried(t *testing.T) {
	t.Parallel()
	narrowed := func(r *Request) { r.Resources = map[string][]string{"notes": {"bad"}} }
	whole := func(*Request) {}
	open := enumeration("open", "")
	for name, c := range map[string]struct {
		between string
		change  func(*Request)
	}{
		"rejected in a narrowed run":           {open + rejectedNote + done(1), narrowed},
		"rejected in a list that is not had":   {enumeration("open", `,"begun_by":"run_other"`) + rejectedNote + done(1), whole},
		"rejected before the list is opened":   {rejectedNote[1:] + done(1), whole},
		"kept back before the list is opened":  {keptBackNote[1:] + done(0), whole},
		"kept back in a list that is not had":  {enumeration("open", `,"begun_by":"run_other"`) + keptBackNote + done(0), whole},
		"rejected, when the run failed":        {rejectedNote[1:] + "\ntrap", whole},
		"rejected, and another one came of it": {rejectedNote[1:] + notes("a") + done(2), whole},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed(open + notes("a", "bad") + enumeration("whole", "") + state("notes", `{}`) + done(2))
			begun := h.succeed(open + notes("a") + slice("notes", `{"page":2}`) + done(1))
			h.mustPlay(c.between, c.change)
			res := h.succeed(enumeration("open", fmt.Sprintf(`,"begun_by":%q`, begun.RunID)) + enumeration("whole", "") + state("notes", `{"n":2}`) + done(0))
			if got := h.keys("notes"); got != "a bad" || withheldDeletions(res) == "" {
				t.Errorf("got the records %q and the gap %q, want both and a gap", got, withheldDeletions(res))
			}
		})
	}
}

// A run that failed and says that streams failed, but not which, commits nothing and deletes
// nothing.
//
// Invariant 12.
func TestAFailureThatNamesNoStreamBuriesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	const failed = "\ndone " + `{"type":"DONE","status":"failed","records_emitted":1,"error":{"code":"stream_collection_failed","message":"m","retryable":true}}`
	h.succeed(notes("a", "b") + state("notes", `{}`) + done(2))
	list := enumeration("open", "") + notes("a") + enumeration("whole", "")
	if h.mustPlay(list + failed); h.keys("notes") != "a b" {
		t.Errorf("got the records %q, want both", h.keys("notes"))
	}
	if h.mustPlay(list + "\nskip " + `{"type":"SKIP_RESULT","stream":"journal","reason":"stream_collection_failed"}` + failed); h.keys("notes") != "a" {
		t.Errorf("got the records %q when another stream failed, want a", h.keys("notes"))
	}
}
