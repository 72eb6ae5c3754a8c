package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Detail is one record of a list, whose detail is still to be fetched.
type Detail struct {
	Key []string // by primary_key of the detail stream
	// UpdatedAt is when the record changed, as the list has it: RFC 3339, or ""
	// when the list has no such time. A tail without times cannot be folded.
	UpdatedAt string
	// Locator is a JSON object that finds the detail again in a later run; never
	// a secret. Nil: the key is enough.
	Locator []byte
	// Recovering is set by the lane: an earlier run left a gap of the detail. Its record
	// has to come, changed or not: the host believes no recovery of which nothing came.
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
	// Relist reads the list again, newest first, from what is as old as until
	// (inclusive) on, and calls visit for each record until it returns false. An
	// error says that the list came to an end too early. Nil: a tail is never
	// folded.
	Relist func(until string, visit func(Detail) bool) error
	// Slice hands over the list's cursor (Host.Slice) in the middle of Walk: each
	// record that Walk was handed before rest has its outcome, and neither rest nor
	// one behind it does for certain. It is called every few seconds, however slow
	// the provider is, and is what a kill of the host costs. It asks for nothing
	// itself. Nil: the lane is fetched again from the last cursor that the connector
	// handed over between two Walks.
	Slice func(rest Detail) error
}

// Details runs a detail lane: first what bounds of earlier runs left (Recover),
// then the list (Walk), and last what failed in earlier runs and the lane's
// DETAIL_COVERAGE (Close), all within the owner's bounds.
//
// Every record that the lane hears of is accounted for: emitted, or kept as a
// DETAIL_GAP. So the list's cursor may be handed over after Walk returned nil.
type Details struct {
	h      *Host
	l      DetailLane
	lane   *Lane
	stop   *detailStop // why nothing more is fetched in this run
	room   int64       // gaps of single records that the tails of the run may still tell of
	broken error       // what ends the lane
	listed int64       // items so far
	sliced lastSlice
	early  map[int]bool // places of the keys that were fetched before Walk; nil: it has not begun
}

// detailStop is why a run fetches no further details.
type detailStop struct {
	reason abi.Reason // of the gaps of what was not fetched
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

// Walk fetches the details that next lists, newest first, until it returns
// false. At the owner's bound, or when the provider is to be left alone, it
// fetches no more, and everything that next still lists becomes a gap. A record
// whose gap Recover has just served is fetched once more: it may have changed since,
// and the cursor passes the change. No-op in a run that only recovers.
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
		if t.folded == 0 { // the backlog gap is told of at the end
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

// Close tries again what failed in earlier runs, and sends the lane's
// DETAIL_COVERAGE. Return its error, like any other. Call it behind the run's
// other streams.
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

// item is a listed detail as an item of the lane, and whether there is anything
// to do: not for a key outside the scope, nor for one that has its outcome, unless it
// was fetched before the list was read.
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
