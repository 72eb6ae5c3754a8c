package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	issuesPath = "/issues?filter=all&state=all&sort=updated&direction=asc&per_page=100"
	// issuesOverlap is read again in each run, because the list may lag behind by some
	// seconds.
	issuesOverlap = 5 * time.Minute
	// maxRecent bounds how many issues of the overlap a cursor remembers. Forgotten
	// ones are emitted again.
	maxRecent = 5000
)

// recent is a record of the overlap.
type recent struct {
	at  time.Time
	sum uint64
}

// issueList reads issues in the order of their last change, oldest first. It continues
// by that time and not by page number: each answer's last time begins the next query.
// So an issue that changes or vanishes meanwhile moves no other across a page's border,
// and a run that ends early has lost nothing.
type issueList struct {
	r       *run
	builder builder

	through time.Time // everything changed before was emitted
	recent  map[string]recent
	etag    string // of the question that begins a run
	asked   string // that question
	revisit time.Time
	ended   bool // the last page was read
}

// issues collects the stream.
func (r *run) issues() error {
	l := &issueList{r: r, builder: builder{stream: streamIssues}, recent: make(map[string]recent)}
	l.restore(r.h.Cursor(streamIssues))
	err := l.collect()
	if reported := l.builder.report(r.h); err == nil {
		err = reported
	}
	return err
}

func (l *issueList) restore(v jsonvalue.Value) {
	l.through, _ = instant(v.Get("last_updated_at"))
	l.revisit, _ = instant(v.Get("revisit_from"))
	if v.Get("format").Int() != format {
		// An earlier build could not use some rows: this one may.
		if !l.revisit.IsZero() && l.revisit.Before(l.through) {
			l.through = l.revisit
		}
		l.revisit = time.Time{}
		return
	}
	l.etag, l.asked = v.Get("etag").Str(), v.Get("etag_url").Str()
	for it := v.Get("recent").Children(); it.Next() && len(l.recent) < maxRecent; {
		l.recent[it.Name().Str()] = recent{
			time.Unix(it.Value().At(0).Int(), 0).UTC(), uint64(it.Value().At(1).Int()) & printMask,
		}
	}
}

func laterOf(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

func (l *issueList) query(since time.Time) string {
	url := l.r.c.base + issuesPath
	if !since.IsZero() {
		url += "&since=" + escape(since.UTC().Format(time.RFC3339))
	}
	return url
}

func (l *issueList) collect() error {
	p := pager{c: l.r.c}
	since := l.through
	if !since.IsZero() {
		since = since.Add(-issuesOverlap)
	}
	url, etag := l.query(since), ""
	if url == l.asked {
		etag = l.etag
	}
	for url != "" {
		if !p.visit(url) {
			return l.r.reportCapped(streamIssues, "there are more than "+strconv.Itoa(maxPages)+" pages; the next run continues from there")
		}
		resp, v, err := l.r.c.get(url, mediaJSON, etag)
		if err != nil {
			return err
		}
		if resp.Status == statusNotModified {
			return nil
		}
		if v.Kind() != jsonvalue.Array {
			return malformed("a page that is not a list")
		}
		if err := l.page(v); err != nil {
			return err
		}
		next, err := p.next(resp)
		if err != nil {
			return err
		}
		if p.pages == 1 {
			l.etag, l.asked = "", ""
			if next == "" && !l.builder.droppedRows() {
				l.etag, l.asked = resp.Header("ETag"), url
			}
		}
		url, etag = next, ""
		if next != "" {
			// One second earlier: since may mean after or from.
			if from := l.through.Add(-time.Second); from.After(since) {
				since, url = from, l.query(from)
			}
		}
		l.ended = next == ""
		if err := l.state(strconv.Itoa(p.pages)); err != nil {
			return err
		}
	}
	return nil
}

// page emits the new and changed issues of a page.
func (l *issueList) page(rows jsonvalue.Value) error {
	for it := rows.Children(); it.Next(); {
		v := it.Value()
		key := issueRecord(&l.builder, v)
		if key == "" {
			l.builder.dropRow(number(v.Get("id")))
			if l.revisit.IsZero() {
				l.revisit = laterOf(l.through, searchFloor)
			}
			continue
		}
		at, _ := instant(v.Get("updated_at"))
		sum := printOf(l.builder.b)
		if at.After(l.through) {
			l.through = at
		}
		if old, ok := l.recent[key]; ok && old.sum == sum {
			continue
		}
		if err := l.r.h.EmitRaw(streamIssues, key, l.builder.data()); err != nil {
			return err
		}
		l.recent[key] = recent{at, sum}
	}
	return l.r.h.Progress("reading issues", -1, -1, "")
}

// state hands over the cursor.
func (l *issueList) state(slice string) error {
	b := l.r.beginCursor()
	if !l.through.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "last_updated_at"), l.through)
	}
	if !l.revisit.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "revisit_from"), l.revisit)
	}
	if goodTag(l.etag) && goodTag(l.etag+l.asked) {
		b = jsonappend.String(jsonappend.Name(b, "etag"), l.etag)
		b = jsonappend.String(jsonappend.Name(b, "etag_url"), l.asked)
	}
	b = append(jsonappend.Name(b, "recent"), '{')
	for _, key := range l.recentIDs() {
		e := l.recent[key]
		b = append(jsonappend.Name(b, key), '[')
		b = jsonappend.Int(b, e.at.Unix())
		b = jsonappend.Uint(jsonappend.Elem(b), e.sum)
		b = append(b, ']')
	}
	if !l.ended {
		b = jsonappend.Bool(jsonappend.Name(b, "partial"), true)
	}
	return l.r.h.Slice(streamIssues, "page."+slice, append(b, '}', '}'))
}

// recentIDs forgets the issues before the overlap, and lists the others.
func (l *issueList) recentIDs() []string {
	keys := make([]string, 0, len(l.recent))
	for key, e := range l.recent {
		if e.at.Before(l.through.Add(-issuesOverlap)) {
			delete(l.recent, key)
			continue
		}
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys[:min(len(keys), maxRecent)]
}
