package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-03: a transcript that is a block of NUL, or begins like nothing that Claude Code writes, is not understood
// from the first run on.
func TestTranscriptOfNULs(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ text, want string }{
		"a block":      {strings.Repeat("\x00", 4096), abi.FileUnknown},
		"with an end":  {strings.Repeat("\x00", 4096) + "\n", abi.FileUnknown},
		"a long block": {strings.Repeat("\x00", maxLine+1), abi.FileUnknown},
		"a page":       {"<!DOCTYPE html><html></html>", abi.FileUnknown},
		"a long page":  {"<html>" + strings.Repeat("x", maxLine+1), abi.FileUnknown},
		"begun":        {userLine(two, "u9", "hello", 1)[:30], abi.FileRead},
		"empty":        {"", abi.FileRead},
	} {
		h := small()
		h.put(project+two+".jsonl", c.text)
		h[project+two+".jsonl"].ModTime = day
		first := run(t, h)
		for _, res := range []*sdktest.Result{first, again(t, first)} {
			if got := res.File(rootHome, project+two+".jsonl"); got != c.want {
				t.Errorf("%s: got %q, want %q", what, got, c.want)
			}
		}
		h.put(project+two+".jsonl", c.text+"\n"+userLine(two, "u9", "hello", 1))
		if next := again(t, first); strings.Join(next.Keys("messages"), "") != "u9" {
			t.Errorf("%s: with a line of Claude Code's got %q, want its message", what, next.Keys("messages"))
		}
	}
}

// AC-06: a block of NUL behind the last line is told at once, what is whole in front of it is collected, and what
// follows it later as well.
func TestTranscriptEndsInNULs(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{"behind a line": userLine(two, "u8", "one", 1) + "\x00\x00", "behind an object": strings.TrimSuffix(userLine(two, "u8", "one", 1), "\n") + "\x00"} {
		h := home{}
		h.put(project+two+".jsonl", text)
		h[project+two+".jsonl"].ModTime = day
		first := run(t, h)
		if got := first.File(rootHome, project+two+".jsonl"); got != abi.FileDamaged || skip(t, first, invalidLines.Reason) != 1 || strings.Join(first.Keys("messages"), "") != "u8" {
			t.Errorf("%s: got %q, %+v and the messages %q, want it damaged, and one message", what, got, first.Skips, first.Keys("messages"))
		}
		h.add(project+two+".jsonl", userLine(two, "u9", "two", 2))
		if next := again(t, first); len(next.Stored()["messages"]) != 2 || skip(t, next, invalidLines.Reason) != 1 {
			t.Errorf("%s: then got %v and %+v, want both messages, and the one report", what, next.Stored()["messages"], next.Skips)
		}
	}
}

// AC-03: a transcript to which nobody wrote for an hour, and that is empty, is told.
func TestEmptyTranscript(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]int{time.Minute: 0, 2 * time.Hour: 1} {
		h := small()
		h.put(project+two+".jsonl", "")
		h[project+two+".jsonl"].ModTime = day.Add(-age)
		first := run(t, h)
		for _, res := range []*sdktest.Result{first, again(t, first)} {
			if got := skip(t, res, emptyFiles.Reason); got != want {
				t.Errorf("%v old: got %d reports, want %d", age, got, want)
			}
		}
	}
}
