package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// sliceEvery bounds how much of a lane's work a kill of the host costs, however slow the
// provider is.
const sliceEvery = 2 * time.Second

// lastSlice records when a lane last handed a cursor over, and how far it reached.
type lastSlice struct {
	at   time.Time // zero: never; then when the lane first asked
	rest int64     // number of the first item that it did not cover
}

// sliceDue calls slice, which may be nil, when it is due and items in front of rest got
// an outcome since. It returns for how many milliseconds no slice is due.
func (d *Details) sliceDue(rest detailItem, slice func(rest Detail) error) (int64, error) {
	if slice == nil || rest.n == d.sliced.rest {
		return waitMS, nil
	}
	now := d.h.Now()
	if d.sliced.at.IsZero() {
		d.sliced = lastSlice{at: now, rest: rest.n}
		return waitMS, nil
	}
	if since := now.Sub(d.sliced.at); since >= 0 && since < sliceEvery { // below 0 the clock was set back
		return max((sliceEvery - since).Milliseconds(), 1), nil
	}
	d.sliced = lastSlice{at: now, rest: rest.n}
	return waitMS, d.slice(rest, slice)
}

// sliceLast calls slice when the lane ends early, before rest.
func (d *Details) sliceLast(rest detailItem, slice func(rest Detail) error) {
	if slice == nil || rest.n == 0 || d.h.failed != nil || !d.sliced.at.IsZero() && rest.n == d.sliced.rest {
		return
	}
	// The lane has its error already.
	_ = d.slice(rest, slice)
}

// slice calls the lane's slice, whose cursor covers none of the details in flight, so
// the STATE may leave them out. A slice that the connector makes itself gives no such
// guarantee.
func (d *Details) slice(rest detailItem, slice func(rest Detail) error) error {
	d.lane.slicing = true
	defer func() { d.lane.slicing = false }()
	return slice(rest.d)
}

// sliceCoverage appends to a slice's STATE, by lane, the outcomes that no earlier slice
// reported. Two kinds of lanes are left out and wait for their DETAIL_COVERAGE: one
// with an open key that the cursor may cover, and one with more keys than fit.
func (h *Host) sliceCoverage(b []byte, stateStream string) []byte {
	before := len(b)
	b = append(jsonappend.Name(b, "coverage"), '[')
	var reported []*Lane
	for _, l := range h.lanes {
		if l.err != nil || l.closed || l.stateStream != stateStream || !l.s.wanted || !l.slicing && l.anyOpen() {
			continue
		}
		b = append(jsonappend.Elem(b), '{')
		b = append(l.sets(textMember(b, "stream", l.s.name), l.unreported), '}')
		reported = append(reported, l)
	}
	if len(reported) == 0 || len(b)+1 >= abi.MaxStateBytes {
		return b[:before]
	}
	for _, l := range reported {
		l.unreported = l.unreported[:0]
	}
	return append(b, ']')
}

// oldest returns the first of the items in flight, in the order of the list.
func oldest(items []detailItem) (first detailItem) {
	for _, it := range items {
		if it.n > 0 && (first.n == 0 || it.n < first.n) {
			first = it
		}
	}
	return first
}
