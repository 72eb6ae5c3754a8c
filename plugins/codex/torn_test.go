package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-06: a rollout that ends within a line is told in each run until the line is whole, also where
// the line is all that there is.
func TestRolloutEndsWithinALine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const id = "019ff351-7f44-75c1-9036-cf6aa5f9a601"
	told := func(res *sdktest.Result) int {
		return len(slices.DeleteFunc(slices.Clone(res.Skips), func(s abi.SkipResult) bool {
			return s.Reason != torn.Reason || string(s.RecoveryHint) != `"manual_action_required"` // no later run has the rest
		}))
	}
	long := sdktest.Epoch.Add(-48 * time.Hour)
	h.write(rolloutName(id), metaLine(id)+message(1, "user", "hello")[:20])
	h.touch(rolloutName(id), long)
	first := h.collect()
	second := h.again(first)
	if told(first) == 0 || told(second) == 0 {
		t.Errorf("got %d and %d reports, want one in each run", told(first), told(second))
	}
	h.write(rolloutName(id), metaLine(id)+message(1, "user", "hello"))
	if n := told(h.again(second)); n != 0 {
		t.Errorf("of a whole line: got %d reports, want none", n)
	}
}

// AC-06, AC-10: a last line that may still be written to is told at once, and promises nothing of a run: its
// writer alone can end it.
func TestALastLineThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", metaLine(sessionA)} {
		h := newHome(t)
		h.write(rolloutName(sessionA), before+metaLine(sessionA)[:20])
		h.touch(rolloutName(sessionA), sdktest.Epoch.Add(-time.Minute))
		res := h.collect()
		for _, s := range res.Skips {
			if s.Reason != "line_incomplete" || string(s.RecoveryHint) != `"not_retriable"` {
				t.Errorf("behind %q: got %+v, want a line that is incomplete", before, s)
			}
		}
		if len(res.Skips) == 0 || res.File(rootHome, rolloutName(sessionA)) != abi.FileRead {
			t.Errorf("behind %q: got %+v, file %q, want a word of the line, read", before, res.Skips, res.File(rootHome, rolloutName(sessionA)))
		}
	}
}

// AC-03: a file whose only line has no end and begins like none of Codex's is not understood, also while it may
// be written to.
func TestAFirstLineThatIsNone(t *testing.T) {
	t.Parallel()
	whole := strings.TrimSuffix(metaLine(sessionA), "\n")
	for text, want := range map[string]string{
		"<!DOCTYPE html><html></html>": abi.FileUnknown, "[" + whole + "]": abi.FileUnknown, "\ufeff[" + whole: abi.FileUnknown,
		whole[:20]: abi.FileRead, "\ufeff\x00 " + whole[:20]: abi.FileRead, "": abi.FileRead,
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), text)
		h.touch(rolloutName(sessionA), sdktest.Epoch.Add(-time.Minute))
		if got := h.collect().File(rootHome, rolloutName(sessionA)); got != want {
			t.Errorf("%.30q is %q, want %q", text, got, want)
		}
	}
}

// AC-06: a last line that is whole is read without its line feed, and its number is that of the file read anew.
func TestALastLineWithoutALineFeed(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"", "\ufeff"} {
		h := newHome(t)
		text := mark + metaLine(sessionA) + strings.TrimSuffix(message(1, "user", "one"), "\n")
		h.write(rolloutName(sessionA), text)
		h.touch(rolloutName(sessionA), sdktest.Epoch.Add(-48*time.Hour))
		res := h.collect()
		if keys(res, streamMessages) != "A:2" || trial.Reasons(res) != "" || res.File(rootHome, rolloutName(sessionA)) != abi.FileRead || field(res, streamSessions, sessionA, "cwd") != "/home/sam/code/app" {
			t.Fatalf("%q: got %s, %q, %v, want A:2, its session, and no word", mark, keys(res, streamMessages), trial.Reasons(res), res.File(rootHome, rolloutName(sessionA)))
		}
		if res = h.again(res); activity(res) != 0 || trial.Reasons(res) != "" {
			t.Errorf("%q: unchanged: got %v, want nothing", mark, res.All)
		}
		for i, step := range []struct{ more, want string }{
			{"\n", ""},
			{strings.TrimSuffix(message(2, "user", "two"), "\n"), "A:3"},
			{"\n" + message(3, "user", "three") + strings.TrimSuffix(message(4, "user", "four"), "\n"), "A:4 A:5"},
			{message(5, "user", "five"), "A:2 A:3 A:4 A:5 A:5.2"},
		} {
			text += step.more
			h.write(rolloutName(sessionA), text)
			if res = h.again(res); keys(res, streamMessages) != step.want || trial.Reasons(res) != "" {
				t.Errorf("%q, step %d: got %s, %q, want %s and no word", mark, i, keys(res, streamMessages), trial.Reasons(res), step.want)
			}
			if anew := h.collect(); keys(anew, streamMessages) != "A:2 A:3 A:4 A:5 A:5.2"[:min(21, []int{3, 7, 15, 21}[i])] {
				t.Errorf("%q, step %d: read anew: got %s, want the same keys", mark, i, keys(anew, streamMessages))
			}
		}
		if got := field(res, streamSessions, sessionA, "message_count"); got != "5" {
			t.Errorf("%q: the session has %s messages, want 5", mark, got)
		}
	}
}

// A fork whose parent ends without a line feed leaves the parent's last item to it.
func TestAForkOfOneWithoutALineFeed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	text := metaLine(sessionA) + message(1, "user", "one") + message(2, "assistant", "two")
	h.write(rolloutName(sessionA), strings.TrimSuffix(text, "\n"))
	h.write(rolloutName(sessionB), metaLine(sessionB)+text+message(3, "user", "three"))
	res := h.collect()
	if got := keys(res, streamMessages); got != "A:2 A:3 B:5" {
		t.Errorf("got the messages %s, want the parent's and the last one: A:2 A:3 B:5", got)
	}
}

// AC-02: a list of threads that cannot be opened for what is in it is damaged, which time does not mend. One that is
// empty is about to be written.
func TestThreadsThatAreNoDatabase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*problems.Kind{
		"SQLite format 3\x00": badThreads, "no database at all": badThreads, "SQLite format 3\x00" + strings.Repeat("\xff", 4096): badThreads, "": noThreads,
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
		h.write(stateDB, text)
		first := h.collect()
		for _, res := range []*sdktest.Result{first, h.again(first)} {
			if told(res) != want.Reason || len(res.Records(streamSessions)) != 0 {
				t.Errorf("%.20q: got %q and %d sessions, want %q, and the session waits", text, told(res), len(res.Records(streamSessions)), want.Reason)
			}
		}
		h.remove(stateDB)
		if mended := h.again(first); told(mended) != "" || len(mended.Records(streamSessions)) != 1 {
			t.Errorf("%.20q: without it: got %q and %d sessions, want the session", text, told(mended), len(mended.Records(streamSessions)))
		}
	}
}
