package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// list is a stream whose rows are compared as a whole.
type list struct {
	stream string
	ranked bool   // rankings: their length proves nothing
	parts  []part // the provider's lists, read one after the other
	// sums keeps the fingerprint of each row, because rows have fields that change all the time.
	sums bool
	// row sets the fields of a row, the nth of its list from 1, and returns its own id and
	// the fingerprint of the fields that decide whether it is new.
	row func(r *sdk.Record, item jsonvalue.Value, part string, n int64) (id string, sum uint64)
	// hollow reports whether a row has nothing but its time; nil: no row is hollow.
	hollow func(item jsonvalue.Value) (at string, is bool)
}

// part is one list of the provider's.
type part struct{ name, path string }

// cursorVersion changes with the meaning of the cursors.
const cursorVersion = 2

// place is the cursor of a list.
type place struct {
	inventoryMS int64       // when an inventory last ended; 0: one is due
	extra       int64       // how many more rows the list had then than were readable
	next        string      // the page at which a reading was broken off; "": at none
	known       cursor.Sums // the fingerprints, by key
}

// Members describes the cursor.
func (p *place) Members(m *cursor.Members) {
	m.Int("inventory_ms", &p.inventoryMS)
	m.Int("extra", &p.extra)
	m.Text("next", &p.next)
	m.Sums("known", &p.known)
}

// reader reads a list in one run.
type reader struct {
	*api.Client
	list

	place place
	saver cursor.Saver
	tally *problems.Tally
	open  *sdk.Enumeration // nil outside an inventory
	met   cursor.Sums      // the fingerprints of the rows that the last reading met
	same  [][]string       // rows of the page that are unchanged
	keeps bool             // the page at which the reading is, for a later run
	taken int64

	hollows map[uint64]int // how many hollow rows the last reading met, by their time
	unsure  bool           // one of them may be any record that was not met
}

func newReader(c *api.Client, l list) *reader {
	s := &reader{Client: c, list: l, tally: problems.New(c.Host, l.stream, unreadable, empty, withdrawn, unstable)}
	cursor.Read(c.Cursor(l.stream), cursorVersion, &s.place)
	s.saver = cursor.Saver{Host: c.Host, Stream: l.stream, Version: cursorVersion, Whose: c.Account, Value: &s.place}
	return s
}

// collectList reads a list whose every row fits in a few pages.
func collectList(c *api.Client, l list) error {
	if len(l.parts) > 1 {
		var paths []string
		for _, one := range l.parts {
			paths = append(paths, one.path)
		}
		if err := c.Prefetch(paths...); err != nil {
			return err
		}
	}
	s := newReader(c, l)
	_, _, err := s.inventory()
	return s.end(err)
}

// inventory reads the list until it is known what was removed.
func (s *reader) inventory() (how api.Settled, last api.Pass, err error) {
	if s.open, err = s.Enumerate(s.stream, "", ""); err != nil {
		return how, last, err
	}
	if how, last, err = api.Settle(s.open, s.read); err != nil {
		return how, last, err
	}
	switch how {
	case api.Unstable:
		s.tally.Note(unstable, "")
	case api.Whole, api.Moving:
		s.place.known = s.met
	case api.Holes:
		if s.unsure {
			s.tally.Note(empty, "")
		}
	}
	return how, last, nil
}

// read reads the list once, from its first page to the last.
func (s *reader) read() (api.Pass, error) {
	p := api.Pass{Ranked: s.ranked}
	s.met, s.hollows = cursor.Sums{}, nil
	for i, one := range s.parts {
		if i > 0 {
			p.List()
		}
		if err := s.from(&p, one, ""); err != nil {
			return p, err
		}
	}
	err := s.keepHollow(&p) // before p is returned: which comes first in one statement is not specified
	return p, err
}

// from reads a part of the list from a page on.
func (s *reader) from(p *api.Pass, of part, at string) error {
	pages := s.Pages(pager(of.path), at)
	for pages.Next() {
		if _, err := s.page(p, of, pages.Page()); err != nil {
			return err
		}
	}
	return pages.Err()
}

// page takes the rows of a page, and reports whether one of them was unknown.
func (s *reader) page(p *api.Pass, of part, page api.Page) (fresh bool, err error) {
	total, err := s.Length(page.Value, "total", s.stream)
	if err != nil {
		return false, err
	}
	p.Page(total)
	for it := page.Items.Children(); it.Next(); {
		unknown, err := s.take(p, of, it.Value())
		if err != nil {
			return false, err
		}
		fresh = fresh || unknown
	}
	if s.open != nil {
		if err := s.open.Met(s.same...); err != nil {
			return false, err
		}
	}
	if s.same = s.same[:0]; s.keeps {
		s.place.next = page.Next
	}
	if err := s.saver.Page(s.slice()); err != nil {
		return false, err
	}
	return fresh, s.Step("reading "+s.stream, s.taken)
}

// take emits a row, unless its volatile fields alone have changed.
func (s *reader) take(p *api.Pass, of part, item jsonvalue.Value) (fresh bool, err error) {
	s.taken++
	r := s.Record(s.stream)
	r.Reset()
	id, sum := "", uint64(0)
	if item.IsNull() {
		s.tally.Note(empty, "")
	} else if at, is := s.isHollow(item); is {
		p.Row(hollowRow + at)
		return false, nil
	} else if id, sum = s.row(r, item, of.name, p.Rows()+1); !api.PlainID(id) {
		s.tally.Note(unreadable, "")
		id = ""
	}
	if id == "" {
		r.Reset()
		p.Row("")
		return false, nil
	}
	key := id
	if of.name != "" {
		key = of.name + "/" + id
	}
	p.Row(key)
	if !s.sums {
		return true, r.Emit()
	}
	before, known := s.place.known.Get(key)
	s.place.known.Set(key, sum)
	s.met.Set(key, sum)
	if sum != 0 && known && before == sum {
		r.Reset()
		s.same = append(s.same, recordKey(id, of))
		return false, nil
	}
	return !known, r.Emit()
}

// recordKey is the record's key, by primary_key.
func recordKey(id string, of part) []string {
	if of.name != "" {
		return []string{id, of.name}
	}
	return []string{id}
}

func (s *reader) slice() string { return s.stream + " " + strconv.FormatInt(s.taken, 10) }

// end saves the stream's cursor, whether it was collected to its end or not, and
// reports the rows that were not understood to the host.
func (s *reader) end(err error) error {
	if e := s.saver.Save(s.slice()); e != nil {
		return e
	}
	for _, n := range s.hollows {
		s.tally.Add(withdrawn, n, "")
	}
	if e := s.tally.Report(); e != nil {
		return e
	}
	if err == nil && s.Stopping() {
		return sdk.ErrStopped
	}
	return err
}
