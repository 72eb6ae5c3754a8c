package exports

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
)

// sliceBytes is how much of a source is read between two checkpoints at least.
const sliceBytes = 64 << 20

// Each reads every source of a folder once, the older ones first, for each stream in
// scope. The streams' cursors know a source by name, size and time, and the place in one
// that was not read to its end. A source that earlier runs began and did not end, such as one
// that takes all of a run's time, comes behind those that fewer runs began. Sources that are newer
// than one that is read are read again behind it, so that they have the last word. Where several runs did not come to its
// end, they do not wait for that.
type Each struct {
	// Wanted are the streams that need the source at hand: it is new to their cursors.
	Wanted map[string]bool
	// Books are those of the source at hand. Each settles its files; Read notes items.
	Books Books
	// Read reads the file at hand and says what became of it. An error of a reader makes the
	// file damaged, and any other one ends the run.
	Read func(f *File) (Outcome, error)
	// Counted are the streams whose items are counted (AC-04). Those of which a record is emitted
	// count themselves, and Read counts the others, see Items.
	Counted []string
	// Large is the code of the connector's problem that an item is too large for a record, which is told with its file and the
	// place that At gives. "": the SDK tells of it.
	Large string
	At    func() string

	h      *sdk.Host
	said   *accounts.Books
	folder *Folder
	states map[string]map[string]state // by stream and source
	gone   map[string]bool             // parts that were read before, and of which others are still there
	failed Books                       // of sources that were not read to their end

	lost  map[string]loss // by source: those that were not read to their end, and may be another time
	outdo map[string]bool // sources that are to be read again, because an older one was read behind them

	unreadable error // of the source at hand: its file failed, and may not fail again
	at         *File // the file at hand
}

// loss is what was found out of a source until a problem ended its reading.
type loss struct {
	books Books
	why   string
}

// Run reads the sources.
func (e *Each) Run(h *sdk.Host, folder *Folder) error {
	e.h, e.folder, e.failed, e.lost, e.outdo = h, folder, NewBooks(), make(map[string]loss), make(map[string]bool)
	e.said = accounts.Open(h)
	if e.Large != "" {
		h.OnTooLarge(func(stream string, size int64) error {
			e.Books.Miss(stream, e.Large, 1, e.at, e.At()+", "+strconv.FormatInt(size, 10)+" bytes")
			return nil
		})
	}
	for _, stream := range e.Counted {
		e.said.Items(stream)
	}
	e.readCursors()
	order := e.turns()
	long := len(order) > 0 && e.begun(order[len(order)-1]) >= longRuns
	for _, s := range order {
		if e.isOutdone(s) && !long {
			e.outdo[s.Name] = true
			continue
		}
		if err := e.source(s); err != nil {
			return err
		}
	}
	for _, s := range folder.byAge() {
		if e.outdo[s.Name] {
			if err := e.source(s); err != nil {
				return err
			}
		}
	}
	known := e.states[h.Streams()[0]]
	missing := MissingParts(make(Findings), e.names())
	folder.Account(e.said, func(s *Source) (*Books, string) {
		lost, is := e.lost[s.Name]
		if !is {
			lost.books, lost.why = known[s.Name].books, known[s.Name].why
		}
		books := NewBooks()
		books.Add(lost.books)
		MissParts(s, missing, &books)
		return &books, lost.why
	})
	for _, stream := range h.Streams() { // the cursors forget sources that are gone
		if err := h.State(stream, e.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

// longRuns is after how many runs that did not come to its end a source has the newer ones wait no longer.
const longRuns = 3

// turns returns the sources in the order in which they are read.
func (e *Each) turns() []*Source {
	order := e.folder.byAge()
	slices.SortStableFunc(order, func(x, y *Source) int { return cmp.Compare(e.begun(x), e.begun(y)) })
	return order
}

// begun returns how many runs began a source that did not read it to its end.
func (e *Each) begun(s *Source) (n int64) {
	for _, known := range e.states {
		n = max(n, known[s.Name].begun)
	}
	return n
}

// Totals returns the books of all sources that are there, of earlier runs, too.
func (e *Each) Totals() Books {
	all := NewBooks()
	all.Add(e.folder.Books)
	all.Add(e.failed)
	known := e.states[e.h.Streams()[0]] // each stream's has them all
	for _, name := range Sorted(known) {
		all.Add(known[name].books)
	}
	MissingParts(all.Problems, e.names())
	return all
}

// names are those of the sources that are there, and of parts that were read before.
func (e *Each) names() []string {
	names := Sorted(e.gone)
	for i := range e.folder.Sources {
		names = append(names, e.folder.Sources[i].Name)
	}
	return names
}

// Items returns the counts of the items that were met for a stream.
func (e *Each) Items(stream string) *accounts.Items { return e.said.Items(stream) }

// begin finds the streams that need the source, and how many of its entries all of them have.
func (e *Each) begin(s *Source) (skip int64) {
	e.Wanted, e.Books, e.unreadable = make(map[string]bool), NewBooks(), nil
	var from state
	for stream, known := range e.states {
		st := known[s.Name]
		if st.entries < 0 {
			continue
		}
		st.Stamp, st.begun = s.Stamp, st.begun+1
		known[s.Name] = st
		if len(e.Wanted) == 0 || st.entries < from.entries {
			from = st
		}
		e.Wanted[stream] = true
	}
	e.Books.Add(from.books)
	return from.entries
}

// again has the sources that are newer than one of which records are emitted read again, for the streams that
// have them.
func (e *Each) again(s *Source) {
	for i := range e.folder.Sources {
		newer := &e.folder.Sources[i]
		for stream := range e.Wanted {
			if st, known := e.states[stream][newer.Name]; known && st.entries != 0 && newer.made > s.made {
				e.states[stream][newer.Name] = state{Stamp: newer.Stamp, books: NewBooks()}
				e.outdo[newer.Name] = true
			}
		}
	}
}

// isOutdone reports whether again found the source in an earlier run, which did not come to read it.
func (e *Each) isOutdone(s *Source) bool {
	for _, known := range e.states {
		if st, is := known[s.Name]; is && st.entries == 0 && st.begun == 0 {
			return true
		}
	}
	return false
}

func (e *Each) source(s *Source) error {
	skip := e.begin(s)
	delete(e.outdo, s.Name)
	if len(e.Wanted) == 0 {
		return nil
	}
	e.again(s)
	if len(e.folder.Sources) > 1 {
		if err := e.slice(s, skip); err != nil {
			return err
		}
	}
	a, err := s.Open(e.folder.Root)
	if err != nil {
		return e.fail(s, err)
	}
	defer a.Close()
	var index, since int64
	for a.Next() {
		done, size := a.Progress()
		if index++; index <= skip {
			since = done
			continue
		}
		if err := e.file(s.File(a)); err != nil {
			return err
		}
		if err := e.h.Progress("reading "+s.Name, done, size, "bytes"); err != nil {
			return err
		}
		if e.h.Stopping() {
			return sdk.ErrStopped
		}
		if done, _ = a.Progress(); done-since >= sliceBytes {
			since = done
			if err := e.slice(s, index); err != nil {
				return err
			}
		}
	}
	err = a.Err()
	if err == nil {
		err = e.unreadable
	}
	if err != nil {
		return e.fail(s, err)
	}
	return e.slice(s, -1)
}

// fail notes why the source was not read to its end. Where its file failed, the next run reads it again; what is
// damaged stays as it is.
func (e *Each) fail(s *Source, err error) error {
	if err != e.unreadable { //nolint:errorlint // that file was settled already
		if err := e.Books.Settle(s.Name, Outcome{}, err); err != nil {
			return err
		}
	}
	why := ProblemOf(err)
	for stream := range e.Wanted {
		if delete(e.states[stream], s.Name); why != Unreadable {
			st := state{Stamp: s.Stamp, entries: -1, books: NewBooks(), why: why}
			st.books.Add(e.Books)
			e.states[stream][s.Name] = st
		}
	}
	if why != Unreadable {
		return nil
	}
	e.failed.Add(e.Books)
	e.lost[s.Name] = loss{e.Books, why}
	return nil
}

// file has the entry at hand read, and settles it.
func (e *Each) file(f *File) error {
	e.at = f
	o, err := e.read(f)
	if ProblemOf(err) == Unreadable {
		e.unreadable = err
	}
	return e.Books.SettleFile(f, o, err)
}

func (e *Each) read(f *File) (Outcome, error) {
	if Hidden(f.Name) {
		return Outcome{Fate: Rule, Kind: hidden}, nil
	}
	o, err := e.Read(f)
	if err == nil && f.Problem != nil && o.Fate != Rule {
		return o, f.Problem
	}
	if err == nil && o.Fate == Unknown && f.Size == 0 {
		return Outcome{Fate: Rule, Kind: o.Kind}, nil // there is nothing in it
	}
	return o, err
}

// slice closes a slice of the source: its first entries, or all of it (-1).
func (e *Each) slice(s *Source, entries int64) error {
	for _, stream := range e.h.Streams() {
		if !e.Wanted[stream] {
			continue
		}
		st := state{s.Stamp, entries, e.states[stream][s.Name].begun, NewBooks(), ""}
		if entries < 0 {
			st.begun = 0
		}
		st.books.Add(e.Books)
		e.states[stream][s.Name] = st
		if err := e.h.Slice(stream, s.Name+" "+strconv.FormatInt(entries, 10), e.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

// Elements calls fn for each value that next finds, until one of them fails or the run is to
// stop.
func Elements(h *sdk.Host, next func() bool, fn func() error) error {
	for next() {
		if h.Stopping() {
			return sdk.ErrStopped
		}
		if err := fn(); err != nil {
			return err
		}
	}
	return nil
}

// Drain reads to the end, so that a fault there is found, too.
func Drain(in io.Reader) error {
	_, err := io.Copy(io.Discard, in)
	return err
}
