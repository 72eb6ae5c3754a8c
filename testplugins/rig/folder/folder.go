package folder

import (
	"os"
	"testing"
	"time"
)

// patience is how long the last process may take to end, on a machine that is busy.
const patience = 2 * time.Minute

// New returns a folder that goes with the test, as soon as nothing writes there any more.
func New(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "pdpp-folder-") //nolint:usetesting // its removal is tried once
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) { //nolint:forbidigo // other processes' work
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(end) {
				t.Errorf("%s: got %v after %s, want it empty", dir, err, patience)
				return
			}
		}
	})
	return dir
}
