package tree

import (
	"os"
	"path/filepath"
	"sync"
)

// own is the test binary's folder.
var own struct {
	once sync.Once
	dir  string
	err  error
}

const cacheName = "cache"

func folder() (string, error) {
	own.once.Do(func() {
		if own.dir, own.err = os.MkdirTemp("", "pdpp-tests-"); own.err == nil {
			own.err = os.Mkdir(filepath.Join(own.dir, cacheName), 0o700)
		}
	})
	return own.dir, own.err
}

// Cache is the folder of compiled modules that all tests of a test binary share.
func Cache() (string, error) {
	dir, err := folder()
	return filepath.Join(dir, cacheName), err
}

// Remove deletes everything that was built. No test may be running.
func Remove() {
	if own.dir != "" {
		_ = os.RemoveAll(own.dir) // a temporary folder
	}
}
