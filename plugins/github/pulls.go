package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

const (
	// pullsOverlap is searched again in each run: the search index lags behind.
	pullsOverlap = 10 * time.Minute
	// maxPending bounds the spans of earlier runs that a cursor keeps.
	maxPending = 32
)

// pullLane collects pull requests: a search lists them, and each one's detail
// makes the record.
//
// The cursor says up to which change everything was accounted for, and which
// older spans still are to be searched: all of them at first, and later what a
// run that ended early left over. So each page of results is a slice.
type pullLane struct {
	r       *run
	details *sdk.Details
	shape   shape

	through time.Time            // newest change that was listed
	pending []span               // still to be searched, newest first
	recent  map[string]time.Time // accounted for within the overlap, by id
	again   []span               // to be searched again in the next run
	revisit time.Time            // from where an earlier form of answers could not be read

	handed    map[string]bool // keys that were queued in this run
	requested map[string]bool // keys whose detail was asked for
	queue     []found
	last      string // key that Walk was handed last
	stopped   bool   // Walk fetches no more: it only accounts for what it is handed
	listing   error
}

func (r *run) newPulls() *pullLane {
	l := &pullLane{r: r, shape: shape{stream: streamPulls}, handed: make(map[string]bool), requested: make(map[string]bool), recent: make(map[string]time.Time)}
	if !r.h.Wants(streamPulls) {
		return l
	}
	l.details = r.h.Details(sdk.DetailLane{
		Stream: streamPulls, StateStream: streamPulls,
		Request: l.request, Record: l.record, Relist: l.relist,
	})
	return l
}

func (l *pullLane) recover() error { return l.details.Recover() }

func (l *pullLane) collect() error {
	if l.r.h.RecoveryOnly() {
		return l.shape.report(l.r.h)
	}
	l.restore(l.r.h.Cursor(streamPulls))
	err := l.walk()
	if reported := l.shape.report(l.r.h); err == nil {
		err = reported
	}
	return err
}

func (l *pullLane) restore(v jsonvalue.Value) {
	l.through, _ = instant(v.Get("last_updated_at"))
	for it := v.Get("pending").Children(); it.Next(); {
		from, ok := instant(it.Value().At(0))
		to, bounded := instant(it.Value().At(1))
		if ok && bounded {
			l.pending = append(l.pending, span{from, to})
		}
	}
	for it := v.Get("recent").Children(); it.Next(); {
		l.recent[it.Name().Str()] = time.Unix(it.Value().Int(), 0).UTC()
	}
	l.revisit, _ = instant(v.Get("revisit_from"))
	if v.Get("format").Int() != format {
		clear(l.recent)
		if !l.revisit.IsZero() && l.revisit.Before(l.through) {
			l.through = l.revisit
		}
		l.revisit = time.Time{}
	}
	newest := span{from: searchFloor}
	if !l.through.IsZero() {
		newest.from = l.through.Add(-pullsOverlap)
	}
	l.pending = append([]span{newest}, l.pending...)
}

// walk searches the pending spans. What changed while that took more than one
// search has left the spans for the present: it is searched last.
func (l *pullLane) walk() error {
	for searches := 0; len(l.pending) > 0; {
		s := l.r.search(&l.shape, l.pending[0])
		if err := l.span(s); err != nil {
			return err
		}
		if s.capped {
			return l.r.capped(streamPulls, "more than "+strconv.Itoa(maxPages)+" searches would be needed; the next run goes on behind them")
		}
		searches += s.asked
		if len(l.pending) == 0 && searches > 1 && !l.through.IsZero() {
			searches = -maxPages
			l.pending = append(l.pending, span{from: l.through.Add(-pullsOverlap)})
		}
	}
	return nil
}

// span searches one span and fetches the details.
func (l *pullLane) span(s *searcher) error {
	l.listing = nil
	whole := l.pending[0]
	for pages := 1; ; pages++ {
		if err := l.refill(s); err != nil {
			return err
		}
		if s.ended && len(l.queue) == 0 {
			break
		}
		if s.capped {
			return nil
		}
		if err := l.details.Walk(func() (sdk.Detail, bool) { return l.next(s) }); err != nil {
			return err
		}
		if len(l.queue) > 0 {
			return errWalk
		}
		if l.listing != nil {
			return l.listing
		}
		if whole.to.IsZero() {
			whole.to = l.through
		}
		if s.ended {
			break
		}
		l.pending[0].to = s.rest.to
		if l.pending[0].to.IsZero() {
			l.pending[0].to = l.through
		}
		if err := l.state("page." + strconv.Itoa(len(l.pending)) + "." + strconv.Itoa(pages)); err != nil {
			return err
		}
	}
	if s.unread && (l.revisit.IsZero() || s.rest.from.Before(l.revisit)) {
		l.revisit = s.rest.from
	}
	if s.unfinished {
		l.again = append(l.again, whole)
	}
	l.pending = l.pending[1:]
	if err := s.report(); err != nil {
		return err
	}
	return l.state("span." + strconv.Itoa(len(l.pending)))
}

// refill lists further results into the queue.
func (l *pullLane) refill(s *searcher) error {
	for len(l.queue) == 0 && !s.ended && !s.capped {
		list, err := s.next()
		if err != nil {
			return err
		}
		for _, f := range list {
			if f.updated.After(l.through) {
				l.through = f.updated
			}
			if at, ok := l.recent[f.id]; ok && at.Equal(f.updated) {
				continue
			}
			if l.handed[f.id] {
				// It changed after this run had it, and a run asks once for a detail.
				l.again = append(l.again, span{f.updated, f.updated})
				continue
			}
			l.handed[f.id] = true
			l.recent[f.id] = f.updated
			l.queue = append(l.queue, f)
		}
	}
	return nil
}

// next hands Walk one result after the other: those of one page, so that a
// slice can end behind them; all that there are when Walk fetches no more, so
// that it accounts for the rest at once.
func (l *pullLane) next(s *searcher) (sdk.Detail, bool) {
	if l.last != "" && !l.requested[l.last] {
		l.stopped = true
	}
	if len(l.queue) == 0 && l.stopped && l.listing == nil {
		l.listing = l.refill(s)
	}
	l.last = ""
	if len(l.queue) == 0 {
		return sdk.Detail{}, false
	}
	f := l.queue[0]
	l.queue, l.last = l.queue[1:], f.id
	return sdk.Detail{Key: []string{f.id}, UpdatedAt: searchTime(f.updated), Locator: f.locator()}, true
}

// relist lists again what changed at until or before.
func (l *pullLane) relist(until string, visit func(sdk.Detail) bool) error {
	to, err := time.Parse(time.RFC3339, until)
	if err != nil {
		return errLocator
	}
	for s := l.r.search(&l.shape, span{from: searchFloor, to: to.UTC()}); !s.ended; {
		list, err := s.next()
		if err != nil {
			return err
		}
		if s.missed() {
			return errListing
		}
		for _, f := range list {
			if !visit(sdk.Detail{Key: []string{f.id}, UpdatedAt: searchTime(f.updated), Locator: f.locator()}) {
				return nil
			}
		}
	}
	return nil
}

const (
	errListing laneError = "the list of pull requests could not be read to its end"
	errWalk    laneError = "the details of a page of pull requests were not asked for"
)

// state hands over the cursor.
func (l *pullLane) state(slice string) error {
	b := l.r.beginCursor()
	if !l.through.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "last_updated_at"), l.through)
	}
	if !l.revisit.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "revisit_from"), l.revisit)
	}
	b = append(jsonappend.Name(b, "pending"), '[')
	for _, p := range joined(append(slices.Clone(l.pending), l.again...)) {
		b = append(jsonappend.Elem(b), '[')
		b = jsonappend.Time(b, p.from)
		b = append(jsonappend.Time(jsonappend.Elem(b), p.to), ']')
	}
	b = append(jsonappend.Name(append(b, ']'), "recent"), '{')
	for _, id := range l.keep() {
		b = jsonappend.Int(jsonappend.Name(b, id), l.recent[id].Unix())
	}
	return l.r.h.Slice(streamPulls, slice, append(b, '}', '}'))
}

// joined bounds how many spans there are: what is above the bound becomes one
// that covers all of it.
func joined(spans []span) []span {
	slices.SortStableFunc(spans, func(a, b span) int { return b.to.Compare(a.to) })
	if len(spans) <= maxPending {
		return spans
	}
	last := &spans[maxPending-1]
	for _, s := range spans[maxPending:] {
		if s.from.Before(last.from) {
			last.from = s.from
		}
	}
	return spans[:maxPending]
}

// keep forgets what lies before the overlap, and lists the rest.
func (l *pullLane) keep() []string {
	ids := make([]string, 0, len(l.recent))
	for id, at := range l.recent {
		if at.Before(l.through.Add(-pullsOverlap)) {
			delete(l.recent, id)
			continue
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids[:min(len(ids), maxRecent)]
}
