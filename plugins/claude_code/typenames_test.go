package main

import (
	"strings"
	"testing"
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
