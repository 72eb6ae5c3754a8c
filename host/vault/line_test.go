package vault

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a keyring whose calls are answered by hand.
type slow struct {
	mu    sync.Mutex
	calls []*slowCall // in the order in which they came
}

type slowCall struct {
	set    string // "": a question
	answer chan string
}

func (s *slow) on(set string) string {
	c := &slowCall{set, make(chan string)}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	s.mu.Unlock()
	return <-c.answer
}

// made returns the calls so far.
func (s *slow) made() []*slowCall {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *slow) Get() (string, bool, error) { text := s.on(""); return text, text != "", nil }
func (s *slow) Set(text string) error      { return errors.New(s.on(text)) }

// A keyring that hangs is asked once and not at every pass: the questions after it
// wait for its answer and no longer than they would for their own.
func TestAKeyringThatHangsIsAskedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := new(slow)
		ring := serializedKeyring{k, new(line)}
		for range 5 {
			begin := time.Now()
			if _, _, err := readKeyring(t.Context(), ring, shortWait, false); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != shortWait {
				t.Errorf("%v after %s, want errors.Is(err, context.DeadlineExceeded) && time.Since(begin) == shortWait", err, time.Since(begin))
			}
		}
		if len(k.made()) != 1 {
			t.Errorf("asked %d times, want 1", len(k.made()))
		}
		// Every caller that still waits when it answers gets the answer.
		got := make(chan string, 3)
		for range cap(got) {
			go func() {
				text, _, err := readKeyring(t.Context(), ring, longWait, false)
				if err != nil {
					t.Error(err)
				}
				got <- text
			}()
		}
		synctest.Wait()
		k.made()[0].answer <- "key"
		for range cap(got) {
			if text := <-got; text != "key" {
				t.Errorf(`it got %q, want "key"`, text)
			}
		}
		// And a later question is a new one.
		go func() { text, _, _ := readKeyring(t.Context(), ring, longWait, false); got <- text }()
		synctest.Wait()
		if len(k.made()) != 2 {
			t.Fatalf("asked %d times, want 2", len(k.made()))
		}
		k.made()[1].answer <- "another"
		if text := <-got; text != "another" {
			t.Errorf(`it got %q, want "another"`, text)
		}
	})
}

// A question that is to be fresh, and a change, wait for what is on the line and then
// go over it themselves: the answer to an earlier question may be older than a key
// that another process has made since.
func TestFreshQuestionsAndChangesTakeNoOtherAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := new(slow)
		ring := serializedKeyring{k, new(line)}
		var mu sync.Mutex
		var got []string
		take := func() []string {
			mu.Lock()
			defer mu.Unlock()
			all := got
			got = nil
			return all
		}
		note := func(who string, do func() (string, error)) {
			go func() {
				text, err := do()
				if err != nil {
					text = err.Error()
				}
				mu.Lock()
				defer mu.Unlock()
				got = append(got, who+" "+text)
			}()
			synctest.Wait()
		}
		ask := func(fresh bool) func() (string, error) {
			return func() (string, error) {
				text, _, err := readKeyring(t.Context(), ring, longWait, fresh)
				return text, err
			}
		}
		note("first", ask(false))
		note("fresh", ask(true))
		k.made()[0].answer <- "old"
		synctest.Wait()
		note("joins", ask(false)) // the fresh one
		k.made()[1].answer <- "new"
		synctest.Wait()
		all := take()
		slices.Sort(all) // two had one answer
		if want := []string{"first old", "fresh new", "joins new"}; !slices.Equal(all, want) {
			t.Errorf("got %q, want %q", all, want)
		}
		note("asks", ask(false))
		note("sets", func() (string, error) { return "", writeKeyring(t.Context(), ring, "key", longWait) })
		if len(k.made()) != 3 {
			t.Errorf("%d calls, one of them beside another, want 3", len(k.made()))
		}
		k.made()[2].answer <- "none"
		synctest.Wait()
		note("waits", ask(false))
		if len(k.made()) != 4 || k.made()[3].set != "key" {
			t.Fatalf(`%d calls, want len(k.made()) == 4 && k.made()[3].set == "key"`, len(k.made()))
		}
		k.made()[3].answer <- "is set"
		synctest.Wait()
		k.made()[4].answer <- "key"
		synctest.Wait()
		all = take()
		if want := []string{"asks none", "sets is set", "waits key"}; !slices.Equal(all, want) {
			t.Errorf("got %q, want %q", all, want)
		}
	})
}

// hooked calls its hook, once, when it is asked whether it has ended: Open does so
// when it has looked for the key.
type hooked struct {
	context.Context //nolint:containedctx // it is one

	hook func()
}

func (h *hooked) Err() error {
	if h.hook != nil {
		h.hook()
		h.hook = nil
	}
	return h.Context.Err()
}

// A key that another process made first is not replaced, although a question that was
// asked before it did so is answered without one.
func TestAKeyOfAnotherProcessIsNotReplaced(t *testing.T) {
	t.Parallel()
	other, dir := open(t).identity.String(), t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		k := new(slow)
		ring := serializedKeyring{k, new(line)}
		early := func() {
			lineTo(ring).acquire(&call{asks: true, do: func() answer { return answer{text: k.on(""), found: false} }})
		}
		opened := make(chan string, 1)
		go func() {
			v, err := Open(&hooked{t.Context(), early}, Options{Dir: dir, Mode: ModeKeyring, Keyring: ring, Create: true})
			if err != nil {
				t.Error(err)
				return
			}
			opened <- v.identity.String()
		}()
		synctest.Wait()
		k.made()[0].answer <- "" // its first look
		synctest.Wait()
		k.made()[1].answer <- "" // the early question, on the line when it looks again
		synctest.Wait()
		if c := k.made()[2]; c.set != "" {
			t.Error("it sets a key of its own")
			c.answer <- "no"
		} else {
			c.answer <- other
		}
		synctest.Wait()
		select {
		case key := <-opened:
			if key != other {
				t.Error("it is another key")
			}
		default:
			t.Error("it was not opened")
			for _, c := range k.made()[3:] {
				c.answer <- other
			}
		}
	})
}

// The keyring of a session is asked over one line, whoever gets it and when.
func TestASessionHasOneKeyring(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+t.TempDir())
	s := new(Session)
	a, b := s.Keyring(), s.Keyring()
	if a == nil || lineTo(a) != lineTo(b) || lineTo(a) == lineTo(new(Session).Keyring()) {
		t.Errorf("%v and %v, want a != nil && lineTo(a) == lineTo(b) && lineTo(a) != lineTo(new(Session).Keyring())", a, b)
	}
}
