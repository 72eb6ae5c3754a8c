//go:build unix

package plugin

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A module that everybody can write to, or that belongs to another user, is refused. A
// module that a group can write to, as a umask of 002 allows, is read, and the group
// loses that right.
func TestModuleOwnerIsChecked(t *testing.T) {
	t.Parallel()
	const another = 54321
	for name, tc := range map[string]struct {
		mode  os.FileMode
		owner int
		want  abi.Code
	}{
		"one's own": {0o600, -1, ""}, "others read it": {0o644, -1, ""},
		"a group writes": {0o664, -1, ""}, "everybody writes": {0o606, -1, abi.CodePluginUnsafe},
		"another user's": {0o600, another, abi.CodePluginUnsafe},
	} {
		path := filepath.Join(t.TempDir(), "m"+Extension)
		if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, tc.mode); err != nil {
			t.Fatal(err)
		}
		if os.Chown(path, tc.owner, -1) != nil {
			continue // only root gives a file away
		}
		if _, err := Open(path, 100); (err != nil || tc.want != "") && abi.CodeOf(err) != tc.want {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
		if info, err := os.Stat(path); tc.want == "" && (err != nil || info.Mode().Perm() != tc.mode&^0o022) {
			t.Errorf("%s: mode %v afterwards, want %v (%v)", name, info.Mode(), tc.mode&^0o022, err)
		}
	}
}
