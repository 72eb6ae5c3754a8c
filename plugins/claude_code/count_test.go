package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

const renamed = "projects/-home-ada-code-loom2/"

// AC-04: a session's count is that of its messages in the store: after its project's folder got another name.
func TestCountOfAMovedProject(t *testing.T) {
	t.Parallel()
	h := small()
	first := run(t, h)
	h.add(project+one+"/subagents/agent-x.jsonl", userLine(one, "x1", "go", 12))
	first = again(t, first)
	h.move(project, renamed)
	second := again(t, first)
	emitted(t, second, "sessions "+one)
	want(t, second, "sessions", one, map[string]any{"message_count": 3, "project_path": "-home-ada-code-loom2", "project_folder": nil})
	emitted(t, again(t, second))
	h.add(renamed+one+".jsonl", userLine(one, "u9", "more", 20))
	third := again(t, second)
	emitted(t, third, "messages u9", "sessions "+one)
	want(t, third, "sessions", one, map[string]any{"message_count": 4})
	h.move(renamed, project)
	want(t, again(t, third), "sessions", one, map[string]any{"message_count": 4, "project_folder": "/home/ada/code/loom"})
}

// move gives all that lies below a folder to another one.
func (h home) move(from, to string) {
	for name, file := range h {
		if below, ok := strings.CutPrefix(name, from); ok {
			h[to+below] = file
			delete(h, name)
		}
	}
}

// AC-02: what was found in a transcript stays found when its project's folder gets another name: its lines are not
// read again.
func TestFindingsOfAMovedProject(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", line(map[string]any{"type": "novelty", "sessionId": one}))
	first := run(t, h)
	h.move(project, renamed)
	second := again(t, first)
	for _, res := range []*sdktest.Result{second, again(t, second)} {
		if got := res.File(rootHome, renamed+one+".jsonl"); got != abi.FileKnown || trial.Reasons(res) != unknownTypes.Reason {
			t.Errorf("got the file %q and %q reported, want %q and %q", got, trial.Reasons(res), abi.FileKnown, unknownTypes.Reason)
		}
	}
}

// AC-04: a session in two projects' folders, which begin alike, counts what both have once.
func TestCountOfASessionInTwoProjects(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(renamed+one+".jsonl", string(h[project+one+".jsonl"].Data)+userLine(one, "v1", "there", 5))
	h.add(project+one+".jsonl", userLine(one, "w1", "here", 6))
	r := run(t, h)
	want(t, r, "sessions", one, map[string]any{"message_count": 4})
	if n := len(r.Records("messages")); n != 4 {
		t.Errorf("got %d messages, want 4", n)
	}
}

// AC-04: the messages that a file has no more are kept, and counted.
func TestCountOfAnOverwrittenFile(t *testing.T) {
	t.Parallel()
	h := small()
	first := run(t, h)
	h.put(project+one+".jsonl", userLine(one, "other", "Another one", 30))
	second := again(t, first)
	want(t, second, "sessions", one, map[string]any{"message_count": 3, "started_at": stamp(0), "last_event_at": stamp(30)})
	h.put(project+one+".jsonl", userLine(one, "other", "Another one, changed", 30)+userLine(one, "o2", "and more", 31))
	want(t, again(t, second), "sessions", one, map[string]any{"message_count": 3})
}

// AC-04: equal messages without a uuid are as many records, in one run and in two.
func TestEqualMessagesWithoutUUID(t *testing.T) {
	t.Parallel()
	same := strings.Replace(userLine(one, "u9", "continue", 3), `"uuid":"u9"`, `"uuid":null`, 1)
	h := small()
	h.add(project+one+".jsonl", same+same+userLine(one, "u2", "x", 4))
	first := run(t, h)
	h.add(project+one+".jsonl", same)
	second := again(t, first)
	third := again(t, second)
	if n := len(first.Stored()["messages"]); n != 5 {
		t.Errorf("got %d messages, want 5", n)
	}
	if n := len(second.Stored()["messages"]); n != 6 {
		t.Errorf("then got %d messages, want 6", n)
	}
	emitted(t, third)
	want(t, second, "sessions", one, map[string]any{"message_count": 6})
	if n := len(run(t, h).Stored()["messages"]); n != 6 {
		t.Errorf("read anew: got %d messages, want 6", n)
	}
}
