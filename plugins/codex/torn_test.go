package main

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-06: a rollout that ends within a line is told in each run until the line is whole, also where
// the line is all that there is.
func TestRolloutEndsWithinALine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const id = "019ff351-7f44-75c1-9036-cf6aa5f9a601"
	told := func(res *sdktest.Result) int {
		return len(slices.DeleteFunc(slices.Clone(res.Skips), func(s abi.SkipResult) bool { return s.Reason != torn.Reason }))
	}
	long := sdktest.Epoch.Add(-48 * time.Hour)
	h.write(rolloutName(id), metaLine(id)+message(1, "user", "hello")[:20])
	h.touch(rolloutName(id), long)
	first := h.collect()
	second := h.again(first)
	if told(first) == 0 || told(second) == 0 {
		t.Errorf("got %d and %d reports, want one in each run", told(first), told(second))
	}
	h.write(rolloutName(id), metaLine(id)+message(1, "user", "hello"))
	if n := told(h.again(second)); n != 0 {
		t.Errorf("of a whole line: got %d reports, want none", n)
	}
	const page = "sessions/2026/01/02/rollout-2026-01-02T00-00-00-x.jsonl"
	h.write(page, "<!DOCTYPE html><html></html>")
	h.touch(page, long)
	if told(h.collect()) == 0 {
		t.Error("of a page in a rollout's place: got no report, want one")
	}
}
