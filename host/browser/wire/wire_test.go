package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is the browser's end: it answers a call as answer says; "" is no answer.
type scripted struct {
	answer func(id int64, method string) string
	out    chan string
	closed chan struct{}
	once   sync.Once
}

func newScripted(answer func(int64, string) string) *scripted {
	return &scripted{answer: answer, out: make(chan string, 1000), closed: make(chan struct{})}
}

func (s *scripted) Send(b []byte) error {
	var m message
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	if a := s.answer(m.ID, m.Method); a != "" {
		s.out <- a
	}
	return nil
}

func (s *scripted) Read() ([]byte, error) {
	select {
	case m := <-s.out:
		return []byte(m), nil
	case <-s.closed:
		return nil, io.EOF
	}
}

func (s *scripted) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

func silent(int64, string) string { return "" }

func TestCall(t *testing.T) {
	t.Parallel()
	s := newScripted(func(id int64, method string) string {
		switch method {
		case "Browser.getVersion":
			return fmt.Sprintf(`{"id":%d,"result":{"product":"Chrome/156.0.1"}}`, id)
		default:
			return fmt.Sprintf(`{"id":%d,"error":{"code":-32000,"message":"no such target"}}`, id)
		}
	})
	l := New(s, time.Minute)
	s.out <- `{"id":4711,"result":{}}` // nobody asked
	v, err := proto.BrowserGetVersion{}.Call(l.On(t.Context(), ""))
	if err != nil || v.Product != "Chrome/156.0.1" {
		t.Errorf("got %v, %v, want Chrome/156.0.1", v, err)
	}
	var refusal *Refusal
	if err := (proto.PageEnable{}).Call(l.On(t.Context(), "S")); !errors.As(err, &refusal) || refusal.Code != -32000 {
		t.Errorf("got %v, want the browser's refusal -32000", err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
	if _, err := (proto.BrowserGetVersion{}).Call(l.On(t.Context(), "")); abi.CodeOf(err) != abi.CodeBrowserClosed {
		t.Errorf("after the end: got %v, want %s", err, abi.CodeBrowserClosed)
	}
}

// No call is without a deadline, and none outlives the line (BR-10).
func TestACallWithoutAnAnswerEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newScripted(silent)
		l := New(s, 30*time.Second)
		began := time.Now()
		_, err := proto.BrowserGetVersion{}.Call(l.On(context.Background(), ""))
		if got := time.Since(began); abi.CodeOf(err) != abi.CodeBrowserTimeout || got != 30*time.Second {
			t.Errorf("got %v after %s, want %s after 30s", err, got, abi.CodeBrowserTimeout)
		}
		ended := make(chan error)
		go func() {
			_, err := proto.BrowserGetVersion{}.Call(l.On(context.Background(), ""))
			ended <- err
		}()
		synctest.Wait()
		_ = s.Close()
		if err := <-ended; abi.CodeOf(err) != abi.CodeBrowserClosed {
			t.Errorf("a call when the browser dies: got %v, want %s", err, abi.CodeBrowserClosed)
		}
		if len(l.pending) != 0 {
			t.Errorf("got %d calls that wait, want none", len(l.pending))
		}
		_ = l.Close()
	})
}

// Events wait in their queue, in order, while answers go past them; one too many ends the
// line, because a pause that is dropped would be a request that nobody governed (BR-07).
func TestQueues(t *testing.T) {
	t.Parallel()
	s := newScripted(func(id int64, _ string) string { return fmt.Sprintf(`{"id":%d,"result":{}}`, id) })
	l := New(s, time.Minute)
	q := l.Queue("Fetch.requestPaused", 3)
	for i := range 3 {
		s.out <- fmt.Sprintf(`{"method":"Fetch.requestPaused","sessionId":"S","params":{"n":%d}}`, i)
		s.out <- `{"method":"Page.loadEventFired"}` // nobody wants it
	}
	if _, err := (proto.BrowserGetVersion{}).Call(l.On(t.Context(), "")); err != nil {
		t.Fatalf("a call while nobody takes events: got %v, want nil", err)
	}
	for i := range 3 {
		if e := <-q; string(e.Params) != fmt.Sprintf(`{"n":%d}`, i) || e.Session != "S" {
			t.Errorf("event %d: got %q of %q", i, e.Params, e.Session)
		}
	}
	for range 4 {
		s.out <- `{"method":"Fetch.requestPaused"}`
	}
	<-l.Ended()
	if err := l.Err(); abi.CodeOf(err) != abi.CodeBrowserClosed || !strings.Contains(err.Error(), "more than can be taken in") {
		t.Errorf("got %v, want the full queue", err)
	}
	_ = l.Close()
}

// A browser that speaks nonsense is no browser (BR-16).
func TestNonsenseEndsTheLine(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "x", "[]", `{"id":"1"}`, `{"id":1e99}`, `{"method":1}`, `{"error":"x"}`, `{} {}`, "\xff"} {
		s := newScripted(silent)
		l := New(s, time.Minute)
		s.out <- text
		<-l.Ended()
		if err := l.Err(); abi.CodeOf(err) != abi.CodeBrowserClosed || !strings.Contains(err.Error(), "no message") {
			t.Errorf("%q: got %v, want that it is no message", text, err)
		}
		_ = l.Close()
	}
}

// A call whose time is over is not written: what it is for may be another's by now.
func TestACallThatIsOver(t *testing.T) {
	t.Parallel()
	s := newScripted(func(_ int64, method string) string {
		t.Errorf("got %s written, want nothing", method)
		return ""
	})
	l := New(s, time.Minute)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (proto.PageEnable{}).Call(l.On(ctx, "S")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
}
