package main

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02: each file that the manifest does not pass over ends in one word, in the first run and in
// the next.
func TestAccounts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := rolloutName("019ff351-7f44-75c1-9036-cf6aa5f9a601")
	h.write(good, metaLine("019ff351-7f44-75c1-9036-cf6aa5f9a601")+message(1, "user", "hello"))
	h.write("sessions/2026/01/01/rollout-2025-01-01-x.json", "{}")
	h.write("sessions/2026/01/01/strange.bin", "x")
	h.write("AGENTS.md", "- be brief")
	h.write("prompts/a.md", "Do it.")
	check := func(res *sdktest.Result, when string) {
		t.Helper()
		for path, want := range map[string]string{
			good: abi.FileRead, "sessions/2026/01/01/rollout-2025-01-01-x.json": abi.FileKnown, "sessions/2026/01/01/strange.bin": abi.FileUnknown,
			"AGENTS.md": abi.FileRead, "prompts/a.md": abi.FileRead,
		} {
			if got := res.File(rootHome, path); got != want {
				t.Errorf("%s: %s: got %q, want %q", when, path, got, want)
			}
		}
	}
	first := h.collect()
	check(first, "first")
	check(h.again(first), "second")
}
