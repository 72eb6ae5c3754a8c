package browser

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// T15: a version below the oldest one is refused, and so is what tells none.
func TestTooOld(t *testing.T) {
	t.Parallel()
	for product, refused := range map[string]bool{
		"Chrome/156.0.8078.79": false, "Chrome/120.0": false, "Chrome/119.9.9": true, "Chrome/": true, "Chrome": true, "": true, "Chrome/x.1": true,
	} {
		if err := tooOld(product); (err != nil) != refused || refused && abi.CodeOf(err) != abi.CodeBrowserTooOld {
			t.Errorf("%q: got %v, want it refused: %t", product, err, refused)
		}
	}
}

// A long TMPDIR, as macOS and test programs have it, leaves no room for the path of a
// browser's socket, and the browser would end at once.
func TestShort(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{
		"/tmp": "/tmp", "/var/tmp": "/var/tmp", "/run/user/1000": "/run/user/1000",
		"/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T": "/tmp", strings.Repeat("/x", 60): "/tmp",
	} {
		if got := short(dir); got != want {
			t.Errorf("%s: got %s, want %s", dir, got, want)
		}
	}
}

// RT-04.1, RT-04.2: a profile is called by its connector, and by its connection, so that two
// accounts of one connector share none; the name is the same each time, and one that a profile may have.
func TestProfileOf(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, connector := range []string{"shop", strings.Repeat("x", 80)} {
		for _, connection := range []string{"con_1", "con_2"} {
			name := ProfileOf(connector, connection)
			if seen[name] || name != ProfileOf(connector, connection) || !strings.HasPrefix(name, connector[:4]) || len(name) > 64 {
				t.Errorf("%s of %s: got %q, want a name of its own, that begins with the connector's", connection, connector, name)
			}
			seen[name] = true
		}
	}
}
