package vault

import (
	"context"
	"sync"
	"time"
)

// line is the way to one keyring. One call at a time is on it, for as long as the
// keyring takes: a call cannot be taken back, and a keyring that hangs must not hold
// a goroutine for each time that it was asked, nor ask its owner each time.
type line struct {
	mu    sync.Mutex
	going *call // nil: the line is free
}

// lined is a keyring with the line to it.
type lined struct {
	Keyring

	line *line
}

// lineTo returns the line to k: its own, or one for this call alone.
func lineTo(k Keyring) *line {
	if l, ok := k.(lined); ok {
		return l.line
	}
	return new(line)
}

// call is one call of the keyring.
type call struct {
	do     func() answer
	asks   bool // it changes nothing: its answer is anybody's
	done   chan struct{}
	answer answer // when done is closed
}

type answer struct {
	text  string
	found bool
	err   error
}

// send makes the call once the line is free, and gives up after wait or when ctx
// ends; a call that was made goes on. A question takes the answer to one that is on
// the line already, unless it is to be fresh: what is then on the line may have been
// answered before something changed that the caller knows of.
func (l *line) send(ctx context.Context, wait time.Duration, fresh bool, c *call) answer {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for ctx.Err() == nil {
		on := l.take(c)
		select {
		case <-on.done:
			if on == c || on.asks && !fresh {
				return on.answer
			}
		case <-ctx.Done():
		}
	}
	return answer{err: context.Cause(ctx)}
}

// take puts c on the line if it is free, and returns what is on it.
func (l *line) take(c *call) *call {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.going != nil {
		return l.going
	}
	l.going, c.done = c, make(chan struct{})
	go func() {
		c.answer = c.do()
		l.mu.Lock()
		l.going = nil
		l.mu.Unlock()
		close(c.done)
	}()
	return c
}
