package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A folder goes although files come while it is being removed.
//
//nolint:tparallel // it looks at what its subtest has left
func TestWrittenWhileItGoes(t *testing.T) {
	t.Parallel()
	var dir string
	ended := make(chan struct{})
	t.Run("writes", func(t *testing.T) {
		dir = New(t)
		begun := make(chan struct{})
		go func() {
			defer close(ended)
			for i := range 2000 {
				_ = os.Mkdir(filepath.Join(dir, strconv.Itoa(i)), 0o700) // it may be gone
				if i == 100 {
					close(begun)
				}
			}
		}()
		<-begun
	})
	<-ended
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want the folder gone", err)
	}
}
