package read

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Walk says which changes are applied: those of all streams that a way leads to from a position, or
// all records of one stream behind a key.
type Walk struct {
	From Position // that they were read at
	Way  Way

	StreamID int64 // 0: of all streams
	After    string
	End      bool // there are no entries behind these

	Time time.Duration // a transaction takes no further entries after that long
}

// The sizes of a transaction and of its passes, behind each of which it looks at the time.
const (
	MostEntries    = 2000   // of a transaction
	perMillisecond = 10     // entries of a pass, for each millisecond that the transaction may take
	mostWords      = 50_000 // of a pass, but for those of its last entry
)

// some returns how many of the entries the next pass applies, most at most.
func some(entries []Entry, most int) int {
	words := 0
	for i := range entries[:min(len(entries), most)] {
		for _, d := range entries[i].Docs {
			words += len(d.Words)
		}
		if words >= mostWords {
			return i + 1
		}
	}
	return min(len(entries), most)
}

// Apply brings entries into the read state, in their order, as many as one transaction is
// given, and moves the walk's position behind them. It returns how many those are. stale: it has
// applied nothing, because somebody else has moved the position meanwhile, or a stream has another
// declaration.
func (s *Store) Apply(ctx context.Context, w Walk, entries []Entry) (n int, stale bool, err error) {
	err = s.db.Alone(ctx, "index records", func(t *db.Tx) (err error) {
		n = 0
		fits, err := w.fits(t)
		if stale = !fits; err != nil || stale {
			return err
		}
		known, fits, err := present(t, entries)
		if stale = !fits; err != nil || stale {
			return err
		}
		a := &applying{statements: statements{t: t}, anew: w.StreamID != 0, days: map[dayKey]int64{}}
		defer func() { err = errors.Join(err, a.close()) }()
		began, step := time.Now(), max(1, int(w.Time.Milliseconds())*perMillisecond) // elapsed time, not the wall clock
		for n < len(entries) && (n == 0 || time.Since(began) < w.Time) {
			to := n + some(entries[n:], step)
			if t.Server() != nil {
				to = len(entries) // each statement is a round trip
			}
			if err := a.apply(entries[n:to], known); err != nil {
				return err
			}
			n = to
		}
		if err := a.countDays(); err != nil {
			return err
		}
		return w.move(t, entries, n)
	})
	return n, stale, err
}

// fits reports whether the walk's position is still the stored one.
func (w *Walk) fits(t *db.Tx) (bool, error) {
	if w.StreamID == 0 {
		return w.From.isStill(t)
	}
	var after *string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT building_after FROM read_streams WHERE stream_id = ?", w.StreamID).Scan(&after)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return after != nil && *after == w.After, err
}

// move moves the position behind the first n entries.
func (w *Walk) move(t *db.Tx, entries []Entry, n int) error {
	done := n == len(entries)
	if w.StreamID == 0 {
		seq := int64(0)
		if n > 0 {
			seq = entries[n-1].Seq
		}
		to := w.From.moved(w.Way, seq, w.End && done)
		return to.store(t)
	}
	var after any
	if !w.End || !done {
		after = entries[n-1].Key
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE read_streams SET building_after = ? WHERE stream_id = ?", after, w.StreamID)
	return err
}

// present returns which streams of the entries there are: those of a removed connection are
// gone, and nothing is kept of them. fits: the others have the declarations of their entries.
func present(t *db.Tx, entries []Entry) (known map[int64]bool, fits bool, err error) {
	made := map[int64]string{}
	for i := range entries {
		made[entries[i].StreamID] = entries[i].Declaration
	}
	ids := slices.Collect(maps.Keys(made))
	if len(ids) == 0 {
		return nil, true, nil
	}
	var found []struct {
		ID          int64
		Declaration string
	}
	err = t.DB.NewRaw(`SELECT s.id, coalesce(r.declaration_sha256, '') AS declaration FROM streams s LEFT JOIN read_streams r ON r.stream_id = s.id
WHERE s.removed = 0 AND s.id IN (?)`, bun.List(ids)).Scan(t.Ctx, &found)
	known = map[int64]bool{}
	for _, f := range found {
		if f.Declaration != made[f.ID] {
			return nil, false, err
		}
		known[f.ID] = true
	}
	return known, true, err
}

func (a *applying) apply(entries []Entry, known map[int64]bool) error {
	if a.t.Server() != nil {
		return a.applyServer(entries, known)
	}
	return a.applyFile(entries, known)
}

// applyFile applies entries in a file: what was indexed of their records goes first, all of it, as
// removeDocs wants it.
func (a *applying) applyFile(entries []Entry, known map[int64]bool) error {
	type followUp struct {
		*Entry
		history *History
	}
	fresh, old := make([]followUp, 0, len(entries)), []indexed(nil)
	had, err := a.lookUpFile(entries)
	if err != nil {
		return err
	}
	for i := range entries {
		e, was := &entries[i], had[i]
		switch {
		case !known[e.StreamID]:
		case was == nil:
			fresh = append(fresh, followUp{e, nil})
		case was.Seq <= e.Seq: // else a stream that is made anew was ahead
			a.days[dayKey{e.StreamID, was.Day}]--
			old = append(old, was.indexed)
			fresh = append(fresh, followUp{e, &was.History})
		}
	}
	if err := a.remove(old); err != nil {
		return err
	}
	for _, f := range fresh {
		if err := a.one(f.Entry, f.history); err != nil {
			return err
		}
	}
	if err := errors.Join(a.flush(&addedRows), a.flush(&addedOrder), a.flush(&addedChanges)); err != nil {
		return err
	}
	// Before a statement that adds several rows, FTS5 writes what it has in memory: words come last, as they are numbered.
	slices.SortFunc(fresh, func(x, y followUp) int { return cmp.Compare(y.Seq, x.Seq) })
	for _, f := range fresh {
		if err := a.addDocs(f.Entry); err != nil {
			return err
		}
	}
	return nil
}

// indexedFile is what a file's read state has of a record.
type indexedFile struct {
	indexed
	History
}

// lookUpFile returns what a file's read state has of the records of some entries, by their places;
// nil: nothing. Records of one stream are asked for together.
func (a *applying) lookUpFile(entries []Entry) ([]*indexedFile, error) {
	all := make([]*indexedFile, len(entries))
	for from, to := 0, 0; from < len(entries); from = to {
		stream := entries[from].StreamID
		for to < len(entries) && to-from < atOnce && entries[to].StreamID == stream {
			to++
		}
		if err := a.lookUpStream(entries[from:to], all[from:to]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lookUpStream is lookUpFile for as many entries of one stream as are asked for at once.
func (a *applying) lookUpStream(entries []Entry, to []*indexedFile) (err error) {
	st, err := a.prepare(lookAtOnce) //nolint:sqlclosecheck // close closes it
	if err != nil {
		return err
	}
	values := append(make([]any, 0, atOnce+1), entries[0].StreamID)
	for i := range atOnce {
		values = append(values, entries[min(i, len(entries)-1)].Key)
	}
	rows, err := st.QueryContext(a.t.Ctx, values...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		was, fields := new(indexedFile), []byte(nil)
		was.StreamID = entries[0].StreamID
		if err := rows.Scan(&was.Key, &was.Seq, &was.Sort, &was.Day, &was.Docs, &was.Blobs, &was.Links, &was.Born, &was.BornUS, &was.Since, &was.Time, &fields); err != nil {
			return err
		}
		was.unpack(fields)
		to[slices.IndexFunc(entries, func(e Entry) bool { return e.Key == was.Key })] = was
	}
	return rows.Err()
}

// one applies an entry in a file, whose record is not indexed. history is what was known of it.
func (a *applying) one(e *Entry, history *History) error {
	f := follow(history, e, a.anew)
	if err := a.keep(e, &f); err != nil || !e.Live {
		return err
	}
	a.days[dayKey{e.StreamID, e.Day}]++
	if err := a.put(&addedRows, e.StreamID, e.Key, e.Seq, e.Sort, e.Day, len(e.Docs), len(e.Blobs), len(e.Links), e.Emitted, f.now.Born, f.now.BornUS, f.now.Since, f.now.Time, f.now.packed()); err != nil {
		return err
	}
	if err := a.put(&addedOrder, e.StreamID, e.Sort, e.Key); err != nil {
		return err
	}
	for i := range e.Blobs {
		if err := a.exec("INSERT INTO read_blobs (sha256, stream_id, field, key) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", e.Blobs[i].SHA256[:], e.StreamID, int64(e.Blobs[i].Field), e.Key); err != nil {
			return err
		}
	}
	for _, link := range e.Links {
		if err := a.exec("INSERT INTO read_links (stream_id, link, sort, key) VALUES (?, ?, ?, ?)", e.StreamID, link, e.Sort, e.Key); err != nil {
			return err
		}
	}
	return nil
}

// addDocs adds the documents of an entry in a file. A tombstone has none.
func (a *applying) addDocs(e *Entry) error {
	for _, d := range slices.Backward(e.Docs) {
		if err := a.exec("INSERT INTO read_fts (rowid, scope, body) VALUES (?, ?, ?)", docid(e.Seq, d.Field), strings.Join(d.Scopes, " "), strings.Join(d.Words, " ")); err != nil {
			return err
		}
	}
	return nil
}

// historyColumns are those of read_rows that a History is kept in.
const historyColumns = "born_seq, born_us, since_seq, time, fields"

// keep writes what an entry does to the feed of changes.
func (a *applying) keep(e *Entry, f *followed) error {
	for _, seq := range f.drop {
		if err := a.exec("DELETE FROM read_changes WHERE stream_id = ? AND seq = ?", e.StreamID, seq); err != nil {
			return err
		}
	}
	for _, seq := range f.add {
		if err := a.put(&addedChanges, e.StreamID, seq, e.Key); err != nil {
			return err
		}
	}
	if a.anew {
		if err := a.exec("DELETE FROM read_past WHERE stream_id = ? AND key = ?", e.StreamID, e.Key); err != nil {
			return err
		}
	}
	if p := f.past; p != nil {
		return a.exec("INSERT INTO read_past (stream_id, until_seq, key, from_seq, time, until_us, indexed_us) VALUES (?, ?, ?, ?, ?, ?, ?) "+
			"ON CONFLICT (stream_id, until_seq) DO NOTHING", e.StreamID, p.Until, p.Key, p.From, p.Time, p.UntilUS, a.t.Now.UnixMicro())
	}
	return nil
}

// countDays writes how many records more or fewer each day has.
func (a *applying) countDays() error {
	for k, n := range a.days {
		if n == 0 {
			continue
		}
		err := a.exec(`INSERT INTO read_days (stream_id, day, records) VALUES (?, ?, ?)
ON CONFLICT (stream_id, day) DO UPDATE SET records = read_days.records + excluded.records`, k.stream, k.day, n)
		if err == nil && n < 0 {
			err = a.exec("DELETE FROM read_days WHERE stream_id = ? AND day = ? AND records <= 0", k.stream, k.day)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
