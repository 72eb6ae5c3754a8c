package db

import (
	"context"
	"database/sql/driver"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// session is the writer's own connection, and the transactions on it.
type session interface {
	lock(stop <-chan struct{}) error // begins one, with the write lock
	tx() *Tx
	commit() error
	rollback() error
	foldLog() error
	close() // for good
}

// link is the session of SQLite: bun for what happens a few times a run,
// prepared driver statements for what happens to every record. Only the writer
// goroutine uses it.
type link struct {
	db   *DB
	conn bun.Conn
	raw  driver.Conn // the same connection, below database/sql

	stBegin, stCommit, stRollback driver.Stmt

	prepared []driver.Stmt // Options.Statements
	args     [8]driver.NamedValue
}

// serverSession is the session of PostgreSQL. One transaction at a time writes to a store,
// on whichever machine, as with a file: each takes the store's advisory lock before it
// reads anything. So a room may read, decide and write; and since the lock is let go by
// the commit, transactions become visible in the order of the numbers that they gave
// (FL-02).
type serverSession struct {
	server *server
	conn   bun.Conn
	raw    *pgconn.PgConn // the same connection
	xid    string         // the transaction's, to ask what became of it
}

// Tx is one write transaction, which holds the write lock from its first statement.
// It belongs to the writer goroutine: nothing of it is used after the commit.
type Tx struct {
	DB  bun.IDB
	Ctx context.Context // never cancelled
	Now time.Time       // when the transaction began
	// Erased: something was deleted that its owner may want gone from the log, too.
	Erased bool

	folds  bool           // the log has to be folded back after it
	link   *link          // nil: PostgreSQL
	server *serverSession // nil: SQLite
	newID  func() string
	states map[any]any
	before [orders][]func() error
	after  []func()
}

// Order says when a hook runs before the commit.
type Order int

// The counters of records come before the summaries that are made of them.
const (
	Counters Order = iota
	Summaries
	orders
)

func newTx(d *DB, conn bun.IDB) *Tx {
	return &Tx{DB: conn, Ctx: context.Background(), Now: d.opts.Now(), newID: d.opts.NewID, states: map[any]any{}}
}

// State returns what a room keeps in the transaction under key, made by begin when the
// room asks for it first. A key is a value of a type that the room does not export.
func State[T any](t *Tx, key any, begin func() T) T {
	if s, ok := t.states[key].(T); ok {
		return s
	}
	s := begin()
	t.states[key] = s
	return s
}

// BeforeCommit has fn run when all operations of the transaction are done: what they
// counted is written once. Hooks of one order run in the order of their registration; a
// hook may register others of a later order. An error rolls the transaction back.
func (t *Tx) BeforeCommit(order Order, fn func() error) {
	t.before[order] = append(t.before[order], fn)
}

// AfterCommit has fn run on the writer goroutine once the transaction is durable.
func (t *Tx) AfterCommit(fn func()) { t.after = append(t.after, fn) }

func (t *Tx) runBeforeCommit() error {
	for order := range orders {
		for _, fn := range t.before[order] {
			if err := fn(); err != nil {
				return err
			}
		}
	}
	return nil
}

// NewID returns an id that no row has yet.
func (t *Tx) NewID() string { return t.newID() }

// First returns a context with which every transaction of Alone runs fn before its own
// function, in the same transaction.
func First(ctx context.Context, fn func(*Tx) error) context.Context {
	return context.WithValue(ctx, firstKey{}, fn)
}

// RunFirst runs what ctx carries (First) in a transaction of another context.
func RunFirst(ctx context.Context, t *Tx) error {
	if first, ok := ctx.Value(firstKey{}).(func(*Tx) error); ok {
		return first(t)
	}
	return nil
}

// Alone runs what ctx carries (First), then fn, in a write transaction of its own, and
// waits until both are durable. When ctx ends before it began, nothing is written; once it has begun
// it is waited for, so that the caller always knows. what names the operation in an error.
func (d *DB) Alone(ctx context.Context, what string, fn func(*Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &Op{Done: make(chan error, 1), Do: func(t *Tx) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := RunFirst(ctx, t); err != nil {
			return err
		}
		return fn(t)
	}}
	if err := d.Push(o); err != nil {
		return err
	}
	return d.Fail(what, <-o.Done)
}

type firstKey struct{}
