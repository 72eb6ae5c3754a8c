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
				h := New(f, time.Now, slog.New(slog.DiscardHandler))
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- h.Run(ctx) }()
				defer func() {
					stop()
					if err := <-ended; err != nil {
						t.Errorf("the hub: got %v, want no error", err)
					}
				}()
				w, err := h.Watch(ctx, "")
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
