package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// interrupts turns Ctrl-C, SIGTERM and SIGHUP into a stop: the first cancels the
// context with run.ErrInterrupted, so that the guest winds up and the outcome is
// stored; the second ends the process at once, and its worker with it. The store
// is safe either way: the next run takes over the lease.
type interrupts struct {
	signals chan os.Signal
	done    chan struct{}
	w       io.Writer

	mu     sync.Mutex
	onStop func() // says on the screen that the stop was heard
	onKill func() // puts the terminal in order
}

func watchInterrupts(parent context.Context, w io.Writer) (context.Context, *interrupts) {
	ctx, cancel := context.WithCancelCause(parent)
	i := &interrupts{signals: make(chan os.Signal, 2), done: make(chan struct{}), w: w}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // under nohup a run outlives its terminal
		signal.Notify(i.signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case <-i.signals:
		case <-i.done:
			cancel(nil)
			return
		}
		i.call(func() func() { return i.onStop })
		cancel(run.ErrInterrupted)
		select {
		case <-i.signals:
			i.call(func() func() { return i.onKill })
			fmt.Fprintln(i.w, "stopped at once; the next run goes on from the last checkpoint")
			os.Exit(exitcode.Interrupted)
		case <-i.done:
		}
	}()
	return ctx, i
}

// during sets what a stop and a kill do besides.
func (i *interrupts) during(onStop, onKill func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.onStop, i.onKill = onStop, onKill
}

func (i *interrupts) call(which func() func()) {
	i.mu.Lock()
	f := which()
	i.mu.Unlock()
	if f != nil {
		f()
	}
}

func (i *interrupts) end() {
	signal.Stop(i.signals)
	close(i.done)
}
