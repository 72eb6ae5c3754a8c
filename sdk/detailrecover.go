package sdk

import "github.com/pdpp-host/pdpp-host/abi"

// Recover serves the gaps that a bound of earlier runs left, page after page until the
// host has none left: first the gaps of single records, then the backlog gaps, which it
// expands by reading the list again. Call it before Walk, so that the oldest records
// come first; both draw on one budget. It ends early at the owner's bound or when the
// provider asks to be left alone; the remaining gaps stay pending.
//
// Records that failed in earlier runs wait until Close, behind every record of Walk, so
// that a record which always fails delays nothing. So does a backlog whose records have
// their outcome, and whose list was never read to its end.
func (d *Details) Recover() error { return d.recover(false) }

// recover serves the gaps that failed, or the others.
func (d *Details) recover(failed bool) error {
	if d.broken != nil || !d.active() {
		return d.broken
	}
	var backlogs []*servedGap
	_, err := d.fetch(func() (detailItem, bool) {
		for {
			gap, err := d.h.gaps.next(d.h, d.l.Stream, d.l.StateStream, failed)
			switch {
			case err != nil:
				d.broken = err
				return detailItem{}, false
			case gap == nil:
				return detailItem{}, false
			case gap.backlog:
				backlogs = append(backlogs, gap)
				continue
			}
			if it, ok := d.item(gap.detail()); ok {
				it.gap, it.d.Recovering = gap, true
				return it, true
			}
			if d.broken != nil {
				return detailItem{}, false
			}
		}
	}, nil) // nil: the outcome of a gap is durable at once
	for _, gap := range backlogs {
		if err != nil || d.stop != nil {
			break
		}
		err = d.expand(gap)
	}
	return err
}

// waiting adds the lane's gaps of earlier runs that are still to be fetched (RT-16.2),
// as far as one DETAIL_COVERAGE has room for them.
func (d *Details) waiting() error {
	if d.stop == nil {
		return nil // everything was served
	}
	if err := d.h.gaps.rest(d.h); err != nil {
		return err
	}
	room := abi.MaxCoverageBytes / 2
	for _, k := range d.lane.keys {
		room -= 2 * (len(k) + 1) // as required, and with its outcome
	}
	for _, gap := range d.h.gaps.list {
		if gap.key == nil || !gap.belongsTo(d.l.Stream, d.l.StateStream) {
			continue
		}
		k, use, err := d.lane.key(gap.key)
		if err != nil || !use {
			continue
		}
		if _, known := d.lane.index[string(k)]; known {
			continue
		}
		if room -= 2 * (len(k) + 1); room < 0 {
			break
		}
		if err := d.lane.backed(gap.key...); err != nil {
			return err
		}
	}
	return nil
}
