package vault

import (
	"context"
	"sync"
	"time"
)

// line serializes the calls of one keyring. A call keeps the line until the keyring
// returns, because it cannot be cancelled: a keyring that hangs must not block one
// goroutine for each attempt, nor prompt its owner each time.
type line struct {
	mu    sync.Mutex
	going *call // nil: the line is free
}

// serializedKeyring is a keyring together with its line.
type serializedKeyring struct {
	Keyring

	line *line
}

// lineTo returns the line to k: its own, or one for this call alone.
func lineTo(k Keyring) *line {
	if l, ok := k.(serializedKeyring); ok {
		return l.line
	}
	return new(line)
}

// call is one call of the keyring.
type call struct {
	do     func() answer
	asks   bool // it changes nothing, so any caller may use its answer
	done   chan struct{}
	answer answer // set when done is closed
}

type answer struct {
	text  string
	found bool
	err   error
}

// send makes the call once the line is free, and gives up after wait or when ctx ends;
// a call that was made continues. A question uses the answer to one already on the
// line, unless fresh is set: the running question may have been answered before a
// change that the caller knows of.
func (l *line) send(ctx context.Context, wait time.Duration, fresh bool, c *call) answer {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for ctx.Err() == nil {
		on := l.acquire(c)
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

// acquire puts c on the line if it is free, and returns the call on the line.
func (l *line) acquire(c *call) *call {
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
