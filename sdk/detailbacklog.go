package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// backlogKind marks the locator of a backlog gap.
const backlogKind = "backlog"

// backlog is what a backlog gap says: every record of the list between two of
// its own times, both inclusive, is still owed. A position in the list would be
// wrong as soon as the list moves.
type backlog struct {
	before    string // the watermark
	floor     string // "": down to the end
	remaining int64  // how many, as far as is known
}

// key names the gap by what it covers: the backlogs of two runs are two gaps,
// and none takes another's place.
func (b backlog) key(stream string) string {
	return abi.BacklogKeyPrefix(stream) + b.floor + ".." + b.before
}

func (b backlog) locator() []byte {
	l := textMember([]byte(`{"kind":"`+backlogKind+`"`), "before_update_time", b.before)
	l = textMember(l, "not_before_update_time", b.floor)
	return append(jsonappend.Int(jsonappend.Name(l, "remaining"), b.remaining), '}')
}

// gap is the gap that says so. served is that gap, where it is told of again; nil: it
// is a new one.
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
		remaining: g.locator.Get("remaining").Int(),
	}
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
	prev      time.Time
	unordered bool // the list is not newest first: no watermark can part it
	moved     bool // a slice moved the gap's watermark
	ended     bool // nothing of the list's rest matters
	launched  time.Time
	fetched   int64
	err       error
}

// expand fetches what a backlog gap stands for. What the budget does not reach
// becomes a new chunk and a new backlog gap in the old one's place. A list that
// cannot be read to where it matters changes nothing: the gap stays pending.
func (d *Details) expand(gap *servedGap) error {
	x := &expansion{d: d, gap: gap, b: gap.readBacklog()}
	var ok bool
	if x.top, ok = parseInstant(x.b.before); !ok || d.l.Relist == nil || d.exhausted() {
		return nil
	}
	if x.floor, ok = parseInstant(x.b.floor); !ok {
		x.b.floor = ""
	}
	err := d.l.Relist(x.b.before, x.visit)
	if x.err == nil {
		x.fetchBatch()
	}
	switch {
	case x.err != nil:
		d.broken = x.err
	case d.h.stopping:
		d.broken = ErrStopped
	case err != nil:
		if _, ok := d.cause(err); !ok {
			d.broken = err
		}
	default:
		d.broken = x.settle()
	}
	return d.broken
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
	if !x.prev.IsZero() && at.After(x.prev) && !x.unordered {
		x.unordered = true
		x.parted()
		if x.restore(); x.err != nil {
			return false
		}
	}
	x.prev = at
	if !x.floor.IsZero() && at.Before(x.floor) {
		x.ended = !x.unordered
		return !x.ended
	}
	it, ok := x.d.item(one)
	if x.err = x.d.broken; x.err != nil {
		return false
	}
	if !ok || it.gap != nil {
		return true // accounted for by itself
	}
	if x.tail == nil {
		if x.batch = append(x.batch, it); len(x.batch) == relistBatch {
			x.fetchBatch()
		}
	} else {
		x.err = x.tail.add(it)
	}
	if x.tail != nil && x.tail.folded > 0 {
		x.ended = true // the newest of the rest is known
	}
	return x.err == nil && !x.ended
}

// fetchBatch fetches the batch, and after a stop accounts for what is left of
// it.
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

// slice moves the gap's watermark down to rest, in the store: what is newer has its
// outcome. The gap keeps its name, and is leased no longer.
func (x *expansion) slice(rest Detail) error {
	if x.unordered {
		return nil
	}
	x.moved = true
	moved := backlog{before: rest.UpdatedAt, floor: x.b.floor, remaining: max(x.b.remaining-x.fetched, 1)}
	x.gap.lease = ""
	return x.d.h.gap(x.d.l.Stream, x.d.l.StateStream, jsonappend.String(nil, x.gap.recordKey), moved.gap(x.gap))
}

// restore moves a watermark that a slice moved back up: records above it may be listed
// below it.
func (x *expansion) restore() {
	if x.moved {
		x.err = x.d.h.gap(x.d.l.Stream, x.d.l.StateStream, jsonappend.String(nil, x.gap.recordKey), x.b.gap(x.gap))
	}
}

// stopped starts the tail. A stop that is not the owner's bound writes no chunk:
// what is left stays in the backlog, below the last record that was fetched.
func (x *expansion) stopped() {
	capped := x.d.stop.capped
	if x.tail, x.err = x.d.newTail(true); x.err != nil {
		return
	}
	if x.tail.edge = x.launched; !capped {
		x.tail.folds, x.tail.room = true, new(int64)
	}
	x.parted()
}

// parted keeps a list in the wrong order from being folded again: what is newer
// than the watermark would be lost, or the watermark stand still.
func (x *expansion) parted() {
	if x.unordered && x.tail != nil {
		x.tail.folds = false
	}
}

// settle resolves the gap, or puts a new one in its place.
func (x *expansion) settle() error {
	d, gap := x.d, x.gap
	if gap.lease != "" {
		if err := d.h.GapAttempted(d.l.Stream, gap.id, gap.lease); err != nil {
			return err
		}
	}
	if x.tail != nil && x.tail.folded > 0 {
		rest := backlog{before: x.tail.newText, floor: x.b.floor, remaining: x.tail.folded}
		if x.ended {
			rest.remaining = max(x.b.remaining-x.fetched-x.tail.told, x.tail.folded)
		}
		if rest.key(d.l.Stream) == gap.recordKey {
			return d.backlog(rest, gap)
		}
		if err := d.backlog(rest, nil); err != nil {
			return err
		}
	}
	return d.h.GapRecovered(d.l.Stream, gap.id, gap.lease)
}
