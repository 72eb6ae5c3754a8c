package main

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const (
	// pullsOverlap is searched again in each run: the search index lags behind.
	pullsOverlap = 10 * time.Minute
	// maxPending bounds the spans of earlier runs that a cursor keeps.
	maxPending = 32
	// recentRoom bounds the bytes of the pull requests of the overlap in a cursor. Others are
	// fetched again.
	recentRoom = 150 << 10
)

// pullsPlace is the cursor of the pull requests.
type pullsPlace struct {
	through time.Time        // newest change that was listed
	pending []span           // still to be searched, newest first
	recent  map[string]int64 // when those of the overlap changed that have an outcome, by id
}

// Members implements cursor.Value.
func (p *pullsPlace) Members(m *cursor.Members) {
	m.Time("last_updated_at", &p.through)
	cursor.List(m, "pending", &p.pending, maxPending)
	m.Numbers("recent", &p.recent, recentRoom)
}

// pullLane collects pull requests: a search lists them, and each one's detail makes the
// record.
//
// The cursor gives the time up to which every change has its outcome, and the older
// spans that are still to be searched: first the whole past, later the spans that a run
// left over when it ended early. So a slice can end behind any result.
type pullLane struct {
	r       *run
	details *sdk.Details
	tally   *problems.Tally

	at          pullsPlace
	searchAgain []span // to be searched again in the next run

	queued    map[string]bool // keys that were queued in this run
	asked     int             // details
	search    *searcher       // of the first pending span
	queue     []found         // listed and not handed to Walk yet
	unsettled []found         // handed to Walk, and perhaps without an outcome yet
	listing   error
}

func (r *run) pulls(*api.Client) api.Lane {
	l := &pullLane{r: r, tally: problems.New(r.Host, streamPulls, unreadable, unfinished, capped), queued: make(map[string]bool)}
	l.details = r.Details(sdk.DetailLane{
		Stream: streamPulls, StateStream: streamPulls,
		Request: l.request, Record: l.record, Relist: l.relist, Slice: l.slice,
	})
	return &api.DetailLane{Details: l.details, Tally: l.tally, Walk: l.walk}
}

// walk searches the newest span, and then those that are pending.
func (l *pullLane) walk() error {
	l.at.recent = make(map[string]int64)
	l.r.place(streamPulls, &l.at)
	l.at.pending = slices.DeleteFunc(l.at.pending, func(s span) bool { return s.to.IsZero() })
	newest := span{from: searchFloor}
	if !l.at.through.IsZero() {
		newest.from = l.at.through.Add(-pullsOverlap)
	}
	l.at.pending = append([]span{newest}, l.at.pending...)
	return l.searchPending()
}

// searchPending searches the pending spans. Pull requests that change during several searches
// leave their spans, so the most recent span is searched once more at the end.
func (l *pullLane) searchPending() error {
	for searches := 0; len(l.at.pending) > 0; {
		s := l.r.search(l.tally, l.at.pending[0])
		if err := l.span(s); err != nil {
			return err
		}
		if s.capped {
			l.tally.Note(capped, "")
			return nil
		}
		searches += s.asked
		if len(l.at.pending) == 0 && searches > 1 && !l.at.through.IsZero() {
			searches = -maxPages
			l.at.pending = append(l.at.pending, span{from: l.at.through.Add(-pullsOverlap)})
		}
	}
	return nil
}

// span searches one span and fetches the details.
func (l *pullLane) span(s *searcher) error {
	l.search, l.listing = s, nil
	whole := l.at.pending[0]
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
		whole.to = l.at.through
	}
	if s.unfinished {
		l.searchAgain = append(l.searchAgain, whole)
		l.tally.Note(unfinished, "")
	}
	l.at.pending = l.at.pending[1:]
	return l.state("span." + strconv.Itoa(len(l.at.pending)))
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
	if s.unfinished || to.IsZero() && !s.ended {
		return nil
	}
	if s.ended {
		to = time.Time{}
	}
	for _, f := range slices.Concat(l.unsettled, l.queue) {
		to = laterOf(to, f.updated)
	}
	l.at.pending[0].to = to
	return l.state("page." + strconv.Itoa(len(l.at.pending)) + "." + strconv.Itoa(len(l.queued)))
}

// refill lists further results into the queue.
func (l *pullLane) refill(s *searcher) error {
	for len(l.queue) == 0 && !s.ended && !s.capped {
		list, err := s.next()
		if err != nil {
			return err
		}
		for _, f := range list {
			l.at.through = laterOf(l.at.through, f.updated)
			if at, ok := l.at.recent[f.id]; ok && at == f.updated.Unix() {
				continue
			}
			if l.queued[f.id] {
				// It changed after this run fetched it, and a run requests a detail
				// once.
				l.searchAgain = append(l.searchAgain, span{f.updated, f.updated})
				continue
			}
			l.queued[f.id] = true
			l.at.recent[f.id] = f.updated.Unix()
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
	return f.detail(), true
}

// relist lists again the pull requests that changed at until or before.
func (l *pullLane) relist(until string, visit func(sdk.Detail) bool) error {
	to, err := time.Parse(time.RFC3339, until)
	if err != nil {
		return errLocator
	}
	for s := l.r.search(l.tally, span{from: searchFloor, to: to.UTC()}); !s.ended; {
		list, err := s.next()
		if err != nil {
			return err
		}
		if s.capped || s.unfinished || s.unread {
			return errListing // a crowded second is none: no later list names more of it
		}
		for _, f := range list {
			if !visit(f.detail()) {
				return nil
			}
		}
	}
	return nil
}

var (
	errListing = errors.New("the list of pull requests could not be read to its end")
	errWalk    = errors.New("the details of a page of pull requests were not requested")
)

// state hands over the cursor: without the pull requests before the overlap, and those
// without an outcome.
func (l *pullLane) state(slice string) error {
	p := pullsPlace{l.at.through, joined(slices.Concat(l.at.pending, l.searchAgain)), make(map[string]int64)}
	for id, at := range l.at.recent {
		if at >= l.at.through.Add(-pullsOverlap).Unix() {
			p.recent[id] = at
		}
	}
	for _, f := range slices.Concat(l.unsettled, l.queue) {
		delete(p.recent, f.id)
	}
	return l.r.save(streamPulls, slice, &p)
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
