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

// pullLane collects pull requests: a search lists them, and each one's detail makes the
// record.
//
// The cursor gives the time up to which every change has its outcome, and the older
// spans that are still to be searched: first the whole past, later the spans that a run
// left over when it ended early. So a slice can end behind any result.
type pullLane struct {
	r       *run
	details *sdk.Details
	builder builder

	through     time.Time            // newest change that was listed
	pending     []span               // still to be searched, newest first
	recent      map[string]time.Time // accounted for within the overlap, by id
	searchAgain []span               // to be searched again in the next run
	revisit     time.Time            // from where an earlier form of answers could not be read

	queued    map[string]bool // keys that were queued in this run
	asked     int             // details
	search    *searcher       // of the first pending span
	queue     []found         // listed and not handed to Walk yet
	unsettled []found         // handed to Walk, and perhaps without an outcome yet
	listing   error
}

func (r *run) newPulls() *pullLane {
	l := &pullLane{r: r, builder: builder{stream: streamPulls}, queued: make(map[string]bool), recent: make(map[string]time.Time)}
	if !r.h.Wants(streamPulls) {
		return l
	}
	l.details = r.h.Details(sdk.DetailLane{
		Stream: streamPulls, StateStream: streamPulls,
		Request: l.request, Record: l.record, Relist: l.relist, Slice: l.slice,
	})
	return l
}

func (l *pullLane) recover() error { return l.details.Recover() }

func (l *pullLane) collect() error {
	if l.r.h.RecoveryOnly() {
		return l.builder.report(l.r.h)
	}
	l.restore(l.r.h.Cursor(streamPulls))
	err := l.walk()
	if reported := l.builder.report(l.r.h); err == nil {
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

// walk searches the pending spans. Pull requests that change during several searches
// leave their spans, so the most recent span is searched once more at the end.
func (l *pullLane) walk() error {
	for searches := 0; len(l.pending) > 0; {
		s := l.r.search(&l.builder, l.pending[0])
		if err := l.span(s); err != nil {
			return err
		}
		if s.capped {
			return l.r.reportCapped(streamPulls, "more than "+strconv.Itoa(maxPages)+" searches would be needed; the next run continues from there")
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
	l.search, l.listing = s, nil
	whole := l.pending[0]
	if err := l.details.Walk(l.next); err != nil {
		return err
	}
	if len(l.queue) > 0 {
		return errWalk
	}
	l.unsettled = nil
	if !s.ended {
		if err := l.page(); err != nil {
			return err
		}
		return l.listing
	}
	if whole.to.IsZero() {
		whole.to = l.through
	}
	if s.unread && (l.revisit.IsZero() || s.rest.from.Before(l.revisit)) {
		l.revisit = s.rest.from
	}
	if s.unfinished {
		l.searchAgain = append(l.searchAgain, whole)
	}
	l.pending = l.pending[1:]
	if err := s.reportUnfinished(); err != nil {
		return err
	}
	return l.state("span." + strconv.Itoa(len(l.pending)))
}

// slice hands the cursor over in the middle of a span.
func (l *pullLane) slice(rest sdk.Detail) error {
	for len(l.unsettled) > 0 && l.unsettled[0].id != rest.Key[0] {
		l.unsettled = l.unsettled[1:]
	}
	return l.page()
}

// page hands over how far the first pending span is accounted for: down to the newest
// result without an outcome, or to the part that is not listed yet. Only the span's end
// shows what the search left out.
func (l *pullLane) page() error {
	s := l.search
	to := s.rest.to
	if s.unfinished || s.unread || to.IsZero() && !s.ended {
		return nil
	}
	if s.ended {
		to = time.Time{}
	}
	for _, f := range slices.Concat(l.unsettled, l.queue) {
		if f.updated.After(to) {
			to = f.updated
		}
	}
	l.pending[0].to = to
	return l.state("page." + strconv.Itoa(len(l.pending)) + "." + strconv.Itoa(len(l.queued)))
}

// refill lists further results into the queue.
func (l *pullLane) refill(s *searcher) error {
	for len(l.queue) == 0 && !s.ended && !s.capped {
		list, err := s.next()
		if err != nil {
			return err
		}
		if err := s.reportCrowded(); err != nil {
			return err
		}
		for _, f := range list {
			if f.updated.After(l.through) {
				l.through = f.updated
			}
			if at, ok := l.recent[f.id]; ok && at.Equal(f.updated) {
				continue
			}
			if l.queued[f.id] {
				// It changed after this run fetched it, and a run requests a detail
				// once.
				l.searchAgain = append(l.searchAgain, span{f.updated, f.updated})
				continue
			}
			l.queued[f.id] = true
			l.recent[f.id] = f.updated
			l.queue = append(l.queue, f)
		}
	}
	return nil
}

// next hands Walk one result after the other.
func (l *pullLane) next() (sdk.Detail, bool) {
	if len(l.queue) == 0 && l.listing == nil {
		l.listing = l.refill(l.search)
	}
	if len(l.queue) == 0 {
		return sdk.Detail{}, false
	}
	f := l.queue[0]
	l.queue, l.unsettled = l.queue[1:], append(l.unsettled, f)
	return sdk.Detail{Key: []string{f.id}, UpdatedAt: searchTime(f.updated), Locator: f.locator()}, true
}

// relist lists again the pull requests that changed at until or before.
func (l *pullLane) relist(until string, visit func(sdk.Detail) bool) error {
	to, err := time.Parse(time.RFC3339, until)
	if err != nil {
		return errLocator
	}
	for s := l.r.search(&l.builder, span{from: searchFloor, to: to.UTC()}); !s.ended; {
		list, err := s.next()
		if err != nil {
			return err
		}
		if s.capped || s.unfinished || s.unread {
			return errListing
		}
		// No later list names more of a crowded second, so the backlog ends without it.
		if err := s.reportCrowded(); err != nil {
			return err
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
	errWalk    laneError = "the details of a page of pull requests were not requested"
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
	for _, p := range joined(append(slices.Clone(l.pending), l.searchAgain...)) {
		b = append(jsonappend.Elem(b), '[')
		b = jsonappend.Time(b, p.from)
		b = append(jsonappend.Time(jsonappend.Elem(b), p.to), ']')
	}
	b = append(jsonappend.Name(append(b, ']'), "recent"), '{')
	for _, id := range l.recentIDs() {
		b = jsonappend.Int(jsonappend.Name(b, id), l.recent[id].Unix())
	}
	return l.r.h.Slice(streamPulls, slice, append(b, '}', '}'))
}

// joined bounds the number of spans: those above the bound become one that covers all
// of them.
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

// recentIDs forgets the pull requests before the overlap, and lists the others that have an
// outcome.
func (l *pullLane) recentIDs() []string {
	open := make(map[string]bool, len(l.unsettled)+len(l.queue))
	for _, f := range slices.Concat(l.unsettled, l.queue) {
		open[f.id] = true
	}
	ids := make([]string, 0, len(l.recent))
	for id, at := range l.recent {
		if at.Before(l.through.Add(-pullsOverlap)) {
			delete(l.recent, id)
		} else if !open[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids[:min(len(ids), maxRecent)]
}
