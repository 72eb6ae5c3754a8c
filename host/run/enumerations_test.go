package run

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// enumeration is a line of the guest's script.
func enumeration(status, more string) string {
	return fmt.Sprintf("\nenumerate {\"type\":\"ENUMERATION\",\"stream\":\"notes\",\"status\":%q%s}", status, more)
}

// notes emits records of stream notes.
func notes(keys ...string) string {
	var lines []string
	for _, key := range keys {
		lines = append(lines, fmt.Sprintf(`{"type":"RECORD","stream":"notes","key":%q,"data":{"id":%q},"emitted_at":"2026-01-01T00:00:00Z"}`, key, key))
	}
	return "\nemit " + strings.Join(lines, `\n`)
}

// withheldDeletions returns the messages of a result's gaps about enumerations.
func withheldDeletions(res *Result) string {
	var out []string
	for _, g := range res.KnownGaps {
		if g.Kind == KindEnumeration {
			out = append(out, g.Severity+": "+g.Message)
		}
	}
	return strings.Join(out, "; ")
}

// A record that a whole enumeration has not met is deleted with the cursor behind it, also
// when the enumeration takes two runs; and only then.
//
// RT-07.1, Invariant 12.
func TestEnumerationDeletesWhatIsGone(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	want := func(keys string) {
		t.Helper()
		if got := h.keys("notes"); got != keys {
			t.Fatalf("got the records %q, want %q", got, keys)
		}
	}
	open, whole := enumeration("open", ""), enumeration("whole", "")
	h.succeed(open + notes("a", "b", "c", "d") + whole + state("notes", `{"n":1}`) + done(4))
	res := h.succeed(open + notes("a", "b") + enumeration("met", `,"keys":["c"]`) + whole + state("notes", `{"n":2}`) + done(2))
	want("a b c")
	if n := res.Records["notes"].Deleted; n != 1 {
		t.Errorf("got %d deleted records in the result, want 1", n)
	}
	if got := strings.Join(append(res.Enumerated, res.Whole...), ","); got != "notes,notes" {
		t.Errorf("enumerated and whole streams in the result: got %q, want notes twice", got)
	}
	h.succeed(open + notes("a") + whole + slice("notes", `{"n":3}`) + notes("after") + done(2))
	want("a after")

	begun := h.succeed(open + notes("a") + slice("notes", `{"page":2}`) + done(1))
	if len(begun.Whole) != 0 {
		t.Errorf("whole streams of a run that went half way: got %q, want none", begun.Whole)
	}
	h.succeed(enumeration("open", fmt.Sprintf(`,"begun_by":%q`, begun.RunID)) + notes("e") + whole + slice("notes", `{}`) + done(1))
	want("a e")

	// A failed run, a failed stream and a run without DONE commit no cursor, and delete nothing.
	for _, end := range []string{
		"\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"message":"m","retryable":true}}`,
		"\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"stream_collection_failed"}` + done(0),
		"\ntrap",
	} {
		h.mustPlay(open + whole + state("notes", `{"n":4}`) + end)
		want("a e")
	}
	// Without any cursor the end of the run closes it.
	h.succeed(open + notes("e") + whole + done(1))
	want("e")
}

// Nothing is deleted in a narrowed run, by a list that the host has lost, or when records
// were rejected or kept back.
//
// Invariant 12.
func TestEnumerationDeletesNothing(t *testing.T) {
	t.Parallel()
	open, whole, end := enumeration("open", ""), enumeration("whole", ""), state("notes", `{}`)
	for _, tc := range []struct {
		name, script string
		change       func(*Request)
		want         string
	}{
		{"one key", open + whole + end + done(0), func(r *Request) { r.Resources = map[string][]string{"notes": {"a"}} }, ""},
		{"rejected", open + notes("a") + "\nemit " + badNote + whole + end + done(2), nil, "informational: records were rejected"},
		{"kept back", open + "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"record_key_missing"}` + whole + end + done(0), nil, "informational: the connector left records out"},
		{"lost", enumeration("open", `,"begun_by":"run_other"`) + whole + end + done(0), nil, "informational: the list of the source"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed(notes("a", "b") + state("notes", `{}`) + done(2))
			change := tc.change
			if change == nil {
				change = func(*Request) {}
			}
			res := h.mustPlay(tc.script, change)
			if got := h.keys("notes"); got != "a b" {
				t.Errorf("got the records %q, want both", got)
			}
			if got := withheldDeletions(res); !strings.HasPrefix(got, tc.want) || (got == "") != (tc.want == "") {
				t.Errorf("got the gap %q, want %q", got, tc.want)
			}
		})
	}
}

// A run of another source closes what was enumerated of the one before.
//
// Invariant 12.
func TestEnumerationEndsWithItsSource(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(notes("a", "b") + state("notes", `{}`) + done(2))
	begun := h.succeed(enumeration("open", "") + notes("a") + slice("notes", `{"page":2}`) + done(1))
	h.succeed(done(0), func(r *Request) { r.AcceptRoot = true })
	res := h.succeed(enumeration("open", fmt.Sprintf(`,"begun_by":%q`, begun.RunID)) + enumeration("whole", "") + slice("notes", `{}`) + done(0))
	if got := h.keys("notes"); got != "a b" || withheldDeletions(res) == "" {
		t.Errorf("got the records %q and the gap %q, want both and a gap", got, withheldDeletions(res))
	}
}

// More than half needs one word of the owner's.
func TestEnumerationNeedsTheOwnersWord(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	var keys []string
	for i := range 50 {
		keys = append(keys, fmt.Sprintf("%02d", i))
	}
	h.succeed(notes(keys...) + done(50))
	script := enumeration("open", "") + notes("00") + enumeration("whole", "") + slice("notes", `{}`) + done(1)
	res := h.succeed(script)
	const want = "actionable: 49 of 50 records are gone, too many to delete without your word: run once with --full-refresh --accept-deletions, or wait until 3 runs, a day apart each, find the same (so far 1)"
	if got := withheldDeletions(res); got != want || len(strings.Fields(h.keys("notes"))) != 50 {
		t.Fatalf("got %q and the records %s, want %q and all 50", got, h.keys("notes"), want)
	}
	res = h.succeed(script, func(r *Request) { r.AcceptDeletions = true })
	if got := withheldDeletions(res); got != "" || h.keys("notes") != "00" {
		t.Errorf("got %q and the records %s, want no gap and 00", got, h.keys("notes"))
	}
}

// The operation missing hands out what was not met; a guest that keeps to no order is ended.
func TestEnumerationMissingAndMisuse(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(notes("a", "b", "c") + done(3))
	open, whole := enumeration("open", ""), enumeration("whole", "")
	ask := "\nsubmit 7 " + `{"stream":"notes","after":"a"}`
	h.succeed(open + notes("b") + ask + "\nexpect " + `{"keys":["c"]}` + done(1))
	for _, script := range []string{
		whole, enumeration("met", `,"keys":["a"]`), open + open, open + whole + open, open + whole + whole, ask,
		open + whole + enumeration("open", `,"begun_by":"r"`), enumeration("open", `,"part":"`+strings.Repeat("x", 201)+`"`),
	} {
		res, err := h.play(script + done(0))
		expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeEnumerationInvalid)
	}
	if got := h.keys("notes"); got != "a b c" {
		t.Errorf("got the records %q, want all", got)
	}
}

// A collector's run enumerates: what it has not met is counted as deleted, and nothing is held
// back.
func TestEnumerationInALane(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true, lane: true})
	open, whole := enumeration("open", ""), enumeration("whole", "")
	h.succeed(open + notes("a", "b", "c") + whole + state("notes", `{"n":1}`) + done(3))
	res := h.succeed(open + notes("a") + enumeration("met", `,"keys":["b"]`) + whole + state("notes", `{"n":2}`) + done(1))
	if n := res.Records["notes"].Deleted; n != 1 || withheldDeletions(res) != "" {
		t.Errorf("got %d deleted records and the gaps %q, want 1 and none", n, withheldDeletions(res))
	}
	if res = h.succeed(open + notes("a", "b") + whole + state("notes", `{"n":3}`) + done(2)); res.Records["notes"].Deleted != 0 {
		t.Errorf("got %d deleted records in a run that met everything, want 0", res.Records["notes"].Deleted)
	}
}

// of has a line about stream notes be about another one.
func of(stream, line string) string { return strings.ReplaceAll(line, "notes", stream) }

// A gap stands for what exists, which is not deleted: a record by its key, a detail of several
// records by the keys before their colons. A gap between the end of the list and its cursor
// does so, too: nothing is deleted before the cursor.
//
// AC-06, Invariant 12.
func TestAGapCountsAsMet(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	open, whole := enumeration("open", ""), enumeration("whole", "")
	h.succeed(notes("a", "b", "b:1", "bc", "d") + state("notes", `{"n":1}`) + done(5))
	res := h.succeed(open + notes("a") + strings.ReplaceAll(leavesGap("b"), "messages", "notes") + whole +
		strings.ReplaceAll(leavesGap("d"), "messages", "notes") + state("notes", `{"n":2}`) + done(1))
	if got := h.keys("notes"); got != "a b b:1 d" || res.Records["notes"].Deleted != 1 {
		t.Errorf("got the records %q after %d deletions, want a, b, b:1 and d after 1", got, res.Records["notes"].Deleted)
	}
}

// A list within a time is not the whole list, also where the time bounds the run for good and
// its cursors move.
//
// Invariant 12.
func TestATimeRangeDeletesNothing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{enumerate: true})
	h.succeed(notes("a", "b") + state("notes", `{"n":1}`) + done(2))
	for _, boundary := range []bool{false, true} {
		res := h.succeed(enumeration("open", "")+enumeration("met", `,"keys":["a"]`)+enumeration("whole", "")+state("notes", `{"n":2}`)+done(0), func(r *Request) {
			r.Since, r.Boundary = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), boundary
		})
		if got := h.keys("notes"); got != "a b" || res.Records["notes"].Deleted != 0 {
			t.Errorf("boundary %v: got the records %q after %d deletions, want both", boundary, got, res.Records["notes"].Deleted)
		}
	}
	if got := h.cursor("notes"); got != `{"n":2}` {
		t.Errorf("got the cursor %q, want it moved by the run within its boundary", got)
	}
}

// A list is not believed to be whole while the cursor that closes it is withheld: neither its
// stream's own, nor that of the stream that it rides, nor one that never came.
//
// Invariant 12.
func TestAWithheldCursorDeletesNothing(t *testing.T) {
	t.Parallel()
	open, whole := enumeration("open", ""), enumeration("whole", "")
	failed := "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"stream_collection_failed"}`
	for _, tc := range []struct{ name, script, stream string }{
		{"the rider's", of("riders", open+whole) + "\nemit " + badNote + state("notes", `{"n":2}`) + done(1), "riders"},
		{"the rider's, within a slice", of("riders", open+whole) + "\nemit " + badNote + slice("notes", `{"n":2}`) + done(1), "riders"},
		{"its own", open + whole + failed + state("notes", `{"n":2}`) + done(0), "notes"},
		{"that never came", open + whole + failed + done(0), "notes"},
		{"of a run that says so", open + whole + failed + state("notes", `{"n":2}`) +
			"\ndone " + `{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"stream_collection_failed","message":"m","retryable":true}}`, "notes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed("emit " + goodNote + "\nrecords riders 0 2" + state("notes", `{"n":1}`) + done(3))
			want := h.keys(tc.stream)
			res := h.mustPlay(tc.script)
			if got := h.keys(tc.stream); got != want || res.Records[tc.stream].Deleted != 0 {
				t.Errorf("got the records %q after %d deletions, want %q and none", got, res.Records[tc.stream].Deleted, want)
			}
			if got := h.cursor("notes"); got != `{"n":1}` {
				t.Errorf("got the cursor %q, want it where it was", got)
			}
		})
	}
}

// Each reason with which a record is kept back spoils the list that it was in, and no other
// reason does.
//
// AC-06, Invariant 12.
func TestARecordKeptBackSpoilsItsList(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"record_too_large": "a b", "record_key_missing": "a b", "record_key_invalid": "a b", "another": "a",
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			h.succeed(notes("a", "b") + state("notes", `{"n":1}`) + done(2))
			h.succeed(enumeration("open", "") + notes("a") + "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"` + reason + `"}` +
				enumeration("whole", "") + state("notes", `{"n":2}`) + done(1))
			if got := h.keys("notes"); got != want {
				t.Errorf("got the records %q, want %q", got, want)
			}
		})
	}
}
