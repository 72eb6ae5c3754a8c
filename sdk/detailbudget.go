package sdk

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

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
