package sdk

import "time"

// detailTail accounts for the records that a stopped pass did not fetch. Each record
// gets a gap; at the owner's bound only a chunk of them does, and one backlog gap
// covers the older rest (RT-19).
type detailTail struct {
	d         *Details
	cause     gapCause
	folds     bool
	fixed     bool      // newest does not rise: a newer record gets a gap of its own
	room      *int64    // gaps of single records before the rest is folded
	edge      time.Time // time of the last record with a gap of its own
	accounted int64     // records with a gap of their own
	folded    int64
	newest    time.Time // of the folded records
	oldest    time.Time
	newText   string // the list's own spelling of newest
	oldText   string
}

// newTail starts the tail of a pass that d.stop ended. It reads all pending gaps first,
// because they are not emitted again.
func (d *Details) newTail(folds bool) (*detailTail, error) {
	if err := d.h.gaps.rest(d.h); err != nil {
		d.broken = err
		return nil, err
	}
	t := &detailTail{d: d, cause: gapCause{reason: d.stop.reason, class: d.stop.class}}
	t.room = &d.room
	// A later run finds the folded records by reading the whole list again, so a run
	// with chosen keys, which has seen only a part, does not fold.
	t.folds = folds && d.h.details.chunk() > 0 && d.l.Relist != nil && d.lane.s.resources == nil
	return t, nil
}

// add accounts for one more record, newest first.
func (t *detailTail) add(it detailItem) error {
	if t.d.h.stopping {
		return ErrStopped
	}
	if it.gap != nil {
		t.accounted++
		return t.d.lane.backed(it.d.Key...) // unchanged: the gap may state the provider's pressure
	}
	at, ok := parseInstant(it.d.UpdatedAt)
	// Records of one time stay together: a watermark between them would lose some or,
	// if it never moved, never end.
	late := t.fixed && t.folded > 0 && at.After(t.newest)
	if t.folds && ok && *t.room <= 0 && !at.Equal(t.edge) && !late {
		t.fold(at, it.d.UpdatedAt)
		return nil
	}
	if ok {
		t.edge = at
	}
	*t.room--
	t.accounted++
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

// backlog emits a backlog gap. replaces is the served gap that it updates; nil emits a
// new one.
func (d *Details) backlog(b backlog, replaces *servedGap) error {
	return d.lane.synthetic(b.key(d.l.Stream), b.gap(replaces))
}
