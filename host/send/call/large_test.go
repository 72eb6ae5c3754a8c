package call

import (
	"context"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowBody is a body of 2 MiB that comes in small parts, and says how many like
// it are read beyond what is held freely at the same time.
type slowBody struct {
	n        int
	beyond   bool
	now, max *atomic.Int64
}

func (s *slowBody) Read(p []byte) (int, error) {
	if s.n >= 2<<20 {
		return 0, io.EOF
	}
	if s.n > heldFreely && !s.beyond {
		s.beyond = true
		s.max.Store(max(s.max.Load(), s.now.Add(1)))
	}
	time.Sleep(time.Millisecond)
	n := min(len(p), 64<<10, 2<<20-s.n)
	s.n += n
	return n, nil
}

func (s *slowBody) Close() error {
	if s.beyond {
		s.now.Add(-1)
	}
	return nil
}

type bodies func() io.ReadCloser

func (b bodies) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: -1, Body: b()}, nil
}

// However many large answers a guest asks for at once, the host holds two, also
// while nobody takes them; all of them arrive, and one that is given up leaves its place.
func TestLargeAnswersAreFewAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var now, most atomic.Int64
		b := newBed(t, func(o *Options) {
			o.Transport = bodies(func() io.ReadCloser { return &slowBody{now: &now, max: &most} })
		})
		var whole, handing, mostHanding atomic.Int64
		ask := func(ctx context.Context) func() {
			return func() {
				b.Do(ctx, []byte(`{"url":"`+api+`"}`), func(answer []byte) {
					if r := decoded(t, answer); len(r.body) == 2<<20 {
						mostHanding.Store(max(mostHanding.Load(), handing.Add(1)))
						time.Sleep(time.Second) // a worker that does not read
						handing.Add(-1)
						whole.Add(1)
					}
				})
			}
		}
		var all sync.WaitGroup
		for range 16 {
			all.Go(ask(t.Context()))
		}
		given, giveUp := context.WithCancel(t.Context())
		for range 4 {
			all.Go(ask(given))
		}
		time.Sleep(20 * time.Millisecond)
		giveUp()
		all.Wait()
		if most := mostHanding.Load(); most > mostLarge {
			t.Errorf("%d are handed over at a time, want most <= mostLarge", most)
		}
		if whole.Load() < 16 || most.Load() != mostLarge || len(b.wire.large) != 0 {
			t.Errorf("%d arrived, %d at a time, %d places are not given back, want whole.Load() >= 16 && most.Load() == mostLarge && len(b.wire.large) == 0", whole.Load(), most.Load(), len(b.wire.large))
		}
	})
}
