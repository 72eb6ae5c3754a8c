package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04: rules are read whole, and all of a long file. One that is longer than a record may be is cut, counted,
// and its file named.
func TestLongRules(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("AGENTS.md", "- "+strings.Repeat("a", 20<<10)+"\n")
	h.write("rules/many.md", strings.Repeat("- "+strings.Repeat("b", 98)+"\n", 6000))
	h.write("rules/policy.rules", "rule(\""+strings.Repeat("c", maxContent)+"\")\n")
	first := h.collect()
	if got := len(field(first, streamRules, "rules:AGENTS.md:0", "rule_text")); got != 20<<10 {
		t.Errorf("got %d bytes of a rule, want 20 KiB", got)
	}
	if got := field(first, streamRules, "rules:many.md:5999", "rule_text"); len(got) != 98 {
		t.Errorf("got %q for the last of 6,000 rules, want it", got)
	}
	if got := first.Items(streamRules); got.Met != 6002 || got.Emitted != 6002 || got.Cut != 1 {
		t.Errorf("got %+v, want 6,002 rules, one of them cut", got)
	}
	for _, res := range []*sdktest.Result{first, h.again(first)} {
		if told(res) != longRule.Reason || string(res.Skips[0].Diagnostics) != `{"count":1,"files":["rules/policy.rules"]}` {
			t.Errorf("got %q %+v, want the file of the rule that was cut", told(res), res.Skips)
		}
	}
}

// AC-02: rules beyond those that a run takes are counted, and their file named. None that was collected before
// is deleted for that.
func TestMoreRulesThanOneRunTakes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("AGENTS.md", "- a\n- b\n- c\n")
	before := h.collect()
	h.write("rules/d.md", "- d\n- e\n")
	h.rules = 3
	first := h.collect(func(o *sdktest.Options) { o.State, o.Stored = before.Committed(), before.Stored() })
	for _, res := range []*sdktest.Result{first, h.again(first)} {
		if told(res) != leftOut.Reason || string(res.Skips[0].Diagnostics) != `{"count":2,"files":["AGENTS.md"],"places":1}` || res.File(rootHome, "AGENTS.md") != abi.FileKnown {
			t.Errorf("got %q %+v, and the file %q, want AGENTS.md named with two rules", told(res), res.Skips, res.File(rootHome, "AGENTS.md"))
		}
		if got := res.Items(streamRules); got.KeptBack != 2 || len(res.Stored()[streamRules]) != 5 {
			t.Errorf("got %+v and %d records, want two kept back, and five", got, len(res.Stored()[streamRules]))
		}
	}
	if got := field(first, streamCoverage, "coverage:rules", "status"); got != "incomplete" {
		t.Errorf("the row of rules is %s, want incomplete", got)
	}
}

// AC-04: a prompt that is cut is counted as such.
func TestALongPromptIsCounted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("prompts/a.md", strings.Repeat("a", maxContent+1))
	res := h.collect()
	if got := res.Items(streamPrompts); got.Cut != 1 || got.Met != 1 || field(res, streamPrompts, "prompts:a.md", "content_truncated") != "true" {
		t.Errorf("got %+v, want one prompt that was cut", got)
	}
}
