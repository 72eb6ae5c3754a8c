package sdk

// Recover serves the gaps of earlier runs, page after page until the host has
// none left: first those of single records, then the backlog gaps, which it
// expands by reading the list again. Call it before Walk, so that the oldest
// debts come first; both draw on one budget. It ends early at the owner's bound
// or when the provider is to be left alone; what it did not reach stays pending.
func (d *Details) Recover() error {
	if d.broken != nil || !d.active() {
		return d.broken
	}
	var backlogs []*servedGap
	_, err := d.fetch(func() (detailItem, bool) {
		for {
			gap, err := d.h.gaps.next(d.h, d.l.Stream, d.l.StateStream)
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
				it.gap = gap
				return it, true
			}
			if d.broken != nil {
				return detailItem{}, false
			}
		}
	})
	for _, gap := range backlogs {
		if err != nil || d.stop != nil {
			break
		}
		err = d.expand(gap)
	}
	return err
}
