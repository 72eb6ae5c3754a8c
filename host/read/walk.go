package read

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Rows of a walk are read in chunks, which grow while few of them are shown.
const (
	leastChunk = 16
	mostChunk  = 1000
	chunkBytes = 4 << 20 // of all walks or feeds of a request together; one row more fits in each
)

// walk goes through the records of one source that a list shows, in its order.
type walk struct {
	store      *storage.Store
	source     *source
	reader     *Reader     // nil: a record may be newer than the index
	shown      *projection // of the rows
	where      []condition
	emitted    bool // by when they were emitted
	descending bool
	from, to   []byte // bounds of the cursor field; nil: none

	within *storage.ReadTimes // that its records are found by; nil: they are found in its order

	after   *storage.ReadPlace            // the last that was read; nil: at the beginning
	at      bool                          // begin at after, and not behind it
	past    map[string][]storage.ReadPast // of the rows that are ahead
	share   int                           // rows of the first chunk; 0: as many as are wanted
	rows    int                           // that the last chunk had
	showing int                           // how many of those are shown
	bytes   int                           // of a chunk at most
	ahead   []storage.ReadRow             // read, and not shown so far
	last    bool                          // there is nothing to read any more
}

// next returns the next record; nil: there is none. About so many are wanted.
func (w *walk) next(ctx context.Context, want int) (*storage.ReadRow, error) {
	row, err := w.head(ctx, want)
	if row != nil {
		w.ahead = w.ahead[1:]
	}
	return row, err
}

// head is next without moving on.
func (w *walk) head(ctx context.Context, want int) (*storage.ReadRow, error) {
	for len(w.ahead) == 0 && !w.last {
		if err := w.read(ctx, want); err != nil {
			return nil, err
		}
	}
	if len(w.ahead) == 0 {
		return nil, nil //nolint:nilnil // the end of a walk
	}
	return &w.ahead[0], nil
}

// read reads a chunk. In a descending list those without a value come behind the others
// (RD-15), and are a part of their own.
func (w *walk) read(ctx context.Context, want int) error {
	size := want
	switch {
	case w.rows == 0 && w.share > 0:
		size = w.share
	case w.showing < w.rows: // more, as some are not shown
		size = max(want, min(want*w.rows/max(w.showing, 1), 2*w.rows))
	}
	q := storage.ReadPage{StreamID: w.source.ID, Emitted: w.emitted, Descending: w.descending, After: w.after, AtPlace: w.at, From: w.from, To: w.to, Limit: max(leastChunk, min(size, mostChunk)), Bytes: w.bytes}
	q.Within = w.within
	if w.source.scope != nil {
		q.Keys = w.source.scope.Keys // not the others: how long it takes would tell how many there are (Invariant 9)
	}
	bounded, missing := w.from != nil || w.to != nil, field.Missing()
	behind := w.after != nil && field.IsMissing(w.after.Sort)
	switch {
	case bounded && w.to == nil:
		q.To = missing
	case w.descending && behind:
		q.From = missing
	case w.descending && !bounded:
		q.To = missing
	}
	rows, more, err := w.page(ctx, q)
	if err != nil {
		return err
	}
	if n := len(rows); n > 0 {
		last := rows[n-1].Place
		w.after, w.at = &last, false
	}
	w.rows = len(rows)
	w.ahead = slices.DeleteFunc(rows, func(row storage.ReadRow) bool { return row.Seq == 0 || !w.shows(&row) })
	w.showing = len(w.ahead)
	if more {
		return nil
	}
	if w.descending && !behind && !bounded {
		// Above every record without a value: the first of them is the next.
		w.after, w.at = &storage.ReadPlace{Sort: append(missing, 0)}, false
		return nil
	}
	w.last = true
	return nil
}

// page reads records that the index knows as they are now (RD-16.5).
func (w *walk) page(ctx context.Context, q storage.ReadPage) (rows []storage.ReadRow, more bool, err error) {
	if w.reader == nil {
		return w.store.ReadPage(ctx, q)
	}
	w.past, err = w.reader.settle(ctx, w.source, func(ctx context.Context) (all []*storage.ReadRow, err error) {
		rows, more, err = w.store.ReadPage(ctx, q)
		for i := range rows {
			if row := &rows[i]; row.Seq > 0 && row.History != nil { // else it is gone meanwhile
				all = append(all, row)
			}
		}
		return all, err
	})
	return rows, more, err
}

// shows reports whether a list shows a record.
func (w *walk) shows(row *storage.ReadRow) bool {
	if !w.source.shows(row.Key, row.Data) {
		return false
	}
	for i := range w.where {
		c := &w.where[i]
		if !c.holds(field.Get(row.Data, c.field)) {
			return false
		}
	}
	return true
}
