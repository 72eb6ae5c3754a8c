package read

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// RD-27.8: while a server indexes, a record is in the index within two seconds, without a read that
// asks for it.
func TestRecordsAreIndexedSoon(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(t, "c")
		ctx, stop := context.WithCancel(t.Context())
		var indexing sync.WaitGroup
		indexing.Go(func() { s.Index.Run(ctx, func(err error) { t.Error(err) }) })
		for _, key := range []string{"a", "b"} { // one that it finds at its start, and one behind it
			s.put("c", "notes", key, `{"id":"a"}`)
			time.Sleep(2 * time.Second)
			synctest.Wait()
			at, err := s.Store.Position(t.Context())
			s.ok(err)
			if at.Indexed != at.Last || at.Last == 0 {
				t.Errorf("two seconds behind record %s: got change %d indexed, want %d, the last", key, at.Indexed, at.Last)
			}
		}
		stop()
		indexing.Wait()
	})
}
