package holder

import (
	"strings"
	"testing"
)

// Invariant 2: a live holder is never taken for a dead one. Process numbers of
// another container mean nothing here.
func TestHolderAlive(t *testing.T) {
	t.Parallel()
	self := Self()
	part := strings.Split(self, ":")
	if len(part) != 5 {
		t.Fatalf("got holder %q of %d parts, want 5", self, len(part))
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
		{"another boot of a machine without a name", strings.Join([]string{"x", part[1], part[2], part[3], ""}, ":"), true},
		{"another boot, as earlier versions wrote it", strings.Join([]string{"x", part[1], part[2], part[3]}, ":"), true},
		{"another machine", strings.Join([]string{"x", part[1], part[2], part[3], "0123456789abcdef"}, ":"), true},
		{"this process, as earlier versions wrote it", strings.Join(part[:4], ":"), true},
		{"another container", strings.Join([]string{part[0], "1", "99999999", "1"}, ":"), true},
		{"unreadable", "x", true},
	} {
		if got := Alive(tc.holder); got != tc.alive {
			t.Errorf("%s: alive is %v, want %v", tc.name, got, tc.alive)
		}
		if got, want := Runs(tc.holder), strings.HasPrefix(tc.name, "this process"); got != want {
			t.Errorf("%s: runs here is %v, want %v", tc.name, got, want)
		}
	}
	if machine() == "" {
		t.Skip("LEFT OUT: this machine has no /etc/machine-id")
	}
	if Alive(with(0, "an-earlier-boot")) {
		t.Error("a holder of this machine's earlier boot is alive, want it gone")
	}
}
