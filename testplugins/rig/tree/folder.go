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

// sharedEnv names a folder that the test binaries of one test run share: what one has built and
// compiled, the others have. It holds for one state of the tree. Without it each builds anew.
const sharedEnv = "PDPP_TEST_BUILT"

// Folder is the test binary's own folder for what it builds.
func Folder() (string, error) {
	own.once.Do(func() {
		if own.dir, own.err = os.MkdirTemp("", "pdpp-tests-"); own.err == nil {
			own.err = os.Mkdir(filepath.Join(own.dir, cacheName), 0o700)
		}
	})
	return own.dir, own.err
}

// Cache is the folder of compiled modules that all tests of a test binary share, or of a test run.
func Cache() (string, error) {
	if shared := os.Getenv(sharedEnv); shared != "" {
		dir := filepath.Join(shared, cacheName)
		return dir, os.MkdirAll(dir, 0o700) //nolint:gosec // the folder is the test run's
	}
	dir, err := Folder()
	return filepath.Join(dir, cacheName), err
}

// Remove deletes everything that was built. No test may be running.
func Remove() {
	if own.dir != "" {
		_ = os.RemoveAll(own.dir) // a temporary folder
	}
}
