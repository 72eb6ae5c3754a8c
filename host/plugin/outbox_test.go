package plugin

import (
	"io"
	"sync"
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
		t.Fatalf("%d frames are still held, want 0", held)
	}
	_ = r.Close()
	o.wait()
}

// Answers that are written by who has them and frames that are queued arrive all,
// each once, whoever comes first.
func TestOutboxAnswersDirectly(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	o := outbox{overrun: func() { t.Error("overrun") }}
	o.start(wire.NewWriter(w))
	const senders, each = 8, 10 // together below the queue's bound
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for i := range each {
				o.answer(uint32(1+s*each+i), []byte("answer"))
				if i == 0 {
					o.send(wire.Stop, 0, nil)
				}
			}
		})
	}
	seen := make(map[uint32]bool)
	stops := 0
	frames := wire.NewReader(r, 1<<10, fromHost)
	for len(seen) < senders*each || stops < senders {
		f, err := frames.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Kind == wire.Stop:
			stops++
		case seen[f.ID] || string(f.Payload) != "answer":
			t.Fatalf("answer %d: %q, seen %v", f.ID, f.Payload, seen[f.ID])
		default:
			seen[f.ID] = true
		}
	}
	all.Wait()
	o.stop()
	o.answer(9999, nil) // after the end: nothing, and no wait
	o.wait()
	_ = r.Close()
}
