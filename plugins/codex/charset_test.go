package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-07: the texts of rules, prompts and skills are read in UTF-8 and UTF-16. A byte that is no UTF-8 is read as
// its character of Windows-1252, and each run names the file.
func TestEncodingsOfDocuments(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for name, text := range map[string]string{
		"AGENTS.md": "caf\xe9", "rules/b.md": "\xff\xfec\x00a\x00f\x00\xe9\x00", "rules/c.md": "\ufeffcafé", "prompts/d.md": "---\ndescription: na\xefve\n---\ncaf\xe9",
		"skills/e/SKILL.md": "\xfe\xff\x00c\x00a\x00f\x00\xe9",
	} {
		h.write(name, text)
	}
	first := h.collect()
	for _, c := range []struct{ stream, key, field, want string }{
		{streamRules, "rules:AGENTS.md:0", "rule_text", "café"}, {streamRules, "rules:b.md:0", "rule_text", "café"}, {streamRules, "rules:c.md:0", "rule_text", "café"},
		{streamPrompts, "prompts:d.md", "content", "café"}, {streamPrompts, "prompts:d.md", "description", "naïve"}, {streamSkills, "skills:e", "content", "café"},
	} {
		if got := field(first, c.stream, c.key, c.field); got != c.want {
			t.Errorf("%s: got the %s %q, want %q", c.key, c.field, got, c.want)
		}
	}
	second := h.again(first)
	for _, res := range []*sdktest.Result{first, second} {
		if told(res) != guessed.Reason || string(res.Skips[0].Diagnostics) != `{"count":2,"files":["prompts/d.md","AGENTS.md"]}` && string(res.Skips[0].Diagnostics) != `{"count":2,"files":["AGENTS.md","prompts/d.md"]}` {
			t.Errorf("got %q %+v, want the two files named", told(res), res.Skips)
		}
		if got := res.File(rootHome, "AGENTS.md"); got != abi.FileRead {
			t.Errorf("AGENTS.md: got %q, want read", got)
		}
	}
	if len(second.All) != 0 {
		t.Errorf("the next run emitted %v, want nothing", second.All)
	}
}
