package db

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
	"modernc.org/sqlite"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

const (
	// mostPrepared bounds the statements that stay prepared: a few kilobytes each, in each connection.
	mostPrepared = 64
	// longestPrepared is the longest list of a text that is prepared, so that lists of many lengths
	// do not take the places of other texts.
	longestPrepared = 16
	// longestPadded is the longest list that is padded: a statement has at most 32,766 marks.
	longestPadded = 1024
)

// prepared are the statements of a file's read pool, by their texts: those that were asked for
// last. They end with the pool.
type prepared struct {
	mu    sync.Mutex
	by    map[string]*statement
	asked int64
}

// statement is closed by the last of its holders: the map, and each query that begins. One that
// has begun has its rows, which database/sql lets end first.
type statement struct {
	*sql.Stmt
	last    int64 // when it was asked for, counted in queries
	holders int
}

// Query reads rows from the read pool. A []string or an []int64 among the values is a list, for
// IN (?). Of a file, each connection prepares a text once: that takes longer than most reads. A
// text with a list of more than longestPrepared is not prepared.
func (d *DB) Query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if d.pg != nil {
		return d.Read.QueryContext(ctx, text, lists(args)...)
	}
	text, args, long, err := spread(text, args)
	switch {
	case err != nil:
		return nil, err
	case long:
		return d.Read.DB.QueryContext(ctx, text, args...)
	}
	st, err := d.prepare(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(ctx, args...)
	d.prepared.release(st)
	return rows, err
}

// ScanAll reads the rows of a Query into a slice of models.
func (d *DB) ScanAll(ctx context.Context, to any, text string, args ...any) error {
	rows, err := d.Query(ctx, text, args...) //nolint:rowserrcheck // ScanRows does, and closes them
	if err != nil {
		return err
	}
	return d.Read.ScanRows(ctx, rows, to)
}

// Asked is how many queries of a file have been prepared, or found prepared.
func (d *DB) Asked() int64 {
	d.prepared.mu.Lock()
	defer d.prepared.mu.Unlock()
	return d.prepared.asked
}

// QueryRow reads one row as Query does; sql.ErrNoRows: there is none.
func (d *DB) QueryRow(ctx context.Context, text string, args []any, to ...any) (err error) {
	rows, err := d.Query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if !rows.Next() {
		return cmp.Or(rows.Err(), sql.ErrNoRows)
	}
	return rows.Scan(to...)
}

// lend is, in a statement of a file, the function that hands a value to who borrows it.
const lend = "lend"

var (
	borrowers    sync.Map // func([]byte), by number
	lastBorrower atomic.Int64
)

func init() {
	sqlite.MustRegisterFunction(lend, &sqlite.FunctionImpl{NArgs: 2, VolatileArgs: true, Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		value, _ := args[1].([]byte)
		if fn, ok := borrowers.Load(args[0]); ok {
			fn.(func([]byte))(value) //nolint:forcetypeassert // nothing else is in there
		}
		return int64(len(value)), nil
	}})
}

// Lend calls fn with each blob that a query finds in its one column, value, and reports whether it finds any. They are
// not copied: fn keeps none, and asks the store for nothing. A file takes the numbers one by one, a server as an array, $1.
func (d *DB) Lend(ctx context.Context, text string, fn func([]byte), numbers ...int64) (found bool, err error) {
	borrow := func(value []byte) {
		found = true
		fn(value)
	}
	if d.pg != nil {
		array := postgres.Ints(len(numbers))
		for _, n := range numbers {
			array.Int(n)
		}
		conn, err := d.Read.Conn(ctx)
		if err != nil {
			return false, err
		}
		err = conn.Raw(func(raw any) error {
			pg, err := postgres.Conn(raw)
			if err != nil {
				return err
			}
			return postgres.Query(ctx, pg, text, func(fields [][]byte) { borrow(fields[0]) }, array)
		})
		return found, errors.Join(err, conn.Close())
	}
	args := []any{lastBorrower.Add(1)}
	borrowers.Store(args[0], borrow)
	defer borrowers.Delete(args[0])
	for _, n := range numbers {
		args = append(args, n)
	}
	rows, err := d.Query(ctx, "SELECT "+lend+"(?, value) FROM ("+text+")", args...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() { // each was lent
	}
	return found, rows.Err()
}

// prepare returns the statement of a text, to be released.
func (d *DB) prepare(ctx context.Context, text string) (*statement, error) {
	if st := d.prepared.take(text, nil); st != nil {
		return st, nil
	}
	made, err := d.Read.DB.PrepareContext(ctx, text) // without the lock: it waits for a connection
	if err != nil {
		return nil, err
	}
	return d.prepared.take(text, &statement{Stmt: made, holders: 1}), nil
}

// take returns the statement of a text, which is made where there is none; nil: neither is there.
func (p *prepared) take(text string, made *statement) *statement {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.by[text]
	switch {
	case st == nil && made == nil:
		return nil
	case st == nil:
		p.add(text, made)
		st = made
	case made != nil: // another one was quicker
		made.leave()
	}
	p.asked++
	st.last = p.asked
	st.holders++
	return st
}

// add keeps a statement, in the place of the one that was not asked for the longest.
func (p *prepared) add(text string, st *statement) {
	if p.by == nil {
		p.by = map[string]*statement{}
	}
	if len(p.by) >= mostPrepared {
		oldest := ""
		for text, st := range p.by {
			if oldest == "" || st.last < p.by[oldest].last {
				oldest = text
			}
		}
		p.by[oldest].leave()
		delete(p.by, oldest)
	}
	p.by[text] = st
}

func (p *prepared) release(st *statement) {
	p.mu.Lock()
	defer p.mu.Unlock()
	st.leave()
}

func (st *statement) leave() {
	if st.holders--; st.holders == 0 {
		_ = st.Close() // one of a pool has no error
	}
}

// lists has a server's driver write the lists among values.
func lists(args []any) []any {
	out := make([]any, len(args))
	for i, arg := range args {
		switch list := arg.(type) {
		case []string:
			arg = bun.List(list)
		case []int64:
			arg = bun.List(list)
		}
		out[i] = arg
	}
	return out
}

// spread gives each value of a list a mark of its own in the text of a file's query. The last one
// comes as often as makes their number a power of two, so that there are few texts. 0 and 1 are
// written: SQLite plans a statement again when one takes the place of another number. So are the
// numbers of a list that is longer than may be padded. long: a list is too long to be prepared.
func spread(text string, args []any) (_ string, out []any, long bool, err error) {
	var b strings.Builder
	out = make([]any, 0, len(args))
	for _, arg := range args {
		part, rest, _ := strings.Cut(text, "?")
		b.WriteString(part)
		begin := len(out)
		text = rest
		switch arg := arg.(type) {
		case []string:
			long = long || len(arg) > longestPrepared
			out = pad(out, arg, &b)
		case []int64:
			long = long || len(arg) > longestPrepared
			if len(arg) > longestPadded {
				write(arg, &b)
			} else {
				out = pad(out, arg, &b)
			}
		case int64:
			out = number(out, arg, &b)
		case int:
			out = number(out, int64(arg), &b)
		default:
			out = append(out, arg)
		}
		if n := len(out) - begin; n > 0 {
			b.WriteString("?" + strings.Repeat(", ?", n-1))
		}
	}
	b.WriteString(text)
	for _, arg := range out {
		if text, is := arg.(string); is {
			if err := postgres.CheckText(text); err != nil {
				return "", nil, false, err
			}
		}
	}
	return b.String(), out, long, nil
}

func write(list []int64, b *strings.Builder) {
	for i, n := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(n, 10))
	}
}

func number(out []any, n int64, b *strings.Builder) []any {
	if n == 0 || n == 1 {
		b.WriteString(strconv.FormatInt(n, 10))
		return out
	}
	return append(out, n)
}

func pad[T any](out []any, list []T, b *strings.Builder) []any {
	if len(list) == 0 {
		b.WriteString("NULL") // it has nothing in it
		return out
	}
	for _, v := range list {
		out = append(out, v)
	}
	last := list[len(list)-1]
	for n := len(list); n <= longestPadded && n&(n-1) != 0; n++ {
		out = append(out, last)
	}
	return out
}
