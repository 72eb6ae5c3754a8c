package sdk

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// backlogKind marks the locator of a backlog gap.
const backlogKind = "backlog"

// backlog is the content of a backlog gap: every record that the list dates between two
// times, both inclusive, is still to be fetched. A position in the list would be wrong
// as soon as the list moves.
type backlog struct {
	before    string // the watermark
	floor     string // "": down to the end
	remaining int64  // how many, as far as is known; 0: only the order is to be checked
	// top is the watermark of an earlier list that was cut: a record between it and
	// before may be listed behind the cut. "": no list was cut.
	top string
}

// key names the gap by the times it covers, so that the backlogs of two runs are two
// gaps and neither replaces the other.
func (b backlog) key(stream string) string {
	return abi.BacklogKeyPrefix(stream) + b.floor + ".." + b.before
}

func (b backlog) locator() []byte {
	l := textMember([]byte(`{"kind":"`+backlogKind+`"`), "before_update_time", b.before)
	l = textMember(l, "not_before_update_time", b.floor)
	if b.top != "" {
		l = textMember(l, "cut_before_update_time", b.top)
	}
	return append(jsonappend.Int(jsonappend.Name(l, "remaining"), b.remaining), '}')
}

// gap returns the backlog as a gap. served is the served gap to update; nil makes a new
// one.
func (b backlog) gap(served *servedGap) Gap {
	g := Gap{
		Reason: abi.ReasonRetryExhausted, Err: &abi.GapError{Class: string(abi.ReasonRunCapBacklog)},
		Locator: b.locator(), ListCursor: append(textMember([]byte{'{'}, "before_update_time", b.before), '}'),
	}
	if served != nil {
		g.ID, g.Lease = served.id, served.lease
	}
	return g
}

// readBacklog reads the locator of a served gap.
func (g *servedGap) readBacklog() backlog {
	return backlog{
		before: g.locator.Get("before_update_time").Str(), floor: g.locator.Get("not_before_update_time").Str(),
		remaining: g.locator.Get("remaining").Int(), top: g.locator.Get("cut_before_update_time").Str(),
	}
}

// settled reports whether every listed record of the served backlog had its outcome, so
// that only the order of the list is to be checked.
func (g *servedGap) settled() bool {
	n, ok := g.locator.Get("remaining").IntOK()
	return g.backlog && ok && n == 0
}

// relistBatch is how many records of a list are fetched together while it is
// read again.
const relistBatch = 64

// expansion reads the list again for one backlog gap.
type expansion struct {
	d         *Details
	gap       *servedGap
	b         backlog
	top       time.Time
	floor     time.Time // zero: none
	batch     []detailItem
	tail      *detailTail // once a stop came
	low       time.Time   // time of the oldest record so far
	lowText   string      // the list's own spelling of low
	checks    bool        // records out of order alone are fetched, once the whole list was read
	unordered bool        // the list is not newest first: no watermark can part it
	moved     bool        // a slice moved the gap's watermark
	ended     bool        // the list was read down to the floor
	cut       bool        // the list could not be read to its end
	launched  time.Time
	fetched   int64
	err       error
}

// expand fetches the records that a backlog gap covers. At the budget's end the
// remaining records become a new chunk and a new backlog gap, which replaces the old
// one. The list is read to its end, because only that shows whether a record newer than
// the new watermark is listed behind it. Where the list was cut, the new gap keeps the
// old watermark as its top, and the list is read from there once more when nothing else
// is left. A list that names nothing below the watermark, or that is cut and in the
// wrong order, changes nothing: the gap stays pending.
func (d *Details) expand(gap *servedGap) error {
	x := &expansion{d: d, gap: gap, b: gap.readBacklog(), checks: gap.settled()}
	var ok bool
	if x.top, ok = parseInstant(x.b.before); !ok || d.l.Relist == nil || d.exhausted() {
		return nil
	}
	if x.floor, ok = parseInstant(x.b.floor); !ok {
		x.b.floor = ""
	}
	err := x.read(x.b.before)
	if top, ok := parseInstant(x.b.top); ok && err == nil && x.err == nil && d.stop == nil && !d.h.stopping {
		x.top, x.checks = top, true
		x.low, x.unordered, x.ended = time.Time{}, false, false
		err = x.read(x.b.top)
	}
	ends := false
	if err != nil {
		_, goesOn := d.cause(err)
		ends = !goesOn
	}
	switch {
	case x.err != nil:
		d.broken = x.err
	case d.h.stopping:
		d.broken = ErrStopped
	case !x.cut || x.lowered():
		d.broken = x.finish()
	}
	if d.broken == nil && ends {
		d.broken = err
	}
	return d.broken
}

// read reads the list from until on, and fetches the records that are left in the batch.
func (x *expansion) read(until string) error {
	err := x.d.l.Relist(until, x.visit)
	x.cut = err != nil && !x.ended
	if x.err == nil && !(x.checks && x.cut) {
		x.fetchBatch()
	}
	return err
}

// lowered reports whether the cut list moves the watermark down.
func (x *expansion) lowered() bool {
	if x.checks {
		return x.b.top != ""
	}
	return !x.unordered && (x.folded() > 0 || !x.low.IsZero() && x.low.Before(x.top))
}

// visit takes one record of the list, and reports whether it wants another.
func (x *expansion) visit(one Detail) bool {
	at, ok := parseInstant(one.UpdatedAt)
	switch {
	case x.err != nil || x.ended || x.d.h.stopping:
		return false
	case !ok, at.After(x.top):
		return true // never folded: not this gap's
	}
	late := !x.low.IsZero() && at.After(x.low)
	if late && !x.unordered {
		x.unordered = true
		x.stopFolding()
		if x.restore(); x.err != nil {
			return false
		}
	}
	if !late {
		x.low, x.lowText = at, one.UpdatedAt
	}
	if !x.floor.IsZero() && at.Before(x.floor) {
		x.ended = !x.unordered
		return !x.ended
	}
	if x.checks && !late {
		return true // an earlier list named it in its place
	}
	it, ok := x.d.item(one)
	if x.err = x.d.broken; x.err != nil {
		return false
	}
	if !ok || it.gap != nil {
		return true // its own gap or outcome accounts for it
	}
	if x.tail == nil {
		if x.batch = append(x.batch, it); len(x.batch) >= relistBatch && !x.checks {
			x.fetchBatch()
		}
	} else {
		x.err = x.tail.add(it)
	}
	return x.err == nil
}

// folded counts the records that the new backlog gap covers.
func (x *expansion) folded() int64 {
	if x.tail == nil {
		return 0
	}
	return x.tail.folded
}

// fetchBatch fetches the batch. After a stop it accounts for the rest of the batch.
func (x *expansion) fetchBatch() {
	i := 0
	source := func() (detailItem, bool) {
		if i == len(x.batch) {
			return detailItem{}, false
		}
		i++
		return x.batch[i-1], true
	}
	held, err := x.d.fetch(source, x.slice)
	if x.err = err; err != nil {
		return
	}
	reached := i
	if held.d.Key != nil {
		reached--
	}
	x.fetched += int64(reached)
	if reached > 0 {
		x.launched, _ = parseInstant(x.batch[reached-1].d.UpdatedAt)
	}
	if x.d.stop != nil && x.tail == nil {
		x.stopped()
	}
	for ; x.tail != nil && x.err == nil && reached < len(x.batch); reached++ {
		x.err = x.tail.add(x.batch[reached])
	}
	x.batch = x.batch[:0]
}

// slice moves the stored gap's watermark down to rest, because every newer record has
// its outcome. The gap keeps its name and loses its lease.
func (x *expansion) slice(rest Detail) error {
	if x.unordered {
		return nil
	}
	x.moved = true
	done := x.fetched
	for _, it := range x.batch {
		if slices.Equal(it.d.Key, rest.Key) {
			break
		}
		done++
	}
	moved := backlog{before: rest.UpdatedAt, floor: x.b.floor, remaining: max(x.b.remaining-done, 1), top: x.cutTop()}
	x.gap.lease = ""
	return x.d.h.gap(x.d.l.Stream, x.d.l.StateStream, jsonappend.String(nil, x.gap.recordKey), moved.gap(x.gap))
}

// cutTop returns the top of a gap whose list was not read to its end.
func (x *expansion) cutTop() string {
	if x.b.top != "" {
		return x.b.top
	}
	return x.b.before
}

// restore moves the watermark back up after a slice moved it down: records above it may
// be listed below it.
func (x *expansion) restore() {
	if x.moved && !x.checks {
		x.err = x.d.h.gap(x.d.l.Stream, x.d.l.StateStream, jsonappend.String(nil, x.gap.recordKey), x.b.gap(x.gap))
	}
}

// stopped starts the tail. Only the owner's bound writes a chunk: after any other stop
// the remaining records stay in the backlog, below the last record that was fetched.
func (x *expansion) stopped() {
	capped := x.d.stop.capped
	if x.tail, x.err = x.d.newTail(true); x.err != nil {
		return
	}
	x.tail.fixed = true // a watermark that rises again would never reach the floor
	if x.tail.edge = x.launched; !capped {
		x.tail.folds, x.tail.room = true, new(int64)
	}
	x.stopFolding()
}

// stopFolding stops folding once the list proves to be in the wrong order: folding would
// lose the records newer than the watermark, or leave the watermark where it is.
func (x *expansion) stopFolding() {
	if x.unordered && x.folded() == 0 && x.tail != nil {
		x.tail.folds = false
	}
}

// finish resolves the gap, or puts a new one in its place.
func (x *expansion) finish() error {
	d, gap := x.d, x.gap
	if gap.lease != "" {
		if err := d.h.GapAttempted(d.l.Stream, gap.id, gap.lease); err != nil {
			return err
		}
	}
	if rest, ok := x.rest(); ok {
		if rest.key(d.l.Stream) == gap.recordKey {
			return d.backlog(rest, gap)
		}
		if err := d.backlog(rest, nil); err != nil {
			return err
		}
	}
	return d.h.GapRecovered(d.l.Stream, gap.id, gap.lease)
}

// rest returns the new backlog, and reports whether one is needed.
func (x *expansion) rest() (backlog, bool) {
	rest := backlog{floor: x.b.floor, top: x.b.top}
	left := x.b.remaining - x.fetched
	if x.tail != nil {
		left -= x.tail.accounted
	}
	switch {
	case x.checks && !x.cut:
		return rest, false
	case x.folded() > 0:
		rest.before, rest.remaining = x.tail.newText, x.tail.folded
		if x.cut {
			rest.remaining, rest.top = max(left, x.tail.folded), x.cutTop()
		}
	case x.cut && !x.checks:
		rest.before, rest.remaining, rest.top = x.lowText, max(left, 1), x.cutTop()
	case x.b.top != "":
		rest.before, rest.top = x.b.top, ""
	default:
		return rest, false
	}
	return rest, true
}
