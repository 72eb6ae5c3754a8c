package interrupt

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Stop turns Ctrl-C, SIGTERM and SIGHUP into a stop: the first cancels the
// context with run.ErrInterrupted, so that the guest winds up and the outcome is
// stored; the second ends the process at once, and its worker with it. The store
// is safe either way: the next run takes over the lease.
type Stop struct {
	signals chan os.Signal
	done    chan struct{}
	killed  func() // the last words

	mu     sync.Mutex
	first  os.Signal // the one that was heard; nil before
	onStop func()    // says on the screen that the stop was heard
	onKill func()    // puts the terminal in order
}

// Watch begins to listen, until End. killed says the last words of a process that a
// second signal ends; it is called from another goroutine while the command goes on.
func Watch(parent context.Context, killed func()) (context.Context, *Stop) {
	ctx, cancel := context.WithCancelCause(parent)
	s := &Stop{signals: make(chan os.Signal, 2), done: make(chan struct{}), killed: killed}
	signal.Notify(s.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // under nohup a run outlives its terminal
		signal.Notify(s.signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case heard := <-s.signals:
			s.call(func() func() { s.first = heard; return s.onStop })
		case <-s.done:
			cancel(nil)
			return
		}
		cancel(run.ErrInterrupted)
		select {
		case <-s.signals:
			s.call(func() func() { return s.onKill })
			s.killed()
			os.Exit(exitcode.Interrupted)
		case <-s.done:
		}
	}()
	return ctx, s
}

// During sets what a stop and a kill do besides.
func (s *Stop) During(onStop, onKill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onStop, s.onKill = onStop, onKill
}

// Terminated reports whether it was SIGTERM that was heard: what a supervisor
// sends, and no person.
func (s *Stop) Terminated() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.first == syscall.SIGTERM
}

// End stops listening.
func (s *Stop) End() {
	signal.Stop(s.signals)
	close(s.done)
}

func (s *Stop) call(which func() func()) {
	s.mu.Lock()
	f := which()
	s.mu.Unlock()
	if f != nil {
		f()
	}
}
