package db

import (
	"sync/atomic"
	"time"
)

// Activity is what a database has done since it was opened, and what waits now.
type Activity struct {
	Queued       int           // operations that wait for the writer
	Transactions int64         // write transactions, committed or not
	LockWait     time.Duration // spent waiting for the write lock: another process had it
	Writing      time.Duration // spent holding it

	Readers, ReadersBusy int           // connections of the read pool: open, and in use
	ReaderWait           time.Duration // spent waiting for one of them
}

// spent counts the writer's time.
type spent struct{ transactions, lockWait, writing atomic.Int64 }

// Activity returns what the database has done. It reads memory alone.
func (d *DB) Activity() Activity {
	s := Activity{}
	if w := d.writer; w != nil {
		w.mu.Lock()
		s.Queued = len(w.queue)
		w.mu.Unlock()
		s.Transactions, s.LockWait, s.Writing = w.spent.transactions.Load(), time.Duration(w.spent.lockWait.Load()), time.Duration(w.spent.writing.Load())
	}
	p := d.Read.Stats()
	s.Readers, s.ReadersBusy, s.ReaderWait = p.OpenConnections, p.InUse, p.WaitDuration
	return s
}
