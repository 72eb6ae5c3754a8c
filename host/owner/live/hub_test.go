package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// failing is a source of which one read fails, once.
type failing struct {
	mu sync.Mutex
	state
}

type state struct {
	moved          bool
	places         int64 // the newest change
	asked, callers string
	read           string // which one fails next; "": none
	failures       int
}

// now returns how things are, and fails for the read that is to fail.
func (f *failing) now(read string) (state, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	was := f.state
	if read == "moved" {
		f.moved = false
	}
	if was.read != read {
		return was, nil
	}
	f.read, f.failures = "", f.failures+1
	return was, errors.New("the store is away")
}

func (f *failing) Moved(context.Context) (bool, error) {
	s, err := f.now("moved")
	return s.moved, err
}

func (f *failing) Since(_ context.Context, place int64, limit int) (out []Change, err error) {
	s, err := f.now("changes")
	for p := place + 1; p <= s.places && len(out) < limit; p++ {
		out = append(out, Change{Place: p, ID: fmt.Sprint(p)})
	}
	return out, err
}

func (f *failing) Aged(context.Context, time.Time, time.Time, int) ([]Change, error) {
	_, err := f.now("aged")
	return nil, err
}

func (f *failing) Last(context.Context) (int64, error) {
	s, err := f.now("last")
	return s.places, err
}

func (f *failing) Questions(context.Context) (string, error) {
	s, err := f.now("questions")
	return s.asked, err
}

func (f *failing) Devices(context.Context) (string, error) {
	_, err := f.now("devices")
	return "", err
}

func (f *failing) Callers(context.Context) (string, error) {
	s, err := f.now("callers")
	return s.callers, err
}

func (f *failing) Close() error { return nil }

// began returns a hub that runs until end is called.
func began(t *testing.T, f *failing) (h *Hub, ctx context.Context, end func()) {
	t.Helper()
	h = New(f, time.Now, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Run(ctx) }()
	return h, ctx, func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the hub: got %v, want no error", err)
		}
	}
}

// OC-10, OC-15: what has changed is told, and who may watch no more is doubted, also where
// the store could not be read at that moment and nothing is written afterwards, or where more
// has changed than is read at a time.
func TestNothingThatChangedIsLost(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		read    string
		changes int64
	}{{"changes", 1}, {"questions", 1}, {"callers", 1}, {"aged", 1}, {"devices", 1}, {"", mostChanges + 1}} {
		t.Run(fmt.Sprint(tc.read, tc.changes), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				f := &failing{}
				h, ctx, end := began(t, f)
				defer end()
				w, err := h.Watch(ctx, "one", "")
				if err != nil {
					t.Fatal(err)
				}
				defer w.Close()
				f.mu.Lock()
				f.state = state{moved: true, places: tc.changes, asked: "q1", callers: "another", read: tc.read}
				f.mu.Unlock()
				time.Sleep(5 * time.Second)
				synctest.Wait()
				if s, _ := f.now(""); tc.read != "" && s.failures != 1 {
					t.Fatalf("got %d failures, want one", s.failures)
				}
				if !w.Doubted() {
					t.Error("the watcher is not doubted, want that it is")
				}
				events, err := w.Take()
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, e := range events {
					got = append(got, e.Name)
				}
				for _, want := range []string{"connection-1", fmt.Sprint("connection-", tc.changes), Questions} {
					if !slices.Contains(got, want) {
						t.Errorf("got %d events without %s, want it among them", len(got), want)
					}
				}
			})
		})
	}
}

// OC-10: whoever asks for most streams has a bounded share of them, and where all are taken the newest of
// whoever has most gives way to a caller with fewer.
func TestCallersShareTheStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h, ctx, end := began(t, &failing{})
		defer end()
		asks := func(caller string, n int) (got []*Watcher) {
			for range n {
				w, err := h.Watch(ctx, caller, "")
				if err == nil {
					got = append(got, w)
				} else if abi.CodeOf(err) != CodeFull {
					t.Fatalf("%s: got %v, want %s", caller, err, CodeFull)
				}
			}
			return got
		}
		if got := len(asks("a token", 600)); got != mostOfOne {
			t.Errorf("a token that asks 600 times: got %d streams, want %d", got, mostOfOne)
		}
		if got := len(asks("a browser", 1)); got != 1 {
			t.Errorf("a browser beside it: got %d streams, want one", got)
		}
		const others = mostWatchers/mostOfOne - 2
		var newest *Watcher
		for i := range others {
			all := asks(fmt.Sprint("program ", i), mostOfOne)
			newest = all[len(all)-1]
		}
		asks("the last", mostWatchers-h.Watching())
		if got := len(asks("another browser", 1)); got != 1 || h.Watching() != mostWatchers {
			t.Errorf("another browser where all are taken: got %d streams and %d in all, want one and %d", got, h.Watching(), mostWatchers)
		}
		_, _ = newest.Take() // that it has begun
		if _, err := newest.Take(); !errors.Is(err, ErrGaveWay) {
			t.Errorf("the newest of whoever has most: got %v, want %v", err, ErrGaveWay)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h, ctx, end := began(t, &failing{})
		defer end()
		for i := range mostWatchers + 1 {
			w, err := h.Watch(ctx, fmt.Sprint(i), "")
			if want := i == mostWatchers; (abi.CodeOf(err) == CodeFull) != want {
				t.Fatalf("caller %d, each with one stream: got %v and %v, want a refusal: %v", i, w != nil, err, want)
			}
		}
	})
}
