package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Detail is one record of a list, whose detail is still to be fetched.
type Detail struct {
	Key []string // by primary_key of the detail stream
	// UpdatedAt is when the record changed, as the list gives it: RFC 3339, or "" when
	// the list has no such time. A tail without times cannot be folded.
	UpdatedAt string
	// Locator is a JSON object that finds the detail again in a later run; never
	// a secret. Nil: the key is enough.
	Locator []byte
	// Recovering is set by the lane when an earlier run left a gap for the detail. Emit
	// its record even if it did not change: the host accepts no recovery without a
	// record.
	Recovering bool
}

// DetailLane is how a connector fetches the details of a list.
type DetailLane struct {
	Stream      string // of the details
	StateStream string // the list's, whose cursor anchors the lane
	Window      int    // requests in flight; 0: 4
	// Request makes the request of a detail.
	Request func(d Detail) (Request, error)
	// Record emits the record of an answer, whatever its status. An error makes
	// the detail a gap, which a later run tries again, and so does the failure
	// of CheckStatus; any other *Failure, ErrStopped, and an error of the SDK end
	// the lane.
	Record func(d Detail, r *Response) error
	// Relist reads the list again, newest first, starting at records as old as until
	// (inclusive), and calls visit for each record until it returns false. An error
	// means that the list ended too early. Nil: a tail is never folded.
	Relist func(until string, visit func(Detail) bool) error
	// Slice hands over the list's cursor (Host.Slice) in the middle of Walk. Each
	// record that Walk received before rest has its outcome; rest and the records
	// behind it may have none. The lane calls Slice every few seconds, however slow the
	// provider is, so a kill of the host costs no more than that. Slice makes no
	// requests. Nil: after a kill the lane fetches again from the last cursor that the
	// connector handed over between two Walks.
	Slice func(rest Detail) error
}

// Details runs a detail lane: first the records that the bounds of earlier runs left
// (Recover), then the list (Walk), and last the records that failed in earlier runs and
// the lane's DETAIL_COVERAGE (Close), all within the owner's bounds.
//
// The lane accounts for every record that it receives: the record is emitted, or it
// gets a DETAIL_GAP. So the list's cursor may be handed over after Walk returned nil.
type Details struct {
	h      *Host
	l      DetailLane
	lane   *Lane
	stop   *detailStop // why nothing more is fetched in this run
	room   int64       // gaps of single records that the run's tails may still emit
	broken error       // the error that ends the lane
	listed int64       // items so far
	sliced lastSlice
	early  map[int]bool // places of the keys that were fetched before Walk; nil: it has not begun
}

// detailStop is why a run fetches no further details.
type detailStop struct {
	reason abi.Reason // reason of the gaps of unfetched records
	class  string     // of their last_error
	capped bool       // at the owner's own bound, and so no trouble (RT-17)
}

// defaultWindow is how many details are in flight at once.
const defaultWindow = 4

// Details opens a detail lane. Ask once for each lane of the run.
func (h *Host) Details(l DetailLane) *Details {
	if l.Window <= 0 {
		l.Window = defaultWindow
	}
	d := &Details{h: h, l: l, lane: h.Lane(l.Stream, l.StateStream), room: h.details.chunk()}
	d.broken = d.lane.err
	return d
}

// Walk fetches the details that next lists, newest first, until next returns false. At
// the owner's bound, or when the provider asks to be left alone, it fetches no more,
// and every further record of next becomes a gap. Walk fetches a record once more if
// Recover has just fetched it: the record may have changed since, and the cursor passes
// that change. Walk does nothing in a run that only recovers.
func (d *Details) Walk(next func() (Detail, bool)) error {
	if d.broken != nil || !d.active() || d.h.RecoveryOnly() {
		return d.broken
	}
	if d.early == nil {
		d.early = d.lane.hydrated()
	}
	source := func() (detailItem, bool) {
		for d.broken == nil {
			one, ok := next()
			if !ok {
				break
			}
			if it, ok := d.item(one); ok {
				return it, true
			}
		}
		return detailItem{}, false
	}
	held, err := d.fetch(source, d.l.Slice)
	if err != nil || d.stop == nil {
		return err
	}
	it, ok := held, held.d.Key != nil
	if !ok {
		it, ok = source()
	}
	if !ok || d.broken != nil {
		return d.broken
	}
	t, err := d.newTail(d.stop.capped)
	for ; ok && err == nil; it, ok = source() {
		if t.folded == 0 { // the backlog gap is emitted at the end
			_, err = d.sliceDue(it, d.l.Slice)
		}
		if err == nil {
			err = t.add(it)
		}
	}
	if err == nil {
		err = d.broken
	}
	if err == nil && t.folded > 0 {
		err = d.backlog(backlog{before: t.newText, floor: t.oldText, remaining: t.folded}, nil)
	}
	d.broken = err
	return err
}

// Close tries the records that failed in earlier runs again, and sends the lane's
// DETAIL_COVERAGE. Return its error, like any other. Call it after the run's other
// streams.
func (d *Details) Close() error {
	if d.recover(true) == nil && d.active() {
		d.broken = d.waiting()
	}
	if d.broken != nil {
		return d.broken
	}
	return d.lane.Close()
}

// active reports whether the scope wants the lane.
func (d *Details) active() bool { return d.lane.s.wanted }

// item turns a listed detail into an item of the lane, and reports whether to fetch it.
// Keys outside the scope are not fetched, and neither are keys with an outcome, unless
// they were fetched before the list was read.
func (d *Details) item(one Detail) (detailItem, bool) {
	key, use, err := d.lane.key(one.Key)
	switch {
	case err != nil:
		d.broken = err
		return detailItem{}, false
	case !use:
		return detailItem{}, false
	case !goodKey(key):
		d.broken = d.h.withhold(d.lane.s, withheldBadKey, nil, 0)
		return detailItem{}, false
	}
	if place, known := d.lane.index[string(key)]; known {
		if !d.early[place] {
			return detailItem{}, false
		}
		delete(d.early, place)
		d.listed++
		return detailItem{d: one, n: d.listed, again: true}, true
	}
	d.listed++
	gap := d.h.gaps.find(d.l.Stream, d.l.StateStream, key)
	one.Recovering = gap != nil
	return detailItem{d: one, gap: gap, n: d.listed}, true
}

// readLimits reads START.detail_limits.
func readLimits(v jsonvalue.Value) abi.DetailLimits {
	return abi.DetailLimits{
		MaxFetches: v.Get("max_fetches").Int(), MaxWallMS: v.Get("max_wall_clock_ms").Int(),
		MaxTailGaps: v.Get("max_tail_gaps").Int(), NoTailFolding: v.Get("no_tail_folding").Bool(),
	}
}

// detailBudget is the owner's bound on the details of a run, one for all its
// lanes and passes (RT-16.4).
type detailBudget struct {
	limits  abi.DetailLimits
	fetches int64
	started time.Time // when the first detail was about to be fetched
}

// trip returns why no further detail may be fetched, "" when one may. Without a bound
// it does not even read the clock.
func (b *detailBudget) trip(h *Host) abi.Reason {
	if most := b.limits.MaxFetches; most > 0 && b.fetches >= most {
		return abi.ReasonRunCapFetches
	}
	if most := b.limits.MaxWallMS; most > 0 {
		at := h.Now()
		if b.started.IsZero() {
			b.started = at
		}
		if at.Sub(b.started).Milliseconds() >= most {
			return abi.ReasonRunCapTime
		}
	}
	return ""
}

// leastTail is the least chunk that is derived from a bound.
const leastTail = 50

// chunk returns how many records of a tail get a gap each before the rest becomes one
// backlog gap; 0 means all of them (RT-19.2).
func (b *detailBudget) chunk() int64 {
	switch l := b.limits; {
	case l.NoTailFolding:
		return 0
	case l.MaxTailGaps > 0:
		return l.MaxTailGaps
	case l.MaxFetches > 0:
		return max(l.MaxFetches, leastTail)
	case l.MaxWallMS > 0:
		return leastTail
	}
	return 0
}

// exhausted notes that the budget is used up, and reports it.
func (d *Details) exhausted() bool {
	if d.stop == nil {
		if class := d.h.details.trip(d.h); class != "" {
			d.stop = capStop(class)
		}
	}
	return d.stop != nil
}

// capStop is a stop at the owner's own bound: no source pressure, and no HTTP
// status, because nothing failed (RT-17).
func capStop(class abi.Reason) *detailStop {
	return &detailStop{reason: abi.ReasonRetryExhausted, class: string(class), capped: true}
}
