package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02: skills in folders of skills are found, and so is one without a folder. A folder that is too deep is named.
func TestSkillsInSkills(t *testing.T) {
	t.Parallel()
	h := small()
	for _, name := range []string{"SKILL.md", "a/SKILL.md", "a/b/c/SKILL.md", "skills/SKILL.md"} {
		h.put("skills/"+name, "Text of "+name)
	}
	h.put("skills/a/other.md", "no skill")
	first := run(t, h)
	got := first.Keys("skills")
	slices.Sort(got)
	if strings.Join(got, " ") != "skills:. skills:a skills:a/b/c skills:skills" || len(first.Skips) != 0 {
		t.Errorf("got %q and %+v, want four skills, and no report", got, first.Skips)
	}
	want(t, first, "skills", "skills:a/b/c", map[string]any{"name": "c", "relative_path": "skills/a/b/c/SKILL.md", "content": "Text of a/b/c/SKILL.md"})
	want(t, first, "skills", "skills:.", map[string]any{"name": "skills", "relative_path": "skills/SKILL.md", "content": "Text of SKILL.md"})
	emitted(t, again(t, first))
	h.put("skills"+strings.Repeat("/x", skillDepth+2)+"/SKILL.md", "deep")
	delete(h, "skills/a/b/c/SKILL.md")
	second := again(t, first)
	if skip(t, second, tooDeep.Reason) != 1 || strings.Join(second.Gone("skills"), " ") != "skills:a/b/c" {
		t.Errorf("got %+v and %q gone, want the deep folder told, and the nested one gone", second.Skips, second.Gone("skills"))
	}
}

// AC-02: what lies among the skills in no folder with a SKILL.md is no skill's, and is not understood.
func TestFilesOfNoSkill(t *testing.T) {
	t.Parallel()
	h := small()
	files := map[string]string{"t/skill.md": abi.FileUnknown, "v.md": abi.FileUnknown, "a/SKILL.md": abi.FileRead, "a/notes.md": "", ".system/marker": ""}
	for name := range files {
		h.put("skills/"+name, name)
	}
	res := run(t, h)
	for name, as := range files {
		if got := res.File(rootHome, "skills/"+name); got != as {
			t.Errorf("%s: got %q, want %q", name, got, as)
		}
	}
}
