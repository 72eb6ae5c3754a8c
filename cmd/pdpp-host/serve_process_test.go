package main

import (
	"testing"
)

func TestProcessOf(t *testing.T) {
	t.Parallel()
	for holder, want := range map[string]string{
		"boot:4026531836:17:99": "process 17", "boot:4026531836:17:99:machine": "process 17", "laptop:17": "process 17", "gone": "as gone",
	} {
		if got := processOf(holder); got != want {
			t.Errorf("%q is told as %q, want %q", holder, got, want)
		}
	}
}
