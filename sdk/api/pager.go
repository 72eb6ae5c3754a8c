package api

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Pager says how a list is paged. Make it with NextLink, LinkHeader, Cursor, Offset, PageNumber
// or OnePage. A place in the answer is the name of a member, or a JSON Pointer (RFC 6901) to one
// of an object in it, such as "/data/after".
type Pager struct {
	items   string // the place of the rows; "": the answer is the array
	request func(c *Client, at string) sdk.Request
	next    func(c *Client, p Page) (at string, err error)
	// place is where a page says how the list goes on; "": it does not, or in a header. Without
	// lastLacks every page has it.
	place     string
	lastLacks bool
	mayLack   bool   // the rows
	linked    bool   // the place is the header Link
	numbered  bool   // no place: pages are asked for by a number
	addresses bool   // the place is the address of a page
	total     string // where each page says how long the list is; "": it does not
	// forgets: the provider may answer 400 to a position that it no longer knows.
	forgets bool
}

// LastLacksNext says that the provider leaves the member for the next page out of the last
// page, by its documentation. Without it every page must have the member, with null or "" on
// the last one: a member that is missing because its name is misspelt, or because the provider
// has renamed it, would pass for the end of the list.
func (p Pager) LastLacksNext() Pager {
	p.lastLacks = true
	return p
}

// EmptyLacksItems says that the provider leaves the member for the rows out of a page that has
// none, by its documentation.
func (p Pager) EmptyLacksItems() Pager {
	p.mayLack = true
	return p
}

// HasTotal says where each page says how long the list is: a list of Offset or PageNumber ends with a
// page that is shorter than asked for if as many rows came. A List says it by its Total.
func (p Pager) HasTotal(place string) Pager {
	p.total = place
	return p
}

// NextLink is a list whose page names the address of the next one in a member, as text;
// null or "" on the last page, see LastLacksNext. first is the path of the first page.
func NextLink(first, items, next string) Pager {
	return Pager{
		items: items, place: next, addresses: true,
		request: func(c *Client, at string) sdk.Request {
			if at == "" {
				at = first
			}
			return c.Get(at)
		},
		next: func(c *Client, p Page) (string, error) {
			link := find(p.Value, next)
			switch {
			case link.IsNull():
				return "", nil
			case link.Kind() != jsonvalue.String:
				return "", c.Malformed("a list's link to its next page is not a text")
			case link.Str() != "" && !c.within(link.Str()):
				return "", c.foreign()
			}
			return link.Str(), nil
		},
	}
}

// OnePage is a list that comes whole.
func OnePage(path, items string) Pager {
	return Pager{
		items:   items,
		request: func(c *Client, _ string) sdk.Request { return c.Get(path) },
		next:    func(*Client, Page) (string, error) { return "", nil },
	}
}

// Cursor is a list whose page says in the member more whether there is another one, and in
// the member next what to ask it with, a text or a whole number; request makes the request, of
// the first page with cursor "". Without a member more the list ends where next is null or "",
// see LastLacksNext.
func Cursor(request func(c *Client, cursor string) sdk.Request, items, more, next string) Pager {
	place := next
	if more != "" {
		place = more
	}
	return Pager{items: items, request: request, forgets: true, place: place, next: func(c *Client, p Page) (string, error) {
		if more != "" {
			switch flag := find(p.Value, more); {
			case flag.Kind() != jsonvalue.True && flag.Kind() != jsonvalue.False:
				return "", c.Malformed("the answer to a list does not say whether there is more")
			case !flag.Bool():
				return "", nil
			}
		}
		at := find(p.Value, next)
		cursor := at.Str()
		if n, whole := at.IntOK(); whole {
			cursor = strconv.FormatInt(n, 10)
		}
		switch {
		case cursor != "":
			return cursor, nil
		case !at.IsNull() && at.Kind() != jsonvalue.String:
			return "", c.Malformed("a list's cursor to its next page is neither a text nor a whole number")
		case more != "":
			return "", c.Malformed("a list has more pages, and no cursor to them")
		}
		return "", nil
	}}
}

// Offset is a list whose page is asked for by how many rows come before it, in the query
// parameter param. path has the parameters of every page, and asks for pages of size rows; 0: it
// does not say. The list ends with a page that is empty. One that has fewer rows than size ends it
// if the list's length agrees, see HasTotal: a provider may cap its pages, so without a length a
// list costs one request more.
func Offset(path, items, param string, size int) Pager {
	return numbered(path, items, param, 0, size, func(at, rows int) int { return at + rows })
}

// PageNumber is a list whose pages are numbered from first on, in the query parameter param.
// It ends as Offset does.
func PageNumber(path, items, param string, first, size int) Pager {
	return numbered(path, items, param, first, size, func(at, _ int) int { return at + 1 })
}

func numbered(path, items, param string, first, size int, step func(at, rows int) int) Pager {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	return Pager{
		items: items, numbered: true,
		request: func(c *Client, at string) sdk.Request {
			if at == "" {
				at = strconv.Itoa(first)
			}
			return c.Get(path + separator + param + "=" + at)
		},
		next: func(c *Client, p Page) (string, error) {
			rows := p.Items.Len()
			if rows == 0 || rows < size && p.agrees {
				return "", nil
			}
			at := first
			if p.At != "" {
				var err error
				if at, err = strconv.Atoi(p.At); err != nil {
					return "", c.Malformed("a list goes on at a page that is no number")
				}
			}
			return strconv.Itoa(step(at, rows)), nil
		},
	}
}

// find returns the value at a place in an answer, see Pager.
func find(v jsonvalue.Value, place string) jsonvalue.Value {
	names, isPointer := strings.CutPrefix(place, "/")
	if !isPointer {
		return v.Get(place)
	}
	for name := range strings.SplitSeq(names, "/") {
		v = v.Get(strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~"))
	}
	return v
}

// Page is one page of a list.
type Page struct {
	Response *sdk.Response
	Value    jsonvalue.Value // the answer
	Items    jsonvalue.Value // its rows, an array
	At       string          // the position that the page was asked for by; "": the first
	Next     string          // that of the next page; "": this is the last one
	Partial  bool            // the provider says that rows are missing, see Refusal

	url    string // that it was asked for at
	agrees bool   // it is the list's first page or one behind it, and as many rows came as the list has
}

// maxPages ends a list that does not end.
const maxPages = 50_000

// Pages reads a list page by page, as a bufio.Scanner reads lines.
type Pages struct {
	c        *Client
	pager    Pager
	page     Page
	at       string
	started  bool // a page was read
	ended    bool
	repeated bool // the last answer is the one before it
	same     bool // the answer to a conditional request was that nothing has changed
	visited  map[string]bool
	err      error
	partial  error  // a page was not whole
	list     string // the path of the page, for messages
	url      string // of the page
	rows     int64  // that came; below 0: the reading did not begin at the first page
	before   uint64 // sumOf the page before, if that does not name this one, which is asked for by its number
}

// Pages begins to read a list, at a position that an earlier reading got as Page.Next, or at
// the first page with "". When the provider no longer knows the position of another run, or it is
// none that the pager makes, the reading begins at the first page.
func (c *Client) Pages(p Pager, at string) *Pages {
	if !p.makes(at) {
		at = ""
	}
	r := &Pages{c: c, pager: p, at: at, visited: make(map[string]bool)}
	if at != "" {
		r.rows = -1
	}
	return r
}

// makes reports whether a position has the form of those that the pager makes: a cursor may be damaged.
func (p Pager) makes(at string) bool {
	switch {
	case p.numbered:
		_, err := strconv.Atoi(at)
		return err == nil
	case p.addresses:
		return strings.Contains(at, "://")
	}
	return true
}

// Next reads the next page. It is false behind the last one and after an error.
func (p *Pages) Next() bool {
	if p.ended || p.err != nil {
		return false
	}
	p.err = p.read()
	return p.err == nil && !p.same && !p.repeated
}

// Unchanged reports that the reading ended with the answer 304 to a request with If-None-Match.
func (p *Pages) Unchanged() bool { return p.same }

// Page returns the page that Next has read.
func (p *Pages) Page() Page { return p.page }

// Err is why the reading ended before the last page, or what the provider left out of the pages
// that it read; else nil.
func (p *Pages) Err() error {
	if p.err != nil {
		return p.err
	}
	return p.partial
}

func (p *Pages) read() error {
	switch {
	case p.visited[p.at]:
		return p.c.cycle()
	case len(p.visited) == maxPages:
		return p.c.Malformed("a list does not end")
	case strings.Contains(p.at, "://") && !p.c.within(p.at): // a link that an earlier run has kept
		return p.c.foreign()
	}
	p.visited[p.at] = true
	request := p.pager.request(p.c, p.at)
	p.url = request.URL
	p.list, _, _ = strings.Cut(strings.TrimPrefix(request.URL, p.c.base), "?")
	resp, err := p.c.send(request)
	if err != nil {
		return err
	}
	if resp.Status == 304 && request.Header["If-None-Match"] != "" {
		p.same, p.ended = true, true
		return nil
	}
	if p.pager.forgets && resp.Status == 400 && p.at != "" {
		if p.started {
			return p.c.Malformed("the API refused its own cursor")
		}
		delete(p.visited, p.at) // the list may come by it again
		p.at = ""
		return p.read()
	}
	return p.take(resp)
}

// take reads the page of an answer.
func (p *Pages) take(resp *sdk.Response) error {
	v, partial, err := p.c.answered(resp, true)
	if err != nil {
		return err
	}
	page := Page{Response: resp, Value: v, Items: v, At: p.at, Partial: partial, url: p.url}
	if p.pager.items != "" {
		page.Items = find(v, p.pager.items)
	}
	lacks := p.pager.mayLack && v.Kind() == jsonvalue.Object && !page.Items.Exists()
	if page.Items.Kind() != jsonvalue.Array && !lacks {
		return p.c.Malformed("the answer to a list has no array of rows" + under(p.pager.items))
	}
	p.note(p.pager.items, !lacks)
	if p.before != 0 && p.before == sumOf(page.Items) {
		if p.pager.linked { // which has said by its header that there is no other page
			p.ended, p.repeated = true, true
			return nil
		}
		return p.c.Malformed("a list gives its page again when it is asked for the next one: it does not know the parameter")
	}
	if p.rows >= 0 {
		p.rows += int64(page.Items.Len())
		n, known := length(find(v, p.pager.total))
		page.agrees = p.pager.total != "" && known && n == p.rows
	}
	if at := p.pager.place; at != "" {
		has := find(v, at).Exists()
		if p.note(at, has); !has && !p.pager.lastLacks {
			return p.c.Malformed("the answer to a list does not say how it goes on" + under(at))
		}
	}
	if page.Next, err = p.pager.next(p.c, page); err != nil {
		return err
	}
	guessed := p.pager.numbered
	if p.pager.linked {
		link := resp.Header("Link")
		p.note("header Link", link != "")
		guessed = nextLink(link) == ""
	}
	if p.before = 0; guessed && page.Next != "" {
		p.before = sumOf(page.Items)
	}
	if partial {
		p.partial = p.c.incomplete()
	}
	p.page, p.at, p.started, p.ended = page, page.Next, true, page.Next == ""
	return nil
}

// sumOf is the same for pages of the same rows, in whatever order; 0 without rows.
func sumOf(rows jsonvalue.Value) (sum uint64) {
	for it := rows.Children(); it.Next(); {
		sum += fingerprint.Mix(fingerprint.Bytes(1, it.Value().Raw()))
	}
	return sum
}

// note notes whether a page has a place.
func (p *Pages) note(place string, has bool) { p.c.places.note(p.list, place, has) }

// under names a place in a message.
func under(place string) string {
	if place == "" {
		return ""
	}
	return " (no " + place + " in it)"
}
