package room

import "testing"

// browser.max: a browser for each 2 GiB of memory, at least one, at most four; a control group
// counts with the least that it or those around it leave.
func TestRoom(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	for bytes, want := range map[uint64]int{0: 1, gib: 1, 4*gib - 1: 1, 4 * gib: 2, 7 * gib: 3, 8 * gib: 4, 512 * gib: 4} {
		if got := of(bytes); got != want {
			t.Errorf("%d bytes: got %d browsers, want %d", bytes, got, want)
		}
	}
	if n := Here(); n < 1 || n > most {
		t.Errorf("here: got %d browsers, want 1 to %d", n, most)
	}
	limits := map[string]string{"/user.slice": "6442450944\n", "/user.slice/pdpp.service": "max\n", "/": ""}
	for groups, want := range map[string]uint64{
		"0::/user.slice/pdpp.service\n": 6 * gib,
		"0::/\n":                        8 * gib,
		"0::/other\n":                   8 * gib,
		"1:memory:/user.slice\n":        8 * gib, // version 1: not read
		"2:cpu:/x\n0::/user.slice\n":    6 * gib,
		"":                              8 * gib,
		"0::no/absolute\n0::/user.slice/pdpp.service": 6 * gib,
	} {
		if got := limited(8*gib, groups, func(dir string) string { return limits[dir] }); got != want {
			t.Errorf("%q: got %d bytes, want %d", groups, got, want)
		}
	}
}
