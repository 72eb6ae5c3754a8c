package read

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Changes asks for a page of the changes of a stream (RD-23).
type Changes struct {
	From

	Since  string   // Beginning, or Since of an earlier answer
	Fields []string // of the answer; a change of another one is none. nil: all that are seen
	Limit  int      // 0: DefaultLimit
	Cursor string   // of the page before; "": the first page
}

// Changed is a record that has changed, or that is not seen any more.
type Changed struct {
	Record // as it is now; without data when Gone

	Gone bool // EmittedAt says when
}

// ChangePage is a part of a session: of all changes between a token and the horizon that
// its first page pins.
type ChangePage struct {
	Rows     []Changed
	Next     string // the cursor of the next page; "": this is the last
	Since    string // the token of the next session; "": this is not the last page
	Warnings []Warning

	Connections []string // that were read
}

// feedKept is what a cursor within a session has besides the session's own.
const feedKept = 2 * 8

// session is one answer's place in a session.
type session struct {
	since   mark  // what the reader has
	horizon int64 // nothing behind it is told
	after   int64 // the last change that was told; 0: none
}

// Changes returns the next changes of a stream that the scope shows, in their order, each
// record once and as it is now.
func (r *Reader) Changes(ctx context.Context, scope *Scope, c Changes) (*ChangePage, error) {
	page := new(ChangePage)
	limit, warnings, err := pageLimit(c.Limit)
	if err != nil {
		return nil, err
	}
	page.Warnings = warnings
	return bounded(ctx, atMost, func(ctx context.Context) (*ChangePage, error) { return page, r.changes(ctx, scope, &c, limit, page) })
}

func (r *Reader) changes(ctx context.Context, scope *Scope, c *Changes, limit int, page *ChangePage) error {
	sources, store, err := r.sources(ctx, scope, c.From)
	if err != nil {
		return err
	}
	if sources, err = fitting(sources, c.Fields, &page.Warnings); err != nil {
		return err
	}
	now := markOf(store, sources, c.Fields)
	at := session{horizon: now.Horizon}
	if at.since, err = r.openSince(ctx, scope, c, &now, sources); err != nil {
		return err
	}
	if err := at.since.fits(&now, sources, c.Fields); err != nil {
		return err
	}
	pages, err := r.sealer(ctx, "changes", pagesLive, scope, []any{c.From, named(c.Fields), c.Since})
	if err != nil {
		return err
	}
	if c.Cursor != "" {
		plain, err := pages.open(c.Cursor)
		if err != nil {
			return err
		}
		pinned, rest, err := readMark(plain)
		if err != nil || len(rest) != feedKept/2 {
			return foreignCursor()
		}
		if err := pinned.fits(&now, sources, c.Fields); err != nil {
			return err
		}
		now, at.horizon, at.after = pinned, pinned.Horizon, int64(binary.BigEndian.Uint64(rest)) //nolint:gosec // as it was sealed
		sources = slices.DeleteFunc(sources, func(s source) bool { return s.ID > now.Newest })   // came since the first page
	}
	for i := range sources {
		page.Connections = append(page.Connections, sources[i].ConnectionID)
	}
	more, err := r.fill(ctx, sources, c, at, limit, page)
	if err == nil {
		err = r.still(ctx, sources, &now)
	}
	if err != nil {
		return err
	}
	if more {
		last := page.Rows[len(page.Rows)-1].Seq
		page.Next, err = pages.seal(binary.BigEndian.AppendUint64(now.bytes(), uint64(last))) //nolint:gosec // above zero
		return err
	}
	page.Since, err = r.sealSince(ctx, scope, c.From, c.Fields, &now)
	return err
}

// named are the fields of a request, whatever their order.
func named(fields []string) []string { return slices.Compact(slices.Sorted(slices.Values(fields))) }

// tokens seals and opens tokens of changes. They live as long as what they need is kept.
func (r *Reader) tokens(ctx context.Context, scope *Scope, from From, fields []string) (*sealer, error) {
	s, err := r.sealer(ctx, "changes_since", r.Kept, scope, []any{from, named(fields)})
	if err == nil {
		s.late = expired()
	}
	return s, err
}

func (r *Reader) sealSince(ctx context.Context, scope *Scope, from From, fields []string, m *mark) (string, error) {
	seal, err := r.tokens(ctx, scope, from, fields)
	if err != nil {
		return "", err
	}
	return seal.seal(m.bytes())
}

// openSince reads what the reader has.
func (r *Reader) openSince(ctx context.Context, scope *Scope, c *Changes, now *mark, sources []source) (mark, error) {
	if c.Since == Beginning {
		return mark{Epoch: now.Epoch, Streams: now.Streams, Newest: now.Newest}, nil
	}
	seal, err := r.tokens(ctx, scope, c.From, c.Fields)
	if err != nil {
		return mark{}, err
	}
	plain, err := seal.open(c.Since)
	if err != nil {
		return mark{}, sinceRefused(err)
	}
	for i := range sources {
		if s := &sources[i]; s.bounded() && !s.timed() {
			return mark{}, expired()
		}
	}
	m, _, err := readMark(plain)
	return m, err
}

func sinceRefused(err error) error {
	if abi.CodeOf(err) == CodeCursor {
		return abi.NewError(CodeCursor, "changes_since is neither "+Beginning+" nor a token of this request", "send the token of an earlier answer to the same question")
	}
	return err
}

// still refuses an answer during which the read state was begun anew.
func (r *Reader) still(ctx context.Context, sources []source, now *mark) error {
	ids := make([]int64, len(sources))
	for i := range sources {
		ids[i] = sources[i].ID
	}
	streams, err := r.Store.ReadStreams(ctx, storage.ReadStreams{IDs: ids})
	if err != nil || len(ids) == 0 {
		return err
	}
	at, err := r.Store.Position(ctx)
	for i := range streams {
		j := slices.IndexFunc(sources, func(s source) bool { return s.ID == streams[i].ID })
		if err == nil && (streams[i].Building || streams[i].Generation != sources[j].Generation || at.Epoch != now.Epoch) {
			return index.Behind()
		}
	}
	return err
}

// fill puts the next rows into a page. more: there are others behind them.
func (r *Reader) fill(ctx context.Context, sources []source, c *Changes, at session, limit int, page *ChangePage) (more bool, err error) {
	projections, err := r.projections(ctx, sources, c.Fields)
	if err != nil {
		return false, err
	}
	var feeds []*feed
	for i := range sources {
		if has := at.since.of(&sources[i]); sources[i].LastSeq > has.Horizon { // else nothing has changed (RD-23.12)
			feeds = append(feeds, &feed{reader: r, source: &sources[i], shown: &projections[i], bytes: chunkBytes / len(sources), session: session{has, at.horizon, max(at.after, has.Horizon)}})
		}
	}
	if len(feeds) > 1 {
		for _, f := range feeds {
			if err := f.look(ctx); err != nil {
				return false, err
			}
		}
	}
	for {
		first, err := next(ctx, feeds, limit+1)
		if err != nil || first == nil || len(page.Rows) == limit {
			return first != nil, err
		}
		next := first.ahead[0]
		first.ahead = first.ahead[1:]
		page.Rows = append(page.Rows, first.changed(&next, c.Fields))
	}
}

// next returns the feed whose next row comes first; nil: there is none. It reads no feed before
// that one's rows may come first: a run writes many records of one connection, one behind the other.
func next(ctx context.Context, feeds []*feed, want int) (*feed, error) {
	for {
		var first *feed
		for _, f := range feeds {
			if at := f.from(); at > 0 && (first == nil || at < first.from()) {
				first = f
			}
		}
		if first == nil || len(first.ahead) > 0 {
			return first, nil
		}
		if err := first.fill(ctx, want); err != nil {
			return nil, err
		}
	}
}

// feed goes through what one source's records tell, in the order of their changes.
type feed struct {
	reader *Reader
	source *source
	shown  *projection
	session

	size  int // of the next chunk
	bytes int // of a chunk at most
	ahead []toldRow
	last  bool
}

type toldRow struct {
	told
	*storage.ReadFeedRow

	past []storage.ReadPast
}

// look skips to the first change, without its record.
func (f *feed) look(ctx context.Context) error {
	at, err := f.reader.Store.ReadNextChange(ctx, f.source.ID, f.after)
	if f.last = at == 0; !f.last {
		f.after = at - 1
	}
	return err
}

// from is a change before which nothing is told; 0: nothing more is.
func (f *feed) from() int64 {
	switch {
	case len(f.ahead) > 0:
		return f.ahead[0].at
	case f.last:
		return 0
	}
	return f.after + 1
}

// fill reads on until there is a row, or the end.
func (f *feed) fill(ctx context.Context, want int) (err error) {
	for err == nil && len(f.ahead) == 0 && !f.last {
		err = f.read(ctx, want)
	}
	return err
}

// read reads a chunk. A record stands in it at each change that a part of it dates from, and
// is told at the last of those that the scope shows: so the order of what is told does not
// depend on anything else.
func (f *feed) read(ctx context.Context, want int) error {
	f.size = max(leastChunk, min(max(2*f.size, want), mostChunk))
	rows, more, past, err := f.chunk(ctx)
	if err != nil {
		return err
	}
	for i := range rows {
		row := &rows[i]
		if row.At > f.horizon {
			f.last = true
			return nil
		}
		f.after = row.At
		if !f.source.names(row.Key) || row.History != nil && row.Seq == 0 { // its connection is being removed
			continue
		}
		if t := f.source.tell(f.shown, &f.since, &row.Row, past[row.Key]); t.at == row.At {
			f.ahead = append(f.ahead, toldRow{t, row, past[row.Key]})
		}
	}
	f.last = !more
	return nil
}

// chunk reads changes and the spans of their records.
func (f *feed) chunk(ctx context.Context) (rows []storage.ReadFeedRow, more bool, past map[string][]storage.ReadPast, err error) {
	past, err = f.reader.settle(ctx, f.source, func(ctx context.Context) ([]*storage.ReadRow, error) {
		if rows, more, err = f.reader.Store.ReadFeed(ctx, f.source.ID, f.after, f.size, f.bytes); err != nil {
			return nil, err
		}
		all := make([]*storage.ReadRow, len(rows))
		for i := range rows {
			all[i] = &rows[i].Row
		}
		return all, nil
	})
	return rows, more, past, err
}

// changed is a row of the answer. Its Seq is the change that is told.
func (f *feed) changed(t *toldRow, fields []string) Changed {
	row := t.Row
	if t.gone {
		row.Data = nil
	}
	out := Changed{Record: f.source.record(&row, f.shown, t.past, fields), Gone: t.gone}
	out.Seq = t.at
	if t.gone {
		out.Data, out.RunID, out.EmittedAt = nil, "", written(t.us)
	}
	return out
}
