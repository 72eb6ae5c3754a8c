package files

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A folder with other programs' secrets is granted only to whom its owner let have
// each of them by name, however the path leads there.
func TestSecretsNeedTheOwnersWord(t *testing.T) {
	t.Parallel()
	base := folders(t, "home/.ssh/keys", "home/.mozilla/firefox/x.default", "home/notes", "home/.config/gh")
	home := filepath.Join(base, "home")
	for link, to := range map[string]string{"keys": filepath.Join(home, ".ssh", "keys"), "up": home} {
		if err := os.Symlink(to, filepath.Join(base, link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, path string
		holds      []string
	}{
		{"the place itself", "home/.ssh", []string{"~/.ssh"}},
		{"within it", "home/.ssh/keys", []string{"~/.ssh"}},
		{"through a link", "keys", []string{"~/.ssh"}},
		{"a browser's profile", "home/.mozilla/firefox/x.default", []string{"~/.mozilla"}},
		{"around some", "home/.config", []string{"~/.config/gh"}},
		{"around all", "up", []string{"~/.ssh", "~/.config/gh", "~/.mozilla"}},
		{"beside them", "home/notes", nil},
	} {
		r := &Resolver{Home: home}
		given := map[string]string{"codex": filepath.Join(base, tc.path)}
		looked, err := r.Look(codex(), given)
		if err != nil {
			t.Fatalf("got %+v, %+v, want no error", tc.name, err)
		}
		if !slices.Equal(looked[0].Secrets, tc.holds) {
			t.Errorf("%s: holds %q, want %q", tc.name, looked[0].Secrets, tc.holds)
		}
		_, err = r.Resolve(codex(), given, nil)
		if got := abi.CodeOf(err) == abi.CodeRootSecret; got != (len(tc.holds) > 0) {
			t.Errorf("%s, nothing accepted: %v, want it refused: %t", tc.name, err, len(tc.holds) > 0)
		}
		if len(tc.holds) > 1 {
			if _, err = r.Resolve(codex(), given, tc.holds[:1]); abi.CodeOf(err) != abi.CodeRootSecret {
				t.Errorf("%s, one of several accepted: %v, want %s", tc.name, err, abi.CodeRootSecret)
			}
		}
		if _, err = r.Resolve(codex(), given, tc.holds); err != nil {
			t.Errorf("%s, all accepted: %v, want it granted", tc.name, err)
		}
	}
}

// A folder that is reached by another path is the same folder.
func TestSecretsByAnotherPath(t *testing.T) {
	t.Parallel()
	base := folders(t, "home/.ssh")
	other := filepath.Join(base, "home", ".SSH")
	if _, err := os.Stat(other); err != nil {
		t.Skip("this file system tells .SSH from .ssh")
	}
	_, err := (&Resolver{Home: filepath.Join(base, "home")}).Resolve(codex(), map[string]string{"codex": other}, nil)
	if abi.CodeOf(err) != abi.CodeRootSecret {
		t.Errorf("%v, want %s", err, abi.CodeRootSecret)
	}
}

// Each of these is a place of its own: a connector that reads a folder around it has to
// be let have it.
func TestPlacesOfSecrets(t *testing.T) {
	t.Parallel()
	for _, place := range []string{
		".config/mozilla", ".librewolf", ".config/librewolf", ".config/rclone", ".cargo/credentials.toml", ".config/op", ".vault-token", ".pgpass",
		"AppData/Roaming/Microsoft/Protect", "AppData/Roaming/Microsoft/Credentials", "AppData/Local/Microsoft/Credentials",
	} {
		home := filepath.Join(folders(t, filepath.Join("home", place)), "home")
		looked, err := (&Resolver{Home: home}).Look(codex(), map[string]string{"codex": home})
		if err != nil {
			t.Fatalf("got %+v, %+v, want no error", place, err)
		}
		if want := []string{"~/" + place}; !slices.Equal(looked[0].Secrets, want) || !IsSecretPlace(want[0]) {
			t.Errorf("a home folder with %s holds %q, want %q, which goes by name", place, looked[0].Secrets, want)
		}
	}
}
