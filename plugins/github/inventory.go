package main

import (
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// list is a list of the API that does not report removed rows: only reading it whole
// finds them.
type list struct {
	stream string
	whole  string // oldest first where possible, so that rows added while paging come last
	head   string // newest first, to find new rows only
	since  bool   // head takes the time of the last whole read
	media  string
	record func(s *builder, v jsonvalue.Value) (key string, sum uint64)
}

var (
	repositories = list{
		stream: streamRepositories, media: mediaJSON,
		whole: "/user/repos?per_page=100&sort=created&direction=asc",
		head:  "/user/repos?per_page=100&sort=pushed&direction=desc",
		record: func(s *builder, v jsonvalue.Value) (string, uint64) {
			key := repositoryRecord(s, v)
			return key, printOf(s.b)
		},
	}
	stars = list{
		stream: streamStarred, media: mediaStar,
		whole: "/user/starred?per_page=100&sort=created&direction=asc",
		head:  "/user/starred?per_page=100&sort=created&direction=desc",
		record: func(s *builder, v jsonvalue.Value) (string, uint64) {
			key, stable := starRecord(s, v)
			return key, printOf(s.b[:stable])
		},
	}
	gists = list{
		stream: streamGists, media: mediaJSON,
		whole: "/gists?per_page=100", head: "/gists?per_page=100&since=", since: true,
		record: func(s *builder, v jsonvalue.Value) (string, uint64) {
			key := gistRecord(s, v)
			return key, printOf(s.b)
		},
	}
)

const (
	// cheapPages is how many pages a list may have to be read whole in each run.
	cheapPages = 10
	// inventoryEvery is how often a longer list is read whole.
	inventoryEvery = 24 * time.Hour
	// sliceItems is how many items a cursor may have to be handed over after
	// each page; a larger one is after every tenth.
	sliceItems = 2000
)

// inventory collects one list.
func (r *run) inventory(l list) error {
	w := &walk{r: r, l: l, inv: r.remembered(l.stream), builder: builder{stream: l.stream}}
	due := w.inv.at.IsZero() || w.inv.partial || w.inv.pages <= cheapPages ||
		r.h.Now().Sub(w.inv.at) >= inventoryEvery || r.h.Now().Before(w.inv.at)
	var err error
	if due {
		err = w.full()
	} else {
		err = w.newest()
	}
	if reported := w.builder.report(r.h); err == nil {
		err = reported
	}
	return err
}

// walk reads one list.
type walk struct {
	r       *run
	l       list
	inv     inventory
	builder builder

	seen    map[string]bool
	before  int64 // pages of this turn that an earlier run read
	resumed bool  // the list that an earlier run began is read to its end
	hidden  bool  // the API reported that it leaves something out
	capped  bool
	unknown bool // a row has no usable key
	tag     string
	pages   int64
	turns   int             // over the list
	trail   map[string]page // of the first turn, by address
}

// page remembers a page for a second look: its tag, and the page after it.
type page struct{ tag, next string }

// full reads the list whole, and sends tombstones for the rows that it no longer has.
//
// Rows that vanish while the list is read page by page move others across a page's
// border, where no page shows them. So the first read of a list of several pages is
// done twice, and only rows missed both times get a tombstone. In the second read,
// unchanged pages cost no quota.
func (w *walk) full() error {
	w.seen = make(map[string]bool)
	if w.inv.next != "" {
		if err := w.resume(); err != nil {
			return err
		}
	}
	first := w.inv.at.IsZero()
	tag := ""
	if w.inv.pages == 1 && !w.inv.overflow {
		tag = w.inv.etag
	}
	unchanged, err := w.pass(w.r.c.base+w.l.whole, tag, false)
	if err != nil {
		return err
	}
	if unchanged {
		return w.finish(true)
	}
	gone := len(w.missingKeys())
	if w.complete() && (w.pages > 1 && (first || gone > 0) || gone > 0 && 2*gone >= len(w.inv.items)) {
		if _, err := w.pass(w.r.c.base+w.l.whole, "", false); err != nil {
			return err
		}
	}
	if w.capped && !w.l.since {
		// The oldest rows were read. The newest matter more.
		if _, err := w.pass(w.r.c.base+w.l.head, "", true); err != nil {
			return err
		}
	}
	if err := w.reportHidden(); err != nil {
		return err
	}
	if w.complete() {
		if err := w.bury(); err != nil {
			return err
		}
	}
	return w.finish(false)
}

// resume continues where a run was stopped, for instance at its owner's bound.
// Afterwards the list counts as read, so the next run need not begin again, however
// this run ends. Removed rows are found only by the look at the whole list that
// follows.
func (w *walk) resume() error {
	w.before = w.inv.pages
	if _, err := w.pass(w.r.c.origin+w.inv.next, "", false); err != nil {
		return err
	}
	w.before, w.resumed = 0, true
	return w.finish(false)
}

// bury emits tombstones for the rows that the whole list no longer has.
func (w *walk) bury() error {
	for _, key := range w.missingKeys() {
		if err := w.r.h.Delete(w.l.stream, key); err != nil {
			return err
		}
		delete(w.inv.items, key)
	}
	if w.inv.overflow = len(w.inv.items) < len(w.seen); w.inv.overflow {
		return w.reportOverflow()
	}
	return nil
}

// newest reads the newest rows, up to a page on which nothing is new.
func (w *walk) newest() error {
	w.seen = make(map[string]bool)
	path, tag := w.l.head, w.inv.headTag
	if w.l.since {
		// An hour earlier: the clock here need not be the provider's.
		path, tag = path+escape(w.inv.at.Add(-time.Hour).UTC().Format(time.RFC3339)), ""
	}
	if _, err := w.pass(w.r.c.base+path, tag, true); err != nil {
		return err
	}
	w.inv.partial = w.capped
	return w.state("newest")
}

// complete reports whether the run saw the whole list.
func (w *walk) complete() bool { return !w.hidden && !w.capped && !w.unknown }

// missingKeys lists the remembered rows that were not seen.
func (w *walk) missingKeys() []string {
	var gone []string
	for _, key := range w.inv.keys() {
		if !w.seen[key] {
			gone = append(gone, key)
		}
	}
	return gone
}

// finish hands over the cursor after the last page.
func (w *walk) finish(unchanged bool) error {
	w.inv.partial, w.inv.next, w.inv.at = false, "", w.r.h.Now()
	if !unchanged {
		w.inv.pages, w.inv.etag = w.pages, ""
		if w.pages == 1 && w.complete() && !w.builder.droppedRows() {
			w.inv.etag = w.tag
		}
	}
	return w.state("whole")
}

// pass reads the pages from url on. unchanged reports that the only page is the known
// one.
func (w *walk) pass(url, etag string, stopAtKnown bool) (unchanged bool, err error) {
	p := pager{c: w.r.c}
	if w.turns++; w.trail == nil {
		w.trail = make(map[string]page)
	}
	for url != "" {
		if !p.visit(url) {
			w.capped = true
			w.pages = maxPages
			return false, w.reportCap()
		}
		before, again := w.trail[url]
		if again {
			etag = before.tag
		}
		next, fresh, err := w.read(&p, url, etag, stopAtKnown)
		etag = ""
		switch {
		case err != nil:
			return false, err
		case fresh == asBefore && !again:
			return true, nil
		case fresh == asBefore:
			next = before.next
		case fresh == nothingNew && stopAtKnown:
			return false, nil
		}
		if url = next; url != "" && fresh != asBefore && (len(w.inv.items) < sliceItems || p.pages%10 == 0) {
			if w.inv.partial, w.inv.next = !w.resumed, ""; !stopAtKnown && !w.resumed {
				w.inv.pages, w.inv.next = w.before+int64(p.pages), strings.TrimPrefix(url, w.r.c.origin)
			}
			if err := w.state(strconv.Itoa(w.turns) + "." + strconv.Itoa(p.pages)); err != nil {
				return false, err
			}
		}
	}
	if !stopAtKnown {
		w.pages = w.before + int64(p.pages)
	}
	return false, nil
}

// pageContent is the new content of a page.
type pageContent uint8

const (
	asBefore   pageContent = iota // the page did not change: 304
	nothingNew                    // every row is known
	someNew
)

// read reads one page.
func (w *walk) read(p *pager, url, etag string, newest bool) (next string, fresh pageContent, err error) {
	resp, v, err := w.r.c.get(url, w.l.media, etag)
	if err != nil || resp.Status == statusNotModified {
		return "", asBefore, err
	}
	if v.Kind() != jsonvalue.Array {
		return "", asBefore, malformed("a page that is not a list")
	}
	if fresh, err = w.rows(v); err != nil {
		return "", fresh, err
	}
	w.hidden = w.hidden || strings.Contains(resp.Header("X-GitHub-SSO"), "partial-results")
	tag := resp.Header("ETag")
	if p.pages == 1 && newest {
		w.inv.headTag = tag
	} else if p.pages == 1 {
		w.tag = tag
	}
	if next, err = p.next(resp); err == nil && goodTag(tag) {
		w.trail[url] = page{tag, next}
	}
	return next, fresh, err
}

// rows emits the new and changed rows of a page.
func (w *walk) rows(rows jsonvalue.Value) (fresh pageContent, err error) {
	fresh = nothingNew
	for it := rows.Children(); it.Next(); {
		key, sum := w.l.record(&w.builder, it.Value())
		if key == "" {
			if w.turns == 1 {
				w.builder.dropRow("")
			}
			w.unknown = true
			continue
		}
		w.seen[key] = true
		if old, known := w.inv.items[key]; known && old == sum {
			continue
		}
		fresh = someNew
		if err := w.r.h.EmitRaw(w.l.stream, key, w.builder.data()); err != nil {
			return fresh, err
		}
		w.inv.put(key, sum)
	}
	return fresh, w.r.h.Progress("reading "+w.l.stream, -1, -1, "")
}

// state hands over the cursor. Each cursor covers whole pages: every row that it
// remembers was emitted, and partial makes the next run read all pages again.
func (w *walk) state(slice string) error {
	return w.r.h.Slice(w.l.stream, w.l.stream+"."+slice, append(w.inv.encode(w.r.beginCursor()), '}'))
}

// Further reasons of SKIP_RESULT.
const (
	reasonHidden   = "github_organization_sso_required"
	reasonOverflow = "github_inventory_overflow"
)

// reportCap reports once that the list is longer than a run reads.
func (w *walk) reportCap() error {
	if w.turns > 1 {
		return nil
	}
	return w.r.reportCapped(w.l.stream, "the list has more than "+strconv.Itoa(maxPages)+" pages; later pages were not collected, and no row counts as deleted")
}

func (w *walk) reportHidden() error {
	if !w.hidden {
		return nil
	}
	return w.r.h.Skip(abi.SkipResult{
		Stream: w.l.stream, Reason: reasonHidden, RecoveryHint: abi.Raw(`"manual_action_required"`),
		Message: "an organization hides its part of the list until the token is authorized for its single sign-on; until then no row counts as deleted",
	})
}

func (w *walk) reportOverflow() error {
	return w.r.h.Skip(abi.SkipResult{
		Stream: w.l.stream, Reason: reasonOverflow, RecoveryHint: abi.Raw(`"not_retriable"`),
		Message: "the list is too long to remember every row; some removals will go unnoticed",
	})
}
