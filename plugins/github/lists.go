package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// list is a list of the API that does not report removed rows: only reading it whole
// finds them.
type list struct {
	stream string
	whole  string // oldest first where possible, so that rows added while paging come last
	head   string // newest first, to find new rows only
	since  bool   // head takes the time of the last whole read
	sums   bool   // rows have fields that change all the time
	media  string
	// row sets the fields of a row. It returns the key, "" for a row that cannot be a record,
	// the time by which head is ordered, and the fingerprint of what makes the row a new one.
	row func(r *sdk.Record, v jsonvalue.Value) (key string, at time.Time, sum uint64)
}

var (
	repositories = list{
		stream: streamRepositories, media: mediaJSON, row: repositoryRecord,
		whole: "/user/repos?per_page=100&sort=created&direction=asc",
		head:  "/user/repos?per_page=100&sort=pushed&direction=desc",
	}
	stars = list{
		stream: streamStarred, media: mediaStar, row: starRecord, sums: true,
		whole: "/user/starred?per_page=100&sort=created&direction=asc",
		head:  "/user/starred?per_page=100&sort=created&direction=desc",
	}
	gists = list{
		stream: streamGists, media: mediaJSON, row: gistRecord,
		whole: "/gists?per_page=100", head: "/gists?per_page=100&since=", since: true,
	}
)

const (
	// cheapPages is how many pages a list may have to be read whole in each run.
	cheapPages = 10
	// inventoryEvery is how often a longer list is read whole.
	inventoryEvery = 24 * time.Hour
)

// listPlace is the cursor of a list.
type listPlace struct {
	at           time.Time // when the whole list was last read; zero: never
	pages        int64     // of the list, at that time
	tag, headTag string    // of the list's only page, and of the first one of the newest
	newest       time.Time // of the rows, by which head is ordered

	begunBy string // of a reading that is not at its end
	page    string // where it goes on, without the API's address
	read    int64  // pages that it has read
	turn    int64  // how often it was at the end
	holes   bool   // a row of its pages could not be read, or was hidden

	known cursor.Sums // fingerprint by key, of a list with sums
}

// Members implements cursor.Value.
func (p *listPlace) Members(m *cursor.Members) {
	m.Time("inventory_at", &p.at)
	m.Int("pages", &p.pages)
	m.Text("etag", &p.tag)
	m.Text("head_etag", &p.headTag)
	m.Time("newest", &p.newest)
	m.Text("begun_by", &p.begunBy)
	m.Text("page", &p.page)
	m.Int("read", &p.read)
	m.Int("turn", &p.turn)
	m.Flag("holes", &p.holes)
	m.Sums("known", &p.known)
}

// walk reads one list in one run.
type walk struct {
	*run
	list

	at     listPlace
	saver  cursor.Saver
	tally  *problems.Tally
	open   *sdk.Enumeration // nil: the newest rows are read
	turns  int              // over the list, in earlier runs
	met    cursor.Sums
	all    bool       // met has the whole list
	same   [][]string // rows of the page that are unchanged
	newest time.Time  // that was met
	tag    string     // of the first page
	taken  int64
}

// Why a reading does not say what is gone.
var (
	errUnchanged = errors.New("the list has not changed")
	errPartial   = errors.New("the list is not whole")
)

// inventory collects one list.
func (r *run) inventory(l list) error {
	w := &walk{run: r, list: l, tally: problems.New(r.Host, l.stream, unreadable, cappedList, hidden)}
	r.place(l.stream, &w.at)
	w.saver = cursor.Saver{Host: r.Host, Stream: l.stream, Version: version, Whose: r.Account, Value: &w.at}
	age := r.Now().Sub(w.at.at)
	var err error
	if w.at.begunBy != "" || w.at.pages <= cheapPages || age >= inventoryEvery || age < 0 {
		err = w.full()
	} else {
		err = w.head()
	}
	if err == nil || w.taken > 0 {
		if e := w.saver.Save(w.slice()); e != nil {
			return e
		}
	}
	if e := w.tally.Report(); err == nil {
		err = e
	}
	return err
}

// full reads the list whole, in an enumeration. A page that shifts while the list is read
// hides a row: so a first reading of several pages is done twice, and so is one that has not
// met a row that the host has (api.Settle).
func (w *walk) full() (err error) {
	if w.open, err = w.Enumerate(w.stream, "", w.at.begunBy); err != nil {
		return err
	}
	w.at.begunBy, w.turns = w.open.BegunBy(), int(w.at.turn)
	how, last, err := api.Settle(w.open, w.read)
	switch err {
	case nil:
		if w.at.tag = ""; w.at.pages == 1 && w.tally.Count(unreadable) == 0 {
			w.at.tag = w.tag
		}
		if w.all && (how == api.Whole || how == api.Moving) {
			w.at.known = w.met
		}
	case errUnchanged: //nolint:errorlint // Settle returns it as it is
	case errPartial:
		w.at.tag = ""
	default:
		return err
	}
	w.at.at, w.at.begunBy, w.at.page, w.at.read, w.at.turn, w.at.holes, w.open = w.Now(), "", "", 0, 0, false, nil
	if !w.since && w.tally.Count(cappedList) > 0 {
		// The oldest rows were read. The newest matter more.
		err = w.pageByPage(&last, w.pages(w.list.head, w.media, "", ""), true)
		if err != nil && err != errPartial { //nolint:errorlint // pageByPage returns it as it is
			return err
		}
	}
	w.at.newest = laterOf(w.at.newest, w.newest)
	return nil
}

// read reads the list once to its end, from where an earlier run was broken off.
func (w *walk) read() (p api.Pass, err error) {
	if err := w.Step("reading "+w.stream, w.taken); err != nil {
		return p, err
	}
	if w.met, w.all = (cursor.Sums{}), w.at.page == ""; w.all {
		w.at.read, w.at.holes = 0, false
	}
	p.Holes = w.at.holes
	tag := ""
	if w.at.pages == 1 && w.at.turn == 0 {
		tag = w.at.tag
	}
	pages := w.pages(w.list.whole, w.media, tag, w.at.page)
	if err := w.pageByPage(&p, pages, false); err != nil {
		return p, err
	}
	if pages.Unchanged() {
		return p, errUnchanged
	}
	w.at.pages = w.at.read
	p.Shifts, p.Earlier = w.at.at.IsZero() && w.at.pages > 1, w.turns
	w.at.turn++
	if w.tally.Count(hidden) > 0 {
		return p, errPartial
	}
	return p, nil
}

// head reads the newest rows, up to a page on which nothing is new.
func (w *walk) head() error {
	path, tag := w.list.head, w.at.headTag
	if w.since {
		// An hour earlier: the clock here need not be the provider's.
		path, tag = path+api.Escape(w.at.at.Add(-time.Hour).UTC().Format(time.RFC3339)), ""
	}
	err := w.pageByPage(&api.Pass{}, w.pages(path, w.media, tag, ""), true)
	if err == errPartial { //nolint:errorlint // pageByPage returns it as it is
		w.at.pages, err = 0, nil // the next run reads the whole list
	}
	if err == nil && w.taken > 0 {
		w.at.headTag, w.at.newest = w.tag, laterOf(w.at.newest, w.newest)
	}
	return err
}

// pageByPage reads pages to the last one, or of the newest rows to one on which nothing is
// new. It returns errPartial behind the last page of a run.
func (w *walk) pageByPage(p *api.Pass, pages *api.Pages, newest bool) error {
	for n := 1; pages.Next(); n++ {
		page := pages.Page()
		if n == 1 {
			w.tag = goodTag(page.Response)
		}
		fresh, err := w.rows(p, page.Items)
		if err != nil {
			return err
		}
		if strings.Contains(page.Response.Header("X-GitHub-SSO"), "partial-results") {
			if p.Holes = true; w.tally.Count(hidden) == 0 {
				w.tally.Note(hidden, "")
			}
		}
		if !newest {
			w.at.page = strings.TrimPrefix(page.Next, strings.TrimSuffix(w.Get("/").URL, "/"))
			w.at.read++
			w.at.holes = p.Holes
		}
		if n == maxPages && page.Next != "" {
			if w.at.pages = maxPages; w.tally.Count(cappedList) == 0 {
				w.tally.Note(cappedList, "")
			}
			return errPartial
		}
		if page.Next == "" || newest && !fresh {
			return nil
		}
		if err := w.saver.Page(w.slice()); err != nil {
			return err
		}
		if err := w.Step("reading "+w.stream, w.taken); err != nil {
			return err
		}
	}
	return pages.Err()
}

// rows emits the rows of a page, and reports whether one is newer than those of the last run.
func (w *walk) rows(p *api.Pass, rows jsonvalue.Value) (fresh bool, err error) {
	p.Page(-1) // the API does not say how long the list is
	w.same = w.same[:0]
	for it := rows.Children(); it.Next(); {
		w.taken++
		rec := w.Record(w.stream)
		rec.Reset()
		key, at, sum := w.row(rec, it.Value())
		if p.Row(key); key == "" {
			if w.at.turn == 0 {
				w.tally.Note(unreadable, "")
			}
			continue
		}
		w.newest = laterOf(w.newest, at)
		fresh = fresh || w.since || at.After(w.at.newest)
		if w.sums {
			before, known := w.at.known.Get(key)
			w.at.known.Set(key, sum)
			if w.met.Set(key, sum); known && before == sum && sum != 0 {
				w.same = append(w.same, []string{key})
				continue
			}
		}
		if err := rec.Emit(); err != nil {
			return fresh, err
		}
	}
	if w.open == nil {
		return fresh, nil
	}
	return fresh, w.open.Met(w.same...)
}

func (w *walk) slice() string { return w.stream + "." + strconv.FormatInt(w.taken, 10) }

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
