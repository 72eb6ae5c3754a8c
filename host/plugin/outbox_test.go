package plugin

import (
	"io"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// A worker that never reads its pipe must not make the host hold answers for it
// without end.
func TestOutboxIsBounded(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	overrun := make(chan struct{})
	o := outbox{overrun: func() { close(overrun) }}
	o.start(wire.NewWriter(w))
	for range 4 * maxOutbox {
		o.send(wire.Answer, 1, make([]byte, 64<<10))
	}
	<-overrun
	o.mu.Lock()
	held := len(o.queue)
	o.mu.Unlock()
	if held != 0 {
		t.Fatalf("%d frames are still held", held)
	}
	_ = r.Close()
	o.wait()
}
