package fresh

import (
	"context"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
)

// Store puts a store at path unless a file is there, and returns the path.
func Store(t testing.TB, path string) string {
	t.Helper()
	blank.Store(t, path, func(path string) error {
		s, err := storage.Open(context.Background(), storage.Options{Path: path, Now: time.Now})
		if err != nil {
			return err
		}
		return s.Close()
	})
	return path
}
