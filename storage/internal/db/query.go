package db

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"sync"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// mostPrepared bounds the statements that stay prepared: a few kilobytes each, in each connection.
const mostPrepared = 64

// prepared are the statements of a file's read pool, by their texts. They end with the pool.
type prepared struct {
	mu sync.Mutex
	by map[string]*sql.Stmt
}

// Query reads rows from the read pool. A []string or an []int64 among the values is a list, for
// IN (?). Of a file, each connection prepares a text once: that takes longer than most reads.
func (d *DB) Query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	if d.pg != nil {
		return d.Read.QueryContext(ctx, text, lists(args)...)
	}
	text, args, err := spread(text, args)
	if err != nil {
		return nil, err
	}
	st, err := d.prepare(ctx, text) //nolint:sqlclosecheck // it ends with the pool
	switch {
	case err != nil:
		return nil, err
	case st == nil:
		return d.Read.DB.QueryContext(ctx, text, args...)
	}
	return st.QueryContext(ctx, args...)
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

// prepare returns the statement of a text; nil: as many as may be are prepared.
func (d *DB) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	p := &d.prepared
	p.mu.Lock()
	st, full := p.by[text], len(p.by) >= mostPrepared
	p.mu.Unlock()
	if st != nil || full {
		return st, nil
	}
	made, err := d.Read.DB.PrepareContext(ctx, text) // without the lock: it waits for a connection
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if st = p.by[text]; st != nil || len(p.by) >= mostPrepared { // another one was quicker
		return st, made.Close() //nolint:sqlclosecheck // made here, and not used
	}
	if p.by == nil {
		p.by = map[string]*sql.Stmt{}
	}
	p.by[text] = made
	return made, nil
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
// written: SQLite plans a statement again when one takes the place of another number.
func spread(text string, args []any) (string, []any, error) {
	var b strings.Builder
	out := make([]any, 0, len(args))
	for _, arg := range args {
		part, rest, _ := strings.Cut(text, "?")
		b.WriteString(part)
		begin := len(out)
		text = rest
		switch arg := arg.(type) {
		case []string:
			out = pad(out, arg, &b)
		case []int64:
			out = pad(out, arg, &b)
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
				return "", nil, err
			}
		}
	}
	return b.String(), out, nil
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
	for n := len(list); n&(n-1) != 0; n++ {
		out = append(out, last)
	}
	return out
}
