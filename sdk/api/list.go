package api

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// List is a stream that one list of the provider shows whole. A run reads the list to its
// end: the host writes the rows that are new or have changed, and deletes the records whose
// rows are gone. When a run is broken off, the next one goes on at its page. A list with Detail
// is read from its first page again, and has to come to its end in one run, because the details
// are fetched behind it. Those behind which a cursor was committed are not fetched again, but for
// those without a time.
type List struct {
	Name  string // of the stream
	Pager Pager
	// Total is where each page says how long the list is, see Pager; null there is no number.
	// "": it does not. With TotalMayLack, pages may lack it, by the provider's documentation.
	Total        string
	TotalMayLack bool
	// Row sets the fields of a row's record. A row whose record gets no key is reported as
	// KEY_item_unreadable, and as long as there is one nothing is deleted.
	Row func(r *sdk.Record, row jsonvalue.Value)
	// Version is part of the list's cursor. Raise it when Row makes records in another way, or
	// Pager numbers pages in another way: the next run begins anew, and fetches every detail.
	Version int64

	// Detail and Path serve a list that does not show its records whole: each record is
	// fetched by itself, and Row gets the answer. Detail returns the key of a row's record, and when it
	// was last changed: a record whose time is as before is not fetched again. Path is where
	// the record is. The stream's coverage_strategy is parent_detail_accounting.
	Detail func(row jsonvalue.Value) sdk.Detail
	Path   func(key []string) string
}

// listVersion is the version of the cursors of lists.
const listVersion = 1

// version is that of the list's cursor.
func (l List) version() int64 { return l.Version<<8 | listVersion }

// listPlace is where the reading of a list was broken off. The zero place begins it.
type listPlace struct{ begunBy, page string }

// Members implements cursor.Value.
func (p *listPlace) Members(m *cursor.Members) {
	m.Text("begun_by", &p.begunBy)
	m.Text("page", &p.page)
}

// Stream returns the list as a stream of a Table.
func (l List) Stream() Stream {
	if l.Detail != nil {
		return Stream{Name: l.Name, Lane: l.lane}
	}
	return Stream{Name: l.Name, Collect: l.Collect}
}

// listing is a list in one run.
type listing struct {
	*Client
	List

	at     listPlace
	saver  *cursor.Saver // nil: the place is not kept
	tally  *problems.Tally
	listed [][]string // keys of rows of the page whose records are there

	bad, told            int  // unreadable rows of this reading, and the most of one so far
	partial              bool // a page of this reading was not whole: the list goes on there
	unreadable, unstable *problems.Kind
}

// Collect collects a list without Detail, for a table that knows its path in the run alone.
func (l List) Collect(c *Client) error {
	r := l.in(c)
	err := r.emit()
	if e := r.tally.Report(); e != nil {
		return e
	}
	return err
}

func (l List) in(c *Client) *listing {
	return &listing{
		Client: c, List: l, tally: problems.New(c.Host, l.Name),
		unreadable: &problems.Kind{
			Reason: c.ConnectorKey() + "_item_unreadable", Hint: "retry_on_connector_upgrade",
			Many: "rows of the list have no valid key", One: "row of the list has no valid key",
		},
		unstable: &problems.Kind{
			Reason: c.ConnectorKey() + "_list_unstable", Hint: "retry_by_runtime",
			Plain: "the list changed each time it was read, or is shorter than it says; the next run looks for what is gone",
		},
	}
}

// emit collects a list whose rows are the records.
func (r *listing) emit() error {
	cursor.Read(r.Cursor(r.Name), r.version(), &r.at)
	r.saver = &cursor.Saver{Host: r.Host, Stream: r.Name, Version: r.version(), Whose: r.Account, Value: &r.at}
	_, err := r.settle(func(row jsonvalue.Value) (string, error) {
		record := r.Record(r.Name)
		record.Reset()
		r.Row(record, row)
		key := record.Key()
		if key == "" {
			record.Reset()
			return "", nil
		}
		return key, record.Emit()
	})
	if err != nil {
		return err
	}
	r.at = listPlace{}
	return r.saver.Save("the list " + r.Name)
}

// settle reads the list until it is known what is gone. take takes a row and returns the key
// of its record, "" when it has none.
func (r *listing) settle(take func(row jsonvalue.Value) (key string, err error)) (Settled, error) {
	list, err := r.Enumerate(r.Name, "", r.at.begunBy)
	if err != nil {
		return Unstable, err
	}
	r.at.begunBy = list.BegunBy()
	how, _, err := Settle(list, func() (Pass, error) {
		var pass Pass
		r.bad, r.partial = 0, false
		pages := r.Pages(r.Pager.HasTotal(r.Total), r.at.page)
		for pages.Next() {
			if err := r.page(&pass, list, pages.Page(), take); err != nil {
				return pass, err
			}
		}
		return pass, pages.Err()
	})
	if err == nil && how == Unstable {
		r.tally.Note(r.unstable, "")
	}
	return how, err
}

func (r *listing) page(pass *Pass, list *sdk.Enumeration, page Page, take func(row jsonvalue.Value) (string, error)) error {
	total, err := r.total(page.Value)
	if err != nil {
		return err
	}
	pass.Page(total)
	for it := page.Items.Children(); it.Next(); {
		key, err := take(it.Value())
		if err != nil {
			return err
		}
		if pass.Row(key); key == "" {
			r.bad++
		}
		if r.bad > r.told { // each is met again in the next reading
			r.told++
			r.Items(r.Name).KeptBack++
			r.tally.Note(r.unreadable, "")
		}
	}
	err = list.Met(r.listed...)
	r.listed = r.listed[:0]
	if err == nil && r.saver != nil {
		if r.partial = r.partial || page.Partial; !r.partial {
			r.at.page = page.Next
		}
		err = r.saver.Page(r.Name + " " + strconv.FormatInt(pass.Rows(), 10))
	}
	if err != nil {
		return err
	}
	return r.Step("listing "+r.Name, pass.Rows())
}

// total is the length of the list as a page gives it, -1 when it does not.
func (r *listing) total(page jsonvalue.Value) (int64, error) {
	at := find(page, r.Total)
	if r.Total == "" || !at.Exists() && r.TotalMayLack {
		r.places.note("the stream "+r.Name, r.Total, false)
		return -1, nil
	}
	return r.Length(page, r.Total, r.Name)
}

// Length is the length of a stream's list, as a page gives it at a place: -1 where it has null
// there. A page that has no length there is a failure.
func (c *Client) Length(page jsonvalue.Value, place, stream string) (int64, error) {
	at := find(page, place)
	c.places.note("the stream "+stream, place, at.Exists())
	n, ok := length(at)
	switch {
	case ok && n >= 0:
		return n, nil
	case ok, at.Exists() && at.IsNull():
		return -1, nil
	}
	return -1, c.Malformed("the answer to a list does not say how long it is" + under(place))
}

// length reads a number, or the text of one.
func length(at jsonvalue.Value) (int64, bool) {
	if at.Kind() == jsonvalue.String {
		n, err := strconv.ParseInt(at.Str(), 10, 64)
		return n, err == nil
	}
	return at.IntOK()
}
