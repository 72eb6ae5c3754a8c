package sdk

import "time"

// detailTail accounts for what a stopped pass did not fetch: a gap for each
// record, or, at the owner's bound, for a chunk of them and one backlog gap for
// the older rest (RT-19).
type detailTail struct {
	d       *Details
	cause   gapCause
	folds   bool
	room    *int64    // gaps of single records before the rest is folded
	edge    time.Time // of the last record accounted for by itself
	told    int64     // records accounted for by themselves
	folded  int64
	newest  time.Time // of the folded records
	oldest  time.Time
	newText string // the list's own spelling of newest
	oldText string
}

// newTail starts the tail of a pass that d.stop ended. What is pending already
// is learned first, because it is not told again.
func (d *Details) newTail(folds bool) (*detailTail, error) {
	if err := d.h.gaps.rest(d.h); err != nil {
		d.broken = err
		return nil, err
	}
	t := &detailTail{d: d, cause: gapCause{reason: d.stop.reason, class: d.stop.class}}
	t.room = &d.room
	// A later run finds what is folded by reading the list again, all of it: not
	// what a run of chosen keys has seen of it.
	t.folds = folds && d.h.details.chunk() > 0 && d.l.Relist != nil && d.lane.s.resources == nil
	return t, nil
}

// add accounts for one more record, newest first.
func (t *detailTail) add(it detailItem) error {
	if t.d.h.stopping {
		return ErrStopped
	}
	if it.gap != nil {
		t.told++
		return t.d.lane.backed(it.d.Key...) // as it was: it may be pressure that it tells of
	}
	at, ok := parseInstant(it.d.UpdatedAt)
	// Records of one time are not parted: a watermark between them would either
	// lose some or, standing still, never end.
	if t.folds && ok && *t.room <= 0 && !at.Equal(t.edge) {
		t.fold(at, it.d.UpdatedAt)
		return nil
	}
	if ok {
		t.edge = at
	}
	*t.room--
	t.told++
	return t.d.gap(it, t.cause)
}

// fold leaves a record to the backlog gap.
func (t *detailTail) fold(at time.Time, text string) {
	if t.folded == 0 || at.After(t.newest) {
		t.newest, t.newText = at, text
	}
	if t.folded == 0 || at.Before(t.oldest) {
		t.oldest, t.oldText = at, text
	}
	t.folded++
}

// backlog emits a backlog gap. replaces is the served gap that it is, when it
// is the same one again.
func (d *Details) backlog(b backlog, replaces *servedGap) error {
	return d.lane.synthetic(b.key(d.l.Stream), b.gap(replaces))
}
