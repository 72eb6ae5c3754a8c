package run

import (
	"strings"
	"testing"
)

// Invariant 2: a live holder is never taken for a dead one. Process numbers of
// another container mean nothing here.
func TestHolderAlive(t *testing.T) {
	t.Parallel()
	self := SelfHolder()
	part := strings.Split(self, ":")
	if len(part) != 4 {
		t.Fatalf("%q", self)
	}
	with := func(i int, s string) string {
		p := append([]string{}, part...)
		p[i] = s
		return strings.Join(p, ":")
	}
	for _, tc := range []struct {
		name, holder string
		alive        bool
	}{
		{"this process", self, true},
		{"a number used again", with(3, "1"), false},
		{"no such process", with(2, "99999999"), false},
		{"another boot", with(0, "x"), true},
		{"another container", strings.Join([]string{part[0], "1", "99999999", "1"}, ":"), true},
		{"unreadable", "x", true},
	} {
		if got := HolderAlive(tc.holder); got != tc.alive {
			t.Errorf("%s: alive = %v", tc.name, got)
		}
	}
}
