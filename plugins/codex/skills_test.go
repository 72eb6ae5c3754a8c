package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02: skills in folders of skills are found, and a folder that is too deep is named.
func TestSkillsInSkills(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("skills/a/b/c/d/e/SKILL.md", "nested")
	first := h.collect()
	if got := strings.Join(first.Keys(streamSkills), " "); got != "skills:a/b/c/d/e" || told(first) != "" {
		t.Errorf("got %q and %q, want the skill, and no report", got, told(first))
	}
	deep := "skills" + strings.Repeat("/x", skillDepth)
	h.write(deep+"/SKILL.md", "deep")
	second := h.again(first)
	if told(second) != tooDeep.Reason || !strings.Contains(string(second.Skips[0].Diagnostics), deep) {
		t.Errorf("got %q %+v, want the folder named", told(second), second.Skips)
	}
	h.remove("skills/a/b")
	if got := strings.Join(h.again(second).Gone(streamSkills), " "); got != "skills:a/b/c/d/e" {
		t.Errorf("got %q gone, want the nested one", got)
	}
}

// AC-02: what lies among the skills in no folder with a SKILL.md is no skill's, and is not understood.
func TestFilesOfNoSkill(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	files := map[string]string{"t/skill.md": abi.FileUnknown, "v.md": abi.FileUnknown, "a/SKILL.md": abi.FileRead, "a/notes.md": "", ".system/marker": ""}
	for name := range files {
		h.write("skills/"+name, name)
	}
	res := h.collect()
	for name, as := range files {
		if got := res.File(rootHome, "skills/"+name); got != as {
			t.Errorf("%s: got %q, want %q", name, got, as)
		}
	}
}
