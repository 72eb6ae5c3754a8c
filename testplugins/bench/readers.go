package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"
)

// manyReaders is how many clients read at once.
const manyReaders = 32

// memory measures what readers of pages of 100 records take together, the server and they
// themselves, over a heap that has nothing to do.
func (r *readers) memory(ctx context.Context) error {
	tokens := make([]string, manyReaders) // one token reads four times at once, at most
	for i := range tokens {
		var err error
		if tokens[i], err = r.granted(ctx, nil); err != nil {
			return err
		}
	}
	resting := heap()
	stop, most := make(chan struct{}), make(chan uint64)
	go func() {
		var peak uint64
		for look := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-stop:
				look.Stop()
				most <- peak
				return
			case <-look.C:
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		}
	}()
	var failed error
	var once sync.Once
	var all sync.WaitGroup
	for i, token := range tokens {
		all.Go(func() {
			for n := range 20 {
				if err := r.get(ctx, token, fmt.Sprintf("/v1/streams/s%d/records?limit=100", (i+n)%readStreams), nil); err != nil {
					once.Do(func() { failed = err })
				}
			}
		})
	}
	all.Wait()
	close(stop)
	row(fmt.Sprintf("%d readers at once: heap beside that at rest, MB (promised: 40, aim 20)", manyReaders), inMB(int64(<-most)-int64(resting)))
	return failed
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapInuse
}
