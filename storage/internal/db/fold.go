package db

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Deleted text is overwritten where it lay (secure_delete), in pages that are freed, too. The
// write-ahead log keeps older images of the same pages until it is truncated: the writer does
// that as soon as it has nothing else to do, once something was deleted.
//
// That leaves copies. When SQLite moves rows from a full page to the pages beside it, their bytes
// stay in the unused room of the page, between its list of cells and its cells, and deleting the
// rows later does not reach them. So that room is overwritten in all pages after a deletion. The
// file's user_version is the number of the last deletion, and negative once that was done.

const (
	overwriteStep  = 256         // pages that are read at once
	overwriteDelay = time.Second // until it begins, so that one pass serves several deletions
	overwriteRest  = 100         // times as long as a pass took, until the next one begins
	// From this page number on, the first byte of a page of text can be that of a page of rows.
	// That is a file of 256 GiB, whose pages are left as they are.
	overwriteMost = 1 << 25
)

// overwriter is what overwrites unused room in the background. Its zero value has nothing to do.
type overwriter struct {
	mu      sync.Mutex
	end     context.CancelFunc // nil: nothing runs
	again   bool               // there was a deletion since the pass that runs began
	next    time.Time          // no pass begins before
	closed  bool
	running sync.WaitGroup
}

// overwriteSoon has unused room overwritten in the background.
func (d *DB) overwriteSoon() {
	o := &d.overwriter
	o.mu.Lock()
	defer o.mu.Unlock()
	o.again = true
	if o.end != nil || o.closed {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	o.end = end
	o.running.Go(func() {
		defer end()
		for wait := max(overwriteDelay, time.Until(o.next)); o.begins(ctx, wait); wait = time.Until(o.next) {
			began := time.Now() // elapsed time, not the wall clock
			err := d.overwriteUnused(ctx)
			rest := max(overwriteDelay, overwriteRest*time.Since(began))
			if err == nil {
				err = d.fold()
			}
			if err != nil && ctx.Err() == nil {
				d.opts.Logger.Debug("what was deleted is not yet overwritten everywhere", "error", err)
			}
			o.ends(time.Now().Add(rest), err != nil)
		}
	})
}

// begins waits, and reports whether there is a pass to make.
func (o *overwriter) begins(ctx context.Context, wait time.Duration) bool {
	o.mu.Lock()
	again := o.again
	if !again {
		o.end = nil
	}
	o.mu.Unlock()
	if !again {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.again = false
	return true
}

// ends says when the next pass may begin, and whether this one has to be made again.
func (o *overwriter) ends(next time.Time, again bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.next, o.again = next, o.again || again
}

// stop ends what runs, and lets nothing begin.
func (o *overwriter) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.end != nil {
		o.end()
	}
}

const readMark = "PRAGMA user_version"

// deletionMark returns the number of the last deletion; none above 0: all unused room was
// overwritten since.
func (d *DB) deletionMark(ctx context.Context) (mark int32, err error) {
	return mark, d.Read.NewRaw(readMark).Scan(ctx, &mark)
}

// markDeletion numbers a deletion, in its own transaction. No number comes again before two
// billion others, so that a pass knows whether there was a deletion since it began.
func (t *Tx) markDeletion() error {
	var last int32
	if err := t.DB.NewRaw(readMark).Scan(t.Ctx, &last); err != nil {
		return err
	}
	return t.setMark(max(1, last+1, 1-last)) // it wraps below 0
}

func (t *Tx) setMark(mark int32) error {
	_, err := t.DB.NewRaw("PRAGMA user_version = ?", mark).Exec(t.Ctx)
	return err
}

// overwriteUnused overwrites the unused room of all pages, unless that was done since the last
// deletion. A deletion meanwhile leaves the mark for the next pass.
func (d *DB) overwriteUnused(ctx context.Context) error {
	mark, err := d.deletionMark(ctx)
	var pages int64
	if err == nil {
		err = d.Read.NewRaw("PRAGMA page_count").Scan(ctx, &pages)
	}
	if mark <= 0 || err != nil {
		return err
	}
	for from := int64(1); from <= pages && pages < overwriteMost; from += overwriteStep {
		left, err := d.leftIn(ctx, from, min(from+overwriteStep-1, pages))
		if err == nil && len(left) > 0 {
			err = d.Alone(ctx, "overwrite unused room", func(t *Tx) error { return t.overwrite(left) })
		}
		if err != nil {
			return err
		}
	}
	return d.Alone(ctx, "overwrite unused room", func(t *Tx) error {
		var now int32
		err := t.DB.NewRaw(readMark).Scan(t.Ctx, &now)
		if err == nil && now == mark {
			err = t.setMark(-mark)
		}
		return err
	})
}

// leftIn returns which pages of a range have something in their unused room.
func (d *DB) leftIn(ctx context.Context, from, to int64) (left []int64, err error) {
	rows, err := d.Read.QueryContext(ctx, `WITH RECURSIVE numbers (n) AS (VALUES (?) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
		SELECT pgno, data FROM numbers CROSS JOIN sqlite_dbpage WHERE pgno = n`, from, to)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var number int64
		var page []byte
		if err := rows.Scan(&number, &page); err != nil {
			return nil, err
		}
		if len(bytes.TrimLeft(unusedRoom(page, number), "\x00")) > 0 {
			left = append(left, number)
		}
	}
	return left, rows.Err()
}

// overwrite overwrites the unused room of pages as they are now.
func (t *Tx) overwrite(numbers []int64) error {
	t.folds = true
	for _, number := range numbers {
		var page []byte
		err := t.DB.NewRaw("SELECT data FROM sqlite_dbpage WHERE pgno = ?", number).Scan(t.Ctx, &page)
		if errors.Is(err, sql.ErrNoRows) {
			continue // the file was written anew, without free pages
		}
		if err != nil {
			return err
		}
		clear(unusedRoom(page, number))
		if _, err := t.DB.NewRaw("UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?", page, number).Exec(t.Ctx); err != nil {
			return err
		}
	}
	return nil
}

// unusedRoom returns the part of a page between its list of cells and its cells; nil: it is not
// a page of a table or an index. Source: the SQLite database file format, section 1.6.
func unusedRoom(page []byte, number int64) []byte {
	head := 0
	if number == 1 {
		head = 100 // the file's own
	}
	if len(page) < head+12 {
		return nil
	}
	list := head + 8
	switch page[head] {
	case 2, 5: // an inner page
		list += 4
	case 10, 13: // a leaf
	default:
		return nil
	}
	from, to := list+2*int(binary.BigEndian.Uint16(page[head+3:])), int(binary.BigEndian.Uint16(page[head+5:]))
	if from > to || to > len(page) {
		return nil
	}
	return page[from:to]
}

// FoldLog waits until unused room is overwritten, and then until the log is folded back, each for
// as long as a write waits for other processes. The background does what is left then: what
// was asked for is durable.
func (d *DB) FoldLog(ctx context.Context) error {
	if d.pg == nil {
		own, end := context.WithTimeout(context.Background(), d.opts.BusyTimeout) // ctx may have more to do in its transactions
		defer context.AfterFunc(ctx, end)()
		if err := d.overwriteUnused(own); err != nil {
			d.opts.Logger.Warn("copies of what was deleted are still in the store's file: they are overwritten in the background", "error", err)
		}
		end()
	}
	for start := time.Now(); ; { // elapsed time, not the wall clock
		err := d.fold()
		if abi.CodeOf(err) != abi.CodeStoreLocked {
			return err
		}
		if time.Since(start) > d.opts.BusyTimeout {
			d.opts.Logger.Warn("another process reads the store: its log keeps what was deleted until that ends")
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// fold has the writer fold the log back.
func (d *DB) fold() error {
	o := &Op{fold: true, Done: make(chan error, 1)}
	if err := d.Push(o); err != nil {
		return err
	}
	return <-o.Done
}

// foldLeft goes on with what another process left: one that was killed between a deletion and the
// fold leaves what it deleted in the file and in the log. While somebody reads the store it is
// left to the background.
func (d *DB) foldLeft() {
	mark, err := d.deletionMark(context.Background())
	if _, log := d.Size(context.Background()); log > 0 && err == nil {
		err = d.fold()
	}
	if mark > 0 || err != nil {
		d.overwriteSoon()
	}
}

// Vacuum writes the file anew, without free pages, and empties its log.
func (d *DB) Vacuum(ctx context.Context) error {
	if d.pg != nil {
		return d.pg.vacuum(ctx)
	}
	pool, err := d.pool(1, d.dsn("WAL", d.writerPragmas()...))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM")
	if err = errors.Join(err, pool.Close()); err != nil {
		return d.Fail("compact", err)
	}
	return d.FoldLog(ctx)
}

// Size returns the bytes of the file and of its log.
func (d *DB) Size(ctx context.Context) (file, log int64) {
	if d.pg != nil {
		return d.pg.size(ctx), 0
	}
	if info, err := os.Stat(d.Path); err == nil {
		file = info.Size()
	}
	if info, err := os.Stat(d.Path + "-wal"); err == nil {
		log = info.Size()
	}
	return file, log
}

// vacuum writes the store's tables anew, without room for rows that are gone.
func (p *server) vacuum(ctx context.Context) error {
	pool := p.pool(1, false)
	var names []string
	err := pool.NewRaw("SELECT quote_ident(relname) FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 1").Scan(ctx, &names)
	for _, name := range names {
		if err == nil {
			_, err = pool.ExecContext(ctx, "VACUUM (FULL, ANALYZE) "+name) //nolint:gosec // a table's own, quoted
		}
	}
	return p.db.Fail("compact", errors.Join(err, pool.Close()))
}

// size returns the bytes of the store's tables with their indexes.
func (p *server) size(ctx context.Context) (n int64) {
	_ = p.db.Read.NewRaw("SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(ctx, &n)
	return n
}
