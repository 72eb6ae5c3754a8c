package main

import (
	"strings"
	"testing"
)

const (
	sessionC = "0199a99a-1f2e-7d40-8a6b-d0e1f2a3b4c6"
	sessionD = "0199a99a-1f2e-7d40-8a6b-d0e1f2a3b4c7"
)

func forkMeta(id, parent string) string {
	return strings.Replace(metaLine(id), `"cwd"`, `"forked_from_id":"`+parent+`","cwd"`, 1)
}

// K-06: the items of a fork that its parent has are the parent's.
func TestForkDoesNotRepeatItsParent(t *testing.T) {
	t.Parallel()
	shared := message(1, "developer", "rules") + message(2, "user", "parent prompt") + callLine(3, "c1") + outputLine(3, "c1", "out") + message(4, "assistant", "parent answer")
	own := message(20, "user", "fork prompt") + callLine(21, "c2") + outputLine(21, "c2", "out")
	for what, c := range map[string]struct{ parent, fork, messages, calls, from string }{
		"whole":                   {shared, forkMeta(sessionB, sessionA) + metaLine(sessionA) + shared + own, "A:2 A:3 A:6 B:8", "A:4 B:9", sessionA},
		"named by its meta alone": {shared, metaLine(sessionB) + metaLine(sessionA) + shared + own, "A:2 A:3 A:6 B:8", "A:4 B:9", sessionA},
		"cut behind the prompt":   {shared, forkMeta(sessionB, sessionA) + message(1, "developer", "rules") + message(2, "user", "parent prompt") + own, "A:2 A:3 A:6 B:4", "A:4 B:5", sessionA},
		"without calls":           {shared, forkMeta(sessionB, sessionA) + message(9, "developer", "rules") + message(9, "user", "parent prompt") + message(9, "assistant", "parent answer") + own, "A:2 A:3 A:6 B:5", "A:4 B:6", sessionA},
		"the parent went on":      {shared + message(8, "user", "more"), forkMeta(sessionB, sessionA) + shared + own, "A:2 A:3 A:6 A:7 B:7", "A:4 B:8", sessionA},
		"a prompt of the parent's, later": {shared + message(8, "user", "more") + message(9, "user", "again"), forkMeta(sessionB, sessionA) + shared + message(30, "user", "again"),
			"A:2 A:3 A:6 A:7 A:8 B:7", "A:4", sessionA},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(rolloutName(sessionA), metaLine(sessionA)+c.parent)
			h.write(rolloutName(sessionB), c.fork)
			first := h.collect()
			if keys(first, streamMessages) != c.messages || keys(first, streamCalls) != c.calls {
				t.Fatalf("got messages %s and calls %s, want %s and %s", keys(first, streamMessages), keys(first, streamCalls), c.messages, c.calls)
			}
			if got := field(first, streamSessions, sessionB, "forked_from_id"); got != c.from {
				t.Errorf("forked from %s, want %s", got, c.from)
			}
			if got := field(first, streamSessions, sessionB, "message_count"); got != "1" {
				t.Errorf("got a count of %s, want 1", got)
			}
			h.add(rolloutName(sessionB), message(40, "assistant", "parent answer"))
			if second := h.again(first); len(second.Records(streamMessages)) != 1 {
				t.Errorf("then %s, want the new message", keys(second, streamMessages))
			}
		})
	}
}

// A fork whose parent is gone has its items, and a fork of a fork those of neither.
func TestForksOfForks(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a, b := message(1, "user", "a"), message(2, "user", "b")
	h.write(rolloutName(sessionB), forkMeta(sessionB, sessionA)+a+b)
	h.write(rolloutName(sessionC), forkMeta(sessionC, sessionB)+a+b+message(3, "user", "c"))
	event := `{"timestamp":"` + at(1) + `","type":"event_msg","payload":{"type":"user_message","message":"a"}}` + "\n"
	h.write(rolloutName(sessionD), forkMeta(sessionD, sessionB)+event+a)
	res := h.collect()
	if got := told(res); got != "" {
		t.Errorf("told %q, want nothing: the fork's events repeat its parent's messages", got)
	}
	if got := strings.ReplaceAll(keys(res, streamMessages), sessionC, "C"); got != "B:2 B:3 C:4" {
		t.Errorf("got %s, want B:2 B:3 C:4", got)
	}
	if field(res, streamCoverage, "coverage:forked_items", "reason") != "3 items of forks are their parents', and collected there" {
		t.Errorf("got %s, want three items counted", field(res, streamCoverage, "coverage:forked_items", "reason"))
	}
}

// A copy that is not written to its end yet goes on in the next run.
func TestForkIsCopiedInTwoRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	a, b := message(1, "user", "a"), message(2, "user", "b")
	h.write(rolloutName(sessionA), metaLine(sessionA)+a+b)
	h.write(rolloutName(sessionB), forkMeta(sessionB, sessionA)+a)
	first := h.collect()
	h.add(rolloutName(sessionB), b+message(3, "user", "c"))
	if second := h.again(first); keys(second, streamMessages) != "B:4" {
		t.Errorf("got %s, want B:4", keys(second, streamMessages))
	}
}

// K-08: text that a program put into the conversation is told from what the person typed.
func TestOriginOfMessages(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ role, text, origin, request string }{
		{"user", "Please list", "person", ""},
		{"user", "<b>bold</b> question", "person", ""},
		{"user", "<skills>what are these?", "person", ""},
		{"assistant", "<environment_context>", "model", ""},
		{"developer", "<permissions>…", "program", ""},
		{"system", "x", "program", ""},
		{"tool", "x", "", ""},
		{"user", "<environment_context>\n  <cwd>/x</cwd>\n</environment_context>", "program", ""},
		{"user", "<user_instructions>\n\nbe brief\n\n</user_instructions>", "program", ""},
		{"user", "# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>\n<environment_context>\n</environment_context>", "program", ""},
		{"user", "# AGENTS.md instructions for /x\n\nbe brief", "program", ""},
		{"user", "<turn_aborted>\n", "program", ""},
		{"user", "<permissions instructions>x</permissions instructions>", "program", ""},
		{"user", "<environment_context>x</environment_context>\n\nHello", "mixed", "Hello"},
		{"user", "## My request for Codex:\nreal prompt", "mixed", "real prompt"},
		{"user", "# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nreal\nprompt\n", "mixed", "real\nprompt"},
		{"user", "# Files mentioned by the user:\n\n## a.png: /x\n\n## My request:\nreal", "mixed", "real"},
	} {
		if origin, request := originOf(c.role, []byte(c.text)); origin != c.origin || request != c.request {
			t.Errorf("%s %q: got %q and %q, want %q and %q", c.role, c.text, origin, request, c.origin, c.request)
		}
	}
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "## My request for Codex:\nreal prompt"))
	res := h.collect()
	if field(res, streamMessages, sessionA+":2", "origin") != "mixed" || field(res, streamMessages, sessionA+":2", "request") != "real prompt" {
		t.Errorf("got %+v, want the origin and the request", res.All)
	}
}
