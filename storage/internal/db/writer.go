package db

import (
	"errors"
	"os"
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

// Owner answers for an operation of a run, which shares its transaction with those of
// other runs. The writer goroutine alone calls its methods.
type Owner interface {
	// Admit reports why the operation may not write: the database's own error ends the
	// transaction, an *abi.Error the operation alone. It writes nothing.
	Admit(t *Tx) error
	// Refused reports whether an error of Op.Do ends this operation alone. Do returned it
	// before it had written anything.
	Refused(err error) bool
	// Settle takes the operation's end, after the commit or the rollback, and returns the
	// error that whoever waits gets. It is called once for each operation.
	Settle(err error) error
}

// Op is one operation of the queue.
type Op struct {
	Owner       Owner // nil: of the store, in a transaction of its own
	Do          func(*Tx) error
	Rows, Bytes int           // its share of a group's bounds
	Urgent      bool          // somebody waits: do not linger
	Done        chan error    // gets the operation's end; buffered; nil when nobody waits
	Slot        chan struct{} // a value is taken from it when the operation has ended; nil: none

	err  error
	fold bool // fold the log back, in no transaction
}

// writer is the one goroutine that writes. It takes everything that is queued,
// of all runs, and commits it as one transaction, so that many small operations
// share one sync of the disk. The order of the queue is kept.
type writer struct {
	db   *DB
	link session
	// erased: the log still holds the text of what was deleted. The goroutine's alone.
	erased bool
	spent  spent

	mu     sync.Mutex
	queue  []*Op
	closed bool

	wake chan struct{} // 1: the queue has something
	stop chan struct{} // closed by close: stop waiting for other processes
	done chan struct{} // closed when the goroutine has ended
}

func startWriter(d *DB) *writer {
	w := &writer{db: d, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go w.loop()
	return w
}

// Push queues operations, in order and together. It fails once the database is closed.
func (d *DB) Push(ops ...*Op) error { return d.writer.push(ops...) }

func (w *writer) push(ops ...*Op) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var refusal error
	if shown := w.db.shown.Load(); w.closed {
		refusal = errClosed
	} else if shown != nil {
		refusal = *shown
	}
	if refusal != nil {
		for _, o := range ops {
			if o.Slot != nil {
				<-o.Slot
			}
		}
		return refusal
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
func (w *writer) take(peek bool) (group []*Op, ripe bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rows, size, n := 0, 0, 0
	ripe = w.closed
	for _, o := range w.queue {
		if o.Owner == nil {
			ripe = true
			if n == 0 {
				n = 1
			}
			break
		}
		n++
		ripe = ripe || o.Urgent
		rows, size = rows+o.Rows, size+o.Bytes
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
func (w *writer) process(group []*Op) {
	err := w.transact(group)
	if abi.CodeOf(err) == abi.CodeStoreFull && !group[0].fold {
		w.giveLogBack()
	}
	w.db.note(err)
	for _, o := range group {
		if err != nil && o.err == nil {
			o.err = err
		}
		if o.Owner != nil {
			o.err = o.Owner.Settle(o.err)
		}
		if o.Slot != nil {
			<-o.Slot
		}
		if o.Done != nil {
			o.Done <- o.err
		}
	}
}

// transact writes a group. The error it returns concerns the whole transaction, nothing of
// which is durable then; an operation's own refusal is in op.err.
func (w *writer) transact(group []*Op) error {
	if err := w.connect(); err != nil {
		return err
	}
	if group[0].fold {
		err := w.link.foldLog()
		w.erased = err != nil
		return w.db.Fail("fold the log back", err)
	}
	began := time.Now() // elapsed time, not the wall clock
	err := w.begin()
	held := time.Now()
	w.spent.lockWait.Add(int64(held.Sub(began)))
	if err != nil {
		w.drop()
		return w.db.Fail("begin", err)
	}
	defer func() {
		w.spent.transactions.Add(1)
		w.spent.writing.Add(int64(time.Since(held)))
	}()
	t := w.link.tx()
	err = t.perform(group)
	if err == nil {
		err = t.runBeforeCommit()
	}
	if err == nil && t.Erased && w.db.pg == nil {
		err = t.markDeletion()
	}
	if err == nil {
		err = w.link.commit()
	}
	if err != nil {
		// After a failure of the database the connection goes as well: the next
		// one starts from a known state.
		if rollback := w.link.rollback(); rollback != nil || w.db.failed(err) {
			w.drop()
		}
		return w.db.Fail("write", err)
	}
	w.erased = w.erased || t.Erased || t.folds
	if t.Erased && w.db.pg == nil {
		w.db.overwriteSoon()
	}
	for _, fn := range t.after {
		fn()
	}
	return nil
}

func (w *writer) connect() error {
	if w.link != nil {
		return nil
	}
	dial := w.db.dialFile
	if w.db.pg != nil {
		dial = func() (session, error) { return w.db.pg.dial(w.stop) }
	}
	l, err := dial()
	if err == nil {
		w.link = l
	}
	return err
}

// begin takes the write lock. A connection that was lost while nothing was written is
// made once more.
func (w *writer) begin() error {
	err := w.link.lock(w.stop)
	if err == nil || !w.db.lost(err) {
		return err
	}
	w.drop()
	if err := w.connect(); err != nil {
		return err
	}
	return w.link.lock(w.stop)
}

// giveLogBack folds the log back on a full disk. Most of what it holds has its place in the file
// already, and the next transaction, such as a deletion, finds the room that the log took.
func (w *writer) giveLogBack() {
	if w.db.pg != nil {
		return
	}
	err := w.connect()
	if err == nil {
		err = w.link.foldLog()
	}
	if err != nil {
		w.db.opts.Logger.Debug("the log of a full disk was not folded back", "error", err)
	}
}

func (w *writer) drop() {
	if w.link != nil {
		w.link.close()
		w.link = nil
	}
}

// foldErased folds the log back where it holds what was deleted. While somebody
// reads it stays as it is until the next time, or until the last process closes
// the store, which deletes it.
func (w *writer) foldErased() {
	if !w.erased || w.link == nil {
		return
	}
	err := w.link.foldLog()
	if w.erased = err != nil; w.erased && !w.db.failed(err) && abi.CodeOf(err) != abi.CodeStoreLocked {
		w.db.opts.Logger.Warn("the store's log was not folded back", "error", err)
	}
}

// Close writes what is queued, waits for the writer and closes the file. Runs
// that did not finish keep their lease until it expires or its holder is gone.
func (d *DB) Close() error {
	d.overwriter.stop()
	if d.writer != nil {
		d.writer.close()
	}
	d.overwriter.running.Wait()
	err := errors.Join(d.Read.Close(), d.write.Close())
	if d.temporary != "" {
		err = errors.Join(err, os.RemoveAll(d.temporary))
	}
	return err
}

// perform runs the operations in order. An operation whose run may not write any more,
// and one that is refused, are found out before they write anything, so the rest of the
// group goes on; anything else ends the whole transaction.
func (t *Tx) perform(group []*Op) error {
	for _, o := range group {
		if o.Owner == nil {
			return o.Do(t) // alone in its group
		}
		if o.err = o.Owner.Admit(t); o.err != nil {
			if _, own := errors.AsType[*abi.Error](o.err); !own {
				return o.err
			}
			continue
		}
		err := o.Do(t)
		if err != nil && o.Owner.Refused(err) {
			o.err = err
		} else if err != nil {
			return err
		}
	}
	return nil
}
