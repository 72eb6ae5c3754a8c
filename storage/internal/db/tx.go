package db

import (
	"context"
	"database/sql/driver"
	"slices"
	"time"

	"github.com/uptrace/bun"
)

// Tx is one write transaction, which holds the write lock from its first statement.
// It belongs to the writer goroutine: nothing of it is used after the commit.
type Tx struct {
	DB  bun.IDB
	Ctx context.Context // never cancelled
	Now time.Time       // when the transaction began
	// Erased: something was deleted that its owner may want gone from the log, too.
	Erased bool

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

func (l *link) tx() *Tx { t := newTx(l.db, l.conn); t.link = l; return t }

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

// Exec runs the i-th of Options.Statements, which is prepared in SQLite.
func (t *Tx) Exec(i int, values ...any) (driver.Result, error) {
	if t.server != nil {
		return t.DB.ExecContext(t.Ctx, t.server.server.db.opts.Statements[i], slices.Clone(values)...)
	}
	args := &t.link.args
	for n, v := range values {
		args[n] = driver.NamedValue{Ordinal: n + 1, Value: v}
	}
	return exec(t.link.prepared[i], args[:len(values)])
}
