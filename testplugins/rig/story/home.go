package story

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// top is the tree's, seen from the programs.
const top = "../.."

// Checkout is the absolute path of the tree.
func Checkout() (string, error) { return filepath.Abs(top) }

// Home makes a home with an empty plugins folder; data is its data folder.
func Home(home string) (data string, err error) {
	data = filepath.Join(home, ".local", "share", "pdpp")
	if err := os.MkdirAll(filepath.Join(data, "plugins"), 0o700); err != nil {
		return "", err
	}
	return data, ShareCache(data)
}

// ShareCache gives a data folder the compiled modules of all tests, so that each
// module is compiled once.
func ShareCache(data string) error {
	cache, err := tree.Cache()
	if err != nil {
		return err
	}
	return os.Symlink(cache, filepath.Join(data, "cache"))
}

// Source is the folder of the connector or of the guest of that name.
func Source(name string) (string, error) {
	for _, room := range []string{"plugins", "testplugins/guests"} {
		folder := path.Join(room, name)
		if _, err := os.Stat(filepath.Join(top, folder, "manifest.json")); err == nil {
			return folder, nil
		}
	}
	return "", fmt.Errorf("there is no connector and no guest %q", name)
}

// Module builds the connector or the guest of that name and returns its path.
func Module(name string) (string, error) {
	folder, err := Source(name)
	if err != nil {
		return "", err
	}
	return tree.Module(folder)
}
