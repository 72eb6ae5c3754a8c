package storage

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// When a group of operations becomes a transaction.
const (
	groupRows   = 5000
	groupBytes  = 4 << 20
	groupLinger = 20 * time.Millisecond  // how long the first operation waits for company
	holdAtMost  = 500 * time.Millisecond // of one transaction after the other, then
	pause       = 2 * time.Millisecond   // the lock is left alone for this long
)

// op is one operation of the queue.
type op struct {
	run    *RunWriter // nil: of the store, in a transaction of its own
	batch  *Batch     // records, or
	do     func(*tx) error
	fold   bool       // fold the log back, in no transaction
	urgent bool       // somebody waits: do not linger
	soft   bool       // when it is refused, the run may go on
	last   bool       // a failed run's own end: written although the run failed
	done   chan error // buffered; nil when nobody waits
	slot   chan struct{}

	err error
}

// writer is the one goroutine that writes. It takes everything that is queued,
// of all runs, and commits it as one transaction, so that many small operations
// share one sync of the disk. The order of the queue is kept.
type writer struct {
	s    *Store
	link *link
	// erased: the log still holds the text of what was deleted. The goroutine's alone.
	erased bool

	mu     sync.Mutex
	queue  []*op
	closed bool

	wake chan struct{} // 1: the queue has something
	stop chan struct{} // closed by close: stop waiting for other processes
	done chan struct{} // closed when the goroutine has ended
}

func startWriter(s *Store) *writer {
	w := &writer{s: s, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go w.loop()
	return w
}

// push queues operations, in order and together.
func (w *writer) push(ops ...*op) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		for _, o := range ops {
			if o.slot != nil {
				<-o.slot
			}
		}
		return errClosed
	}
	w.queue = append(w.queue, ops...)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

func (w *writer) close() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.stop)
	}
	w.mu.Unlock()
	<-w.done
}

// take removes the next group: one store operation, or runs' operations up to
// the group's bounds. ripe says that it should not wait for more.
func (w *writer) take(peek bool) (group []*op, ripe bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows, size, n := 0, 0, 0
	ripe = w.closed
	for _, o := range w.queue {
		if o.run == nil {
			ripe = true
			if n == 0 {
				n = 1
			}
			break
		}
		n++
		ripe = ripe || o.urgent
		if o.batch != nil {
			rows += o.batch.Len()
			size += o.batch.Bytes()
		}
		if rows >= groupRows || size >= groupBytes {
			ripe = true
			break
		}
	}
	if peek {
		return nil, ripe
	}
	group = append(group, w.queue[:n]...)
	rest := copy(w.queue, w.queue[n:])
	clear(w.queue[rest:])
	w.queue = w.queue[:rest]
	return group, ripe
}

func (w *writer) loop() {
	defer close(w.done)
	defer w.drop()
	defer w.foldErased()
	for {
		if !w.wait() {
			return
		}
		held := time.Now() // elapsed time, not the wall clock
		for {
			group, _ := w.take(false)
			if len(group) == 0 {
				break
			}
			w.process(group)
			if time.Since(held) > holdAtMost {
				// Another process that waits for the lock gets its turn here.
				time.Sleep(pause)
				held = time.Now()
			}
			if _, ripe := w.take(true); !ripe {
				break
			}
		}
		w.foldErased()
	}
}

// wait blocks until a group is due, and returns false when the store is closed
// and everything is written.
func (w *writer) wait() bool {
	var linger <-chan time.Time
	for {
		w.mu.Lock()
		queued, closed := len(w.queue), w.closed
		w.mu.Unlock()
		if closed {
			return queued > 0
		}
		if queued > 0 {
			if _, ripe := w.take(true); ripe {
				return true
			}
			if linger == nil {
				t := time.NewTimer(groupLinger)
				defer t.Stop()
				linger = t.C
			}
		}
		select {
		case <-w.wake:
		case <-linger:
			return true
		case <-w.stop:
		}
	}
}

// process writes a group in one transaction and answers its operations.
func (w *writer) process(group []*op) {
	err := w.transact(group)
	for _, o := range group {
		if err != nil && o.err == nil {
			o.err = err
		}
		if o.run != nil {
			o.run.settle(o)
		}
		if o.slot != nil {
			<-o.slot
		}
		if o.done != nil {
			o.done <- o.err
		}
	}
}

// transact writes a group. The error it returns is of the whole transaction,
// nothing of which is durable then; an operation's own refusal is in op.err.
func (w *writer) transact(group []*op) error {
	if w.link == nil {
		l, err := w.s.dial()
		if err != nil {
			return err
		}
		w.link = l
	}
	if group[0].fold {
		return w.s.fail("fold the log back", w.link.foldLog())
	}
	if err := w.link.lock(w.stop); err != nil {
		w.drop()
		return w.s.fail("begin", err)
	}
	t := w.link.newTx()
	err := t.perform(group)
	if err == nil {
		err = t.settle()
	}
	if err == nil {
		_, err = exec(w.link.commit, nil)
	}
	if err != nil {
		// After a failure of the database the connection goes as well: the next
		// one starts from a known state.
		if _, rollback := exec(w.link.rollback, nil); rollback != nil || primary(err) != 0 {
			w.drop()
		}
		return w.s.fail("write", err)
	}
	w.erased = w.erased || t.erased
	w.pruneAfter(t.ended)
	for r, tallies := range t.tallies {
		r.count(tallies)
	}
	return nil
}

func (w *writer) drop() {
	if w.link != nil {
		w.link.close()
		w.link = nil
	}
}

// perform runs the operations in order. A run that has lost its lease, or had
// failed before, and a gap that is refused, are found out before the operation
// writes anything, so the rest of the group goes on; anything else ends the
// whole transaction.
func (t *tx) perform(group []*op) error {
	for _, o := range group {
		if o.run == nil {
			return o.do(t) // alone in its group
		}
		if o.err = t.admit(o); o.err != nil {
			if _, own := errors.AsType[*abi.Error](o.err); !own {
				return o.err
			}
			continue
		}
		err := t.one(o)
		if o.soft && abi.CodeOf(err) == abi.CodeGapInvalid {
			o.err = err
		} else if err != nil {
			return err
		}
	}
	return nil
}

// admit says whether the run may write. What it returns is the database's error
// or the run's.
func (t *tx) admit(o *op) error {
	if err := o.run.failure(); err != nil && (!o.last || abi.CodeOf(err) == abi.CodeFenced) {
		return err
	}
	return t.verify(o.run)
}

func (t *tx) one(o *op) error {
	if o.batch == nil {
		return o.do(t)
	}
	if err := t.openTally(o.run); err != nil {
		return err
	}
	return t.putBatch(o.run, o.batch)
}

// alone runs fn in a write transaction of its own and waits until it is
// durable. When ctx ends before it began, nothing is written; once it has begun
// it is waited for, so that the caller always knows.
func (s *Store) alone(ctx context.Context, what string, fn func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &op{done: make(chan error, 1), do: func(t *tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(t)
	}}
	if err := s.writer.push(o); err != nil {
		return err
	}
	return s.fail(what, <-o.done)
}
