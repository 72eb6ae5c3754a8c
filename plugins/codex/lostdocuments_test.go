package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A document that is emptied, or that a stopped write or a failed copy filled with zeros, deletes and overwrites nothing. The run names
// it until it is whole again, or gone.
func TestDocumentsThatLostTheirTexts(t *testing.T) {
	t.Parallel()
	const policy = "prefix_rule(1)\nprefix_rule(2)\nprefix_rule(3)\n"
	for path, c := range map[string]struct{ stream, text, mended string }{
		"rules/d.rules":     {streamRules, policy, strings.Replace(policy, "3", "4", 1)},
		"rules/d.md":        {streamRules, "- one\n- two\n", "- one\n- three\n"},
		"AGENTS.md":         {streamRules, "- one\n- two\n", "- one\n- three\n"},
		"prompts/a.md":      {streamPrompts, "Ask.\n", "Ask again.\n"},
		"skills/s/SKILL.md": {streamSkills, "---\nname: s\n---\nDo.\n", "---\nname: s\n---\nDo it.\n"},
	} {
		lost := map[string]string{"empty": "", "blank": "\n \r\n", "zeros": strings.Repeat("\x00", len(c.text)), "half of it": c.text[:len(c.text)/2] + strings.Repeat("\x00", len(c.text)/2)}
		if strings.HasSuffix(path, policyExt) {
			lost["a page"] = "\n<html>Sign in</html>\n"
		}
		for what, text := range lost {
			for _, full := range []bool{false, true} {
				t.Run(fmt.Sprint(path, " ", what, " ", full), func(t *testing.T) {
					t.Parallel()
					h := newHome(t)
					h.write(path, c.text)
					first := h.collect()
					h.write(path, text)
					second := h.again(first, func(o *sdktest.Options) {
						if full {
							o.Mode = abi.ModeFullRefresh
						}
					})
					if len(second.Records(c.stream))+len(second.Gone(c.stream)) != 0 {
						t.Fatalf("got %q, and %q gone, want what was collected left as it is", second.Keys(c.stream), second.Gone(c.stream))
					}
					if told(second) != lostText.Reason || second.File("codex", path) != abi.FileDamaged {
						t.Errorf("told %q, and the file is %q, want %s, and it damaged", told(second), second.File("codex", path), lostText.Reason)
					}
					h.write(path, c.mended)
					third := h.again(second, func(o *sdktest.Options) { o.Mode = "" })
					if n := len(third.Records(c.stream)); n == 0 || n > 1 && !full || told(third) != "" {
						t.Errorf("mended: got %q, told %q, want the record that changed", third.Keys(c.stream), told(third))
					}
					h.remove(path)
					if got := len(h.again(third).Gone(c.stream)); got != len(first.Stored()[c.stream]) {
						t.Errorf("removed: got %d gone, want %d", got, len(first.Stored()[c.stream]))
					}
				})
			}
		}
	}
}

// A document with zeros is none in a first run either, and an empty one is one without a text.
func TestDocumentsWithoutATextAtFirst(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("prompts/zeros.md", strings.Repeat("\x00", 4096))
	h.write("prompts/empty.md", "")
	h.write("rules/page.rules", "<!DOCTYPE html>\n")
	first := h.collect()
	if keys(first, streamPrompts) != "prompts:empty.md" || len(first.Records(streamRules)) != 0 || told(first) != lostText.Reason {
		t.Errorf("got %q and %q, told %q, want the empty prompt alone, and the two others told", keys(first, streamPrompts), first.Keys(streamRules), told(first))
	}
	h.touch("prompts/empty.md", sdktest.Epoch.Add(-time.Minute))
	if second := h.again(first); len(second.All) != 0 || told(second) != lostText.Reason {
		t.Errorf("then got %d records, told %q, want nothing new", len(second.All), told(second))
	}
}
