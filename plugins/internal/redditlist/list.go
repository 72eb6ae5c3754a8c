package redditlist

import (
	"errors"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// cursorVersion is the version of place, and of how records are built.
const cursorVersion = 1

// place is the cursor of a list.
type place struct {
	readMS int64       // when it was last read to its end
	known  cursor.Sums // the fingerprints of the entries, by key
}

// Members implements cursor.Value.
func (p *place) Members(m *cursor.Members) {
	m.Int("read_ms", &p.readMS)
	m.Sums("known", &p.known)
}

// kinds are what may be reported of a list; key is the connector's.
func kinds(key string) (unreadable, cutOff *problems.Kind) {
	return &problems.Kind{
			Reason: key + "_item_unreadable", Many: "entries of the list have no valid name", One: "entry of the list has no valid name", Hint: "retry_on_connector_upgrade",
		}, &problems.Kind{
			Reason: key + "_list_cut_off", Plain: "the list is as long as Reddit lists any; what is older cannot be read, and nothing of the list is deleted", Hint: "not_retriable",
		}
}

// surelyWhole is how many entries a list may have that is not cut off. Reddit leaves out some
// of its thousand, such as those of banned communities.
const surelyWhole = 900

// errCutOff ends the reading of a list that is cut off.
var errCutOff = errors.New("the list is cut off")

// reading is a list in one run.
type reading struct {
	*api.Client
	stream

	path  string
	at    place
	bad   *problems.Kind
	list  *sdk.Enumeration
	tally *problems.Tally
	met   cursor.Sums
	same  [][]string // the keys of the page's entries that are unchanged
}

func collectList(c *api.Client, s stream, path string) error {
	unreadable, cutOff := kinds(c.ConnectorKey())
	r := &reading{Client: c, stream: s, path: path + "?limit=100&raw_json=1", bad: unreadable, tally: problems.New(c.Host, s.name, unreadable, cutOff)}
	cursor.Read(c.Cursor(s.name), cursorVersion, &r.at)
	var err error
	if r.list, err = c.Enumerate(s.name, "", ""); err != nil {
		return err
	}
	_, _, err = api.Settle(r.list, r.read)
	if err == errCutOff { //nolint:errorlint // Settle returns it as it is
		r.tally.Note(cutOff, "")
		err = nil
	}
	if err == nil {
		r.at = place{readMS: c.Now().UnixMilli(), known: r.met}
		saver := cursor.Saver{Host: c.Host, Stream: s.name, Version: cursorVersion, Whose: c.Account, Value: &r.at}
		err = saver.Save("the list " + s.name)
	}
	if e := r.tally.Report(); e != nil {
		return e
	}
	return err
}

// pager reads the list, whose next page is asked for by the name of the last entry.
func (r *reading) pager() api.Pager {
	return api.Cursor(func(c *api.Client, after string) sdk.Request {
		if after != "" {
			after = "&after=" + after
		}
		return c.Get(r.path + after)
	}, "/data/children", "", "/data/after")
}

// read reads the list once.
func (r *reading) read() (api.Pass, error) {
	var pass api.Pass
	pages := r.Pages(r.pager(), "")
	for pages.Next() {
		page := pages.Page()
		after := page.Value.Get("data").Get("after")
		switch {
		case !after.Exists(), page.Next == "" && !after.IsNull(): // null alone says that the list ends
			return pass, r.Malformed("the answer to a list is no listing")
		case page.Next != "" && !api.PlainID(page.Next):
			return pass, r.Malformed("a list goes on behind an entry without a valid name")
		}
		if err := r.page(&pass, page.Items); err != nil {
			return pass, err
		}
		if err := r.Step("reading "+r.name, pass.Rows()); err != nil {
			return pass, err
		}
		if page.Next == "" && pass.Rows() > surelyWhole {
			return pass, errCutOff
		}
	}
	return pass, pages.Err()
}

// page emits the entries of a page that have changed, and says of the others that they are there.
func (r *reading) page(pass *api.Pass, rows jsonvalue.Value) error {
	pass.Page(-1) // Reddit does not say how long the list is
	r.same = r.same[:0]
	for it := rows.Children(); it.Next(); {
		kind, d := it.Value().Get("kind").Str(), it.Value().Get("data")
		key := d.Get("name").Str()
		if !r.has(kind) || !api.PlainID(key) || key != kind+"_"+d.Get("id").Str() {
			r.tally.Note(r.bad, "")
			key = ""
		}
		if pass.Row(key); key == "" {
			continue
		}
		if err := r.take(key, kind, d); err != nil {
			return err
		}
	}
	return r.list.Met(r.same...)
}

func (r *reading) take(key, kind string, d jsonvalue.Value) error {
	rec := r.Record(r.name)
	rec.Reset()
	sum := r.build(rec, kind, d)
	r.met.Set(key, sum)
	if before, known := r.at.known.Get(key); known && before == sum && sum != 0 {
		rec.Reset()
		r.same = append(r.same, []string{key})
		return nil
	}
	r.at.known.Set(key, sum)
	return rec.Emit()
}
