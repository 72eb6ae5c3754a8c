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
// rows are gone. A run that was broken off goes on at its page.
type List struct {
	Name  string // of the stream
	Pager Pager
	Total string // where a page says how long the list is, see Pager; "": it does not
	// Row sets the fields of a row's record. A row whose record gets no key is reported as
	// KEY_item_unreadable, and as long as there is one nothing is deleted.
	Row func(r *sdk.Record, row jsonvalue.Value)
}

// listVersion is the version of listPlace.
const listVersion = 1

// listPlace is where the reading of a list was broken off. The zero place begins it.
type listPlace struct{ begunBy, page string }

// Members implements cursor.Value.
func (p *listPlace) Members(m *cursor.Members) {
	m.Text("begun_by", &p.begunBy)
	m.Text("page", &p.page)
}

// Stream returns the list as a stream of a Table.
func (l List) Stream() Stream { return Stream{Name: l.Name, Collect: l.collect} }

// listing is a list in one run.
type listing struct {
	*Client
	List

	at         listPlace
	saver      cursor.Saver
	tally      *problems.Tally
	unreadable *problems.Kind
}

func (l List) collect(c *Client) error {
	unreadable := &problems.Kind{
		Reason: c.ConnectorKey() + "_item_unreadable", Hint: "retry_on_connector_upgrade", Many: "rows of the list have no valid key", One: "row of the list has no valid key",
	}
	unstable := &problems.Kind{
		Reason: c.ConnectorKey() + "_list_unstable", Hint: "retry_by_runtime",
		Plain: "the list changed each time it was read, or is shorter than it says; the next run looks for what is gone",
	}
	r := &listing{Client: c, List: l, unreadable: unreadable, tally: problems.New(c.Host, l.Name, unreadable, unstable)}
	cursor.Read(c.Cursor(l.Name), listVersion, &r.at)
	list, err := c.Enumerate(l.Name, "", r.at.begunBy)
	if err != nil {
		return err
	}
	r.at.begunBy = list.BegunBy()
	r.saver = cursor.Saver{Host: c.Host, Stream: l.Name, Version: listVersion, Whose: c.Account, Value: &r.at}
	how, _, err := Settle(list, r.read)
	if err == nil {
		if how == Unstable {
			r.tally.Note(unstable, "")
		}
		r.at = listPlace{}
		err = r.saver.Save("the list " + l.Name)
	}
	if e := r.tally.Report(); e != nil {
		return e
	}
	return err
}

// read reads the list once, from its first page or the one at which it was broken off.
func (r *listing) read() (Pass, error) {
	var pass Pass
	pages := r.Pages(r.Pager, r.at.page)
	for pages.Next() {
		page := pages.Page()
		pass.Page(r.total(page.Value))
		for it := page.Items.Children(); it.Next(); {
			if err := r.row(&pass, it.Value()); err != nil {
				return pass, err
			}
		}
		r.at.page = page.Next
		if err := r.saver.Page(r.Name + " " + strconv.FormatInt(pass.Rows(), 10)); err != nil {
			return pass, err
		}
		if err := r.Step("listing "+r.Name, pass.Rows()); err != nil {
			return pass, err
		}
	}
	return pass, pages.Err()
}

func (r *listing) row(pass *Pass, row jsonvalue.Value) error {
	record := r.Record(r.Name)
	record.Reset()
	r.Row(record, row)
	key := record.Key()
	if pass.Row(key); key == "" {
		r.tally.Note(r.unreadable, "")
		record.Reset()
		return nil
	}
	return record.Emit()
}

// total is the length of the list as a page gives it, -1 when it does not.
func (r *listing) total(page jsonvalue.Value) int64 {
	if r.Total == "" {
		return -1
	}
	if n, ok := find(page, r.Total).IntOK(); ok && n >= 0 {
		return n
	}
	return -1
}
