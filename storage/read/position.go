package read

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// Position is how far the read state is.
type Position struct {
	Indexed int64   // every change up to this one is in it
	Ahead   []Range // further changes that are, in their order; between two are some that are not
	Last    int64   // the store's last change
	Epoch   int64   // another one each time that the read state was emptied

	ahead string // as it is stored
}

// Range is the changes behind one, up to another.
type Range struct{ From, To int64 }

// MostAhead bounds the ranges of a position.
const MostAhead = 8

// Position returns how far the read state is.
func (s *Store) Position(ctx context.Context) (p Position, err error) {
	// In this order: what is indexed is never ahead of what it is compared with.
	err = s.db.QueryRow(ctx, `SELECT coalesce((SELECT indexed_seq FROM read_position), 0), coalesce((SELECT ahead FROM read_position), ''),
(SELECT value FROM counters WHERE name = 'change'), coalesce((SELECT epoch FROM read_position), 0)`, nil, &p.Indexed, &p.ahead, &p.Last, &p.Epoch)
	if err == nil {
		p.Ahead, err = readRanges(p.ahead)
	}
	return p, s.db.Fail("read the position of the index", err)
}

// Top is the last change that is in the read state.
func (p *Position) Top() int64 {
	if n := len(p.Ahead); n > 0 {
		return p.Ahead[n-1].To
	}
	return p.Indexed
}

// Has reports whether a change is in the read state.
func (p *Position) Has(seq int64) bool {
	return seq <= p.Indexed || slices.ContainsFunc(p.Ahead, func(r Range) bool { return r.From < seq && seq <= r.To })
}

// Missing returns how many changes are not in the read state.
func (p *Position) Missing() int64 {
	missing := p.Last - p.Indexed
	for _, r := range p.Ahead {
		missing -= r.To - r.From
	}
	return max(missing, 0)
}

// Same reports whether the read state is as it was: with the same changes in it.
func (p *Position) Same(other *Position) bool {
	return p.Indexed == other.Indexed && p.ahead == other.ahead && p.Epoch == other.Epoch
}

// Way says which changes a walk applies.
type Way int

// The ways.
const (
	Newest Way = iota // behind all that are in the read state, in their order
	Before            // before the last range, the newest first
	Begun             // before the store's last change, the newest first: a range begins there
	Oldest            // behind Indexed, in their order
)

// bounds are the changes that a way leads to: behind one, up to another.
func (p *Position) bounds(way Way) (low, high int64) {
	n := len(p.Ahead)
	switch {
	case way == Begun:
		return p.Top(), p.Last
	case way == Before && n > 1:
		return p.Ahead[n-2].To, p.Ahead[n-1].From
	case n > 0 && way != Newest:
		return p.Indexed, p.Ahead[0].From
	}
	return p.Top(), p.Last
}

// ChangesOf returns the next changes of a way.
func (s *Store) ChangesOf(ctx context.Context, p *Position, way Way, limit int) ([]Change, error) {
	low, high := p.bounds(way)
	order := "seq"
	if way.back() {
		order = "seq DESC"
	}
	return s.changes(ctx, "read the changes", "seq > ? AND seq <= ? ORDER BY "+order+" LIMIT ?", low, high, limit)
}

func (w Way) back() bool { return w == Before || w == Begun }

// moved returns the position behind changes of a way, of which the last one that was applied is at seq;
// end: there are no others.
func (p *Position) moved(way Way, seq int64, end bool) Position {
	low, high := p.bounds(way)
	to := *p
	to.Ahead = slices.Clone(p.Ahead)
	if way == Begun {
		to.Ahead = append(to.Ahead, Range{p.Last, p.Last})
	}
	n := len(to.Ahead)
	switch {
	case way.back() && end:
		to.Ahead[n-1].From = low
	case way.back():
		to.Ahead[n-1].From = seq - 1
	case way == Oldest || n == 0:
		to.Indexed = seq
		if end {
			to.Indexed = high
		}
	default:
		to.Ahead[n-1].To = seq
		if end {
			to.Ahead[n-1].To = high
		}
	}
	to.join()
	return to
}

// join makes one of ranges that meet.
func (p *Position) join() {
	var apart []Range
	for _, r := range p.Ahead {
		last := &p.Indexed
		if n := len(apart); n > 0 {
			last = &apart[n-1].To
		}
		if r.From <= *last {
			*last = max(*last, r.To)
			continue
		}
		apart = append(apart, r)
	}
	p.Ahead = apart
}

// isStill reports whether the stored position is still p.
func (p *Position) isStill(t *db.Tx) (bool, error) {
	var indexed int64
	var ahead string
	err := t.DB.QueryRowContext(t.Ctx, "SELECT coalesce((SELECT indexed_seq FROM read_position), 0), coalesce((SELECT ahead FROM read_position), '')").Scan(&indexed, &ahead)
	return indexed == p.Indexed && ahead == p.ahead, err
}

// store stores p.
func (p *Position) store(t *db.Tx) error {
	_, err := t.DB.ExecContext(t.Ctx, `INSERT INTO read_position (id, indexed_seq, ahead) VALUES (1, ?, ?)
ON CONFLICT (id) DO UPDATE SET indexed_seq = excluded.indexed_seq, ahead = excluded.ahead`, p.Indexed, writeRanges(p.Ahead))
	return err
}

func writeRanges(all []Range) string {
	parts := make([]string, len(all))
	for i, r := range all {
		parts[i] = fmt.Sprintf("%d-%d", r.From, r.To)
	}
	return strings.Join(parts, ",")
}

func readRanges(text string) (all []Range, err error) {
	for part := range strings.SplitSeq(text, ",") {
		if part == "" {
			continue
		}
		var r Range
		if _, err := fmt.Sscanf(part, "%d-%d", &r.From, &r.To); err != nil {
			return nil, fmt.Errorf("the ranges of the index: %w", err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.From, b.From) })
	return all, nil
}
