package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-07: the texts of notes, skills, commands and tool results are read in UTF-8 and UTF-16. A byte that is no
// UTF-8 is read as its character of Windows-1252, and each run names the file.
func TestEncodingsOfDocuments(t *testing.T) {
	t.Parallel()
	h := small()
	for name, text := range map[string]string{
		"skills/a/SKILL.md": "---\nname: na\xefve\n---\ncaf\xe9", "skills/b/SKILL.md": "\xff\xfec\x00a\x00f\x00\xe9\x00",
		"commands/c.md": "caf\xe9", "commands/d.md": "\ufeffcafé", project + "memory/e.md": "caf\xe9", project + one + "/tool-results/f.txt": "caf\xe9",
	} {
		h.put(name, text)
	}
	first := run(t, h)
	want(t, first, "skills", "skills:a", map[string]any{"name": "naïve", "content": "café"})
	want(t, first, "skills", "skills:b", map[string]any{"content": "café"})
	want(t, first, "slash_commands", "commands:c", map[string]any{"content": "café"})
	want(t, first, "slash_commands", "commands:d", map[string]any{"content": "café"})
	want(t, first, "memory_notes", "memory_notes:-home-ada-code-loom/e.md", map[string]any{"content": "café"})
	want(t, first, "attachments", "tool_result_file:-home-ada-code-loom/"+one+"/f.txt", map[string]any{"content_preview": "café"})
	second := again(t, first)
	emitted(t, second)
	for _, res := range []*sdktest.Result{first, second} {
		if got := skip(t, res, guessed.Reason); got != 4 {
			t.Fatalf("got %d texts told, want 4: %+v", got, res.Skips)
		}
	}
	if told := string(first.Skips[0].Diagnostics); !strings.Contains(told, "skills/a/SKILL.md") || !strings.Contains(told, "commands/c.md") || strings.Contains(told, "/b/") {
		t.Errorf("got %s, want the four named", told)
	}
}

// AC-07: what an earlier version stored of such a text is replaced, and nothing else is emitted again.
func TestTextsOfAnEarlierVersion(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("commands/a.md", "caf\xe9")
	h.put("commands/b.md", "plain")
	h.put(project+"memory/e.md", "caf\xe9")
	first := run(t, h)
	res := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
		taken := func(name string) string {
			f := h[name]
			return fmt.Sprintf("[%d,%d,%d]", len(f.Data), f.ModTime.UnixMilli(), files.Sum(sumWord, string(f.Data), fmt.Sprint(len(f.Data))))
		}
		o.State["slash_commands"] = `{"v":1,"items":{"a":` + taken("commands/a.md") + `,"b":` + taken("commands/b.md") + `}}`
		notes := `"notes":{"-home-ada-code-loom/e.md":`
		before, after, found := strings.Cut(o.State["sessions"], notes)
		if !found {
			t.Fatalf("the cursor is %s, want it to have the note", o.State["sessions"])
		}
		_, after, _ = strings.Cut(after, "}")
		o.State["sessions"] = before + notes + taken(project+"memory/e.md") + "}" + after
	}))
	emitted(t, res, "slash_commands commands:a", "memory_notes memory_notes:-home-ada-code-loom/e.md")
}
