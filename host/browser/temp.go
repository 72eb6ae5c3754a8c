package browser

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pdpp-host/pdpp-host/host/browser/profile"
)

const (
	tempPattern = "pdpp-"
	heldFile    = ".held" // in a temp: its process has this file locked
	tempTries   = 5
)

// temp is a folder for one browser's files, which end with it.
type temp struct {
	path string
	held *os.File
}

// newTemp makes one in dir, and removes those that hosts have left which were killed (BR-06).
func newTemp(dir string) (*temp, error) {
	dir = short(dir)
	sweep(dir)
	for n := 0; ; n++ {
		t, err := makeTemp(dir)
		if err == nil || n == tempTries {
			return t, err
		}
	}
}

// makeTemp makes a folder and holds it. It fails where another host has taken it for one that
// was left, before it was held.
func makeTemp(dir string) (*temp, error) {
	path, err := os.MkdirTemp(dir, tempPattern)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(path, heldFile), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	t := &temp{path, f}
	free, err := profile.TryLock(f)
	if _, gone := os.Lstat(f.Name()); err == nil && (!free || gone != nil) {
		err = &fs.PathError{Op: "lock", Path: f.Name(), Err: fs.ErrExist}
	}
	if err != nil {
		return nil, errors.Join(err, t.remove())
	}
	return t, nil
}

// remove removes the folder.
func (t *temp) remove() error { return errors.Join(t.held.Close(), os.RemoveAll(t.path)) }

// sweep removes the folders in dir that were held and are no longer. It leaves those of other
// users alone, and those that look otherwise.
func sweep(dir string) {
	left, err := filepath.Glob(filepath.Join(dir, tempPattern+"*", heldFile))
	if err != nil {
		return
	}
	for _, file := range left {
		path := filepath.Dir(file)
		if !ours(path, fs.ModeDir) || !ours(file, 0) {
			continue
		}
		f, err := os.OpenFile(file, os.O_RDWR, 0) //nolint:gosec // a file of this user's
		if err != nil {
			continue
		}
		free, err := profile.TryLock(f)
		_ = f.Close() // Windows removes no file that is open
		if free && err == nil {
			_ = os.RemoveAll(path) // the next start tries it again
		}
	}
}

// short returns the folder in which a browser's own one is made: dir, or /tmp. A browser puts
// a socket below it, whose path may have 104 bytes on macOS and 108 on Linux, and ends when
// it is longer.
func short(dir string) string {
	const most = 104 - len("/pdpp-4294967295/org.chromium.Chromium.XXXXXX/SingletonSocket") - 1
	if len(dir) > most && runtime.GOOS != "windows" { // which has no such sockets
		return "/tmp"
	}
	return dir
}
