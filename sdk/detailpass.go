package sdk

import (
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// detailItem is one detail that the lane has to account for.
type detailItem struct {
	d   Detail
	gap *servedGap // of an earlier run; nil: none is known
	n   int64      // counts the items of the lane, from 1 in the order of the list

	again bool // it was fetched before, and has an outcome
}

// fetch fetches the items of source until it ends or a stop comes, and waits for the
// requests in flight. held is the item that the stop kept from being fetched; its Key
// is nil when there is none. slice is DetailLane.Slice.
func (d *Details) fetch(source func() (detailItem, bool), slice func(rest Detail) error) (held detailItem, err error) {
	items := make([]detailItem, d.l.Window) // by token
	free := make([]int, 0, d.l.Window)
	for i := range items {
		free = append(free, i)
	}
	next := func() (Request, int, bool) {
		for d.stop == nil && d.broken == nil {
			it, ok := source()
			if !ok {
				break
			}
			if d.exhausted() {
				held = it
				break
			}
			if d.broken = d.start(it); d.broken != nil {
				break
			}
			r, err := d.l.Request(it.d)
			if err != nil {
				d.broken = d.failed(it, err)
				continue
			}
			d.h.details.fetches++
			token := free[len(free)-1]
			free, items[token] = free[:len(free)-1], it
			return r, token, true
		}
		return Request{}, 0, false
	}
	err = d.h.fetchMany(d.l.Window, next, func(token int, resp *Response, err error) error {
		it := items[token]
		if err == nil {
			err = d.l.Record(it.d, resp)
		}
		switch {
		case d.h.failed != nil:
			return d.h.failed
		case err != nil:
			err = d.failed(it, err)
		default:
			err = d.hydrated(it)
		}
		if err == nil {
			items[token], free = detailItem{}, append(free, token)
		}
		return err
	}, func() (int64, error) { return d.sliceDue(oldest(items), slice) })
	if err != nil {
		d.broken = err
		d.sliceLast(oldest(items), slice)
	}
	return held, d.broken
}

// start requires the key, and reports the attempt when the item comes from a served
// gap.
func (d *Details) start(it detailItem) error {
	if err := d.require(it); err != nil || it.gap == nil {
		return err
	}
	return d.h.GapAttempted(d.l.Stream, it.gap.id, it.gap.lease)
}

// require adds the key of a detail, or removes the outcome of a key that is fetched
// again.
func (d *Details) require(it detailItem) error {
	if it.again {
		return d.lane.reopen(it.d.Key...)
	}
	return d.lane.Require(it.d.Key...)
}

// hydrated settles a detail whose record is emitted.
func (d *Details) hydrated(it detailItem) error {
	if err := d.lane.Hydrated(it.d.Key...); err != nil || it.gap == nil {
		return err
	}
	return d.h.GapRecovered(d.l.Stream, it.gap.id, it.gap.lease)
}

// failed makes a gap of a detail that could not be fetched, or returns err when err
// ends the lane.
func (d *Details) failed(it detailItem, err error) error {
	cause, ok := d.cause(err)
	if !ok {
		return err
	}
	return d.gap(it, cause)
}

// gapCause is the reason that a gap states.
type gapCause struct {
	reason abi.Reason
	class  string
	status int
	said   string // the provider's own sentence
}

// classUnusable is the class of an answer that Record could not use. The error
// itself stays here: it may quote the answer.
const classUnusable = "detail_unusable"

// cause reads why a detail could not be had, and reports whether the lane can
// go on.
func (d *Details) cause(err error) (gapCause, bool) {
	c := gapCause{reason: abi.ReasonTemporaryUnavailable, class: classUnusable}
	// A loop of our own, because errors.As needs reflection.
	for e := err; e != nil; e = errors.Unwrap(e) {
		if e == ErrStopped { //nolint:errorlint // this is the walk that errors.Is would do
			return c, false
		}
		switch f := e.(type) { //nolint:errorlint // as above
		case *abi.Error:
			return c, false
		case *Failure:
			status, ok := f.Err.(*statusFailure) //nolint:errorlint // of CheckStatus, which wraps it directly
			if !ok {
				return c, false
			}
			c.class, c.status, c.said = f.Code, status.status, f.Said
			return c, true
		case *FetchError:
			return d.fetchCause(f)
		}
	}
	return c, true
}

// fetchCause is cause for a request that got no usable answer.
func (d *Details) fetchCause(f *FetchError) (gapCause, bool) {
	c := gapCause{reason: f.GapReason, class: string(f.Stop), status: f.Status, said: f.Said}
	if f.Final && f.GapReason == "" || f.needsOwner() {
		return c, false // nothing is gained by keeping the rest for later
	}
	if !c.reason.Has(abi.GapReasons) {
		c.reason = abi.ReasonTemporaryUnavailable
	}
	if c.class == "" {
		c.class = string(f.Code)
	}
	planned, capped := f.Stop.Has(abi.BudgetExhaustion), f.Stop.Has(abi.RunCap)
	if planned || capped {
		c.reason, c.status, c.said = abi.ReasonRetryExhausted, 0, "" // RT-24: never source pressure, and nothing was sent
	}
	if f.Final && d.stop == nil {
		d.stop = &detailStop{reason: c.reason, class: c.class, capped: capped}
	}
	return c, true
}

// gap keeps a detail for a later run.
func (d *Details) gap(it detailItem, c gapCause) error {
	if err := d.require(it); err != nil {
		return err
	}
	g := Gap{Key: it.d.Key, Reason: c.reason, Locator: it.d.Locator, Err: &abi.GapError{Class: c.class, Said: c.said}}
	if len(g.Locator) == 0 {
		g.Locator = []byte(`{}`)
	}
	if it.d.UpdatedAt != "" {
		g.ListCursor = append(textMember([]byte{'{'}, "updated_at", it.d.UpdatedAt), '}')
	}
	if c.status > 0 {
		g.Err.HTTPStatus = &c.status
	}
	if it.gap != nil {
		g.ID, g.Lease = it.gap.id, it.gap.lease
	}
	return d.lane.Gap(g)
}

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
