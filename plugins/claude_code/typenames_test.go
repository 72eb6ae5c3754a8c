package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-05: the name of a line type stays what it was, whatever the lines behind it are like.
func TestTypeNamesAreKept(t *testing.T) {
	t.Parallel()
	const id = "11111111-2222-3333-4444-555555555555"
	h := small()
	var text strings.Builder
	for n := range 40 {
		text.WriteString(strings.Repeat(" ", n) + `{"type":"mood","sessionId":"` + id + `"}` + "\n" + userLine(id, "u"+strings.Repeat("x", n), strings.Repeat("hello ", n), n))
	}
	h.put("projects/p/"+id+".jsonl", text.String())
	r := run(t, h)
	want(t, r, "coverage_diagnostics", "coverage:unknown_lines", map[string]any{
		"reason": "transcripts have lines of types that this version does not know: mood",
	})
	if u := r.Items("messages").Unknown; len(u) != 1 || u[0].Name != "mood" || u[0].Count != 40 {
		t.Errorf("got %v, want mood, 40 times", u)
	}
}

// A session has the latest title that its owner gave it, else the latest of Claude Code's own; a later run changes it.
func TestTitlesOfSessions(t *testing.T) {
	t.Parallel()
	titled := func(session, kind, name string, title any) string {
		return line(map[string]any{"type": kind, name: title, "sessionId": session})
	}
	h := small()
	at := project + one + ".jsonl"
	const two = "22222222-2222-3333-4444-555555555555"
	h.put(project+two+".jsonl", userLine(two, "b1", "hello", 0))
	h.add(at, titled(one, "ai-title", "aiTitle", "Loom")+titled(one, "ai-title", "aiTitle", "Loose warp")+titled(two, "custom-title", "customTitle", "of another")+
		titled(one, "ai-title", "customTitle", "of no line")+titled(one, "custom-title", "aiTitle", "of no line")+titled(one, "tag", "customTitle", "a tag")+
		titled(one, "custom-title", "customTitle", strings.Repeat("x", maxTitle))+titled(one, "custom-title", "customTitle", 5)+titled(one, "summary", "summary", "x"))
	r := run(t, h)
	want(t, r, "sessions", one, map[string]any{"title": "Loose warp", "message_count": 2})
	want(t, r, "sessions", two, map[string]any{"title": nil})
	if u := r.Items("messages").Unknown; len(u) != 1 || u[0].Name != "title that is too long" || u[0].Count != 1 {
		t.Errorf("got %v, want the title that is too long, once", u)
	}
	h.add(at, titled(one, "custom-title", "customTitle", "Weaving")+titled(one, "ai-title", "aiTitle", "Later"))
	r = again(t, r)
	want(t, r, "sessions", one, map[string]any{"title": "Weaving", "message_count": 2})
}

// AC-05: lines of the types that Claude Code has are no unknown ones.
func TestKnownTypesOfLines(t *testing.T) {
	t.Parallel()
	if !slices.IsSorted(withoutStream) {
		t.Errorf("got %q, want them sorted", withoutStream)
	}
	h := small()
	for _, kind := range withoutStream {
		h.add(project+one+".jsonl", line(map[string]any{"type": kind, "sessionId": one}))
	}
	r := run(t, h)
	if got := trial.Reasons(r); got != "" || len(r.Items("messages").Unknown) > 0 {
		t.Errorf("got %q and %v, want none", got, r.Items("messages").Unknown)
	}
	want(t, r, "coverage_diagnostics", "coverage:other_lines", map[string]any{"reason": "no stream holds transcript lines of type " + strings.Join(withoutStream, ", ")})
}
