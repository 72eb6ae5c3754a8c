package sdk

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// servedGap is a gap of an earlier run, leased to this one.
type servedGap struct {
	id, lease       string
	stream, parent  string
	key             []string // nil for a backlog gap
	recordKey       string
	locator, cursor jsonvalue.Value
	backlog         bool
	failed          bool // it was asked for and did not come, so it is tried behind the list: no bound of a run's alone left it
	taken           bool // handed to the lane
}

// servedGaps are the gaps that the host has served so far, for all lanes: one page may
// contain gaps of several lanes.
type servedGaps struct {
	list  []*servedGap
	index map[string]*servedGap // by stream and key
	from  [2]int                // index of the first gap to hand over: [0] of those that did not fail, [1] of those that did
	ended bool                  // an empty page came
}

// read takes a page. A gap that makes no sense is left alone: it stays pending.
func (g *servedGaps) read(h *Host, page jsonvalue.Value) {
	for it := page.Children(); it.Next(); {
		v := it.Value()
		one := &servedGap{
			id: v.Get("gap_id").Str(), lease: v.Get("lease_id").Str(), stream: v.Get("stream").Str(),
			parent: v.Get("parent_stream").Str(), locator: v.Get("detail_locator"), cursor: v.Get("list_cursor"),
		}
		class := abi.Reason(v.Get("class").Str())
		one.failed = !class.Has(abi.RunCap) && class != abi.ReasonRequestCapReached && class != abi.ReasonWallClockDeadline
		s := h.stream(one.stream)
		if s == nil || one.id == "" || !one.readKey(s, v.Get("record_key")) {
			continue
		}
		one.failed = one.failed || one.settled() // a list that is always cut must not delay new records
		g.list = append(g.list, one)
		if one.backlog {
			continue
		}
		k, err := s.textKey(nil, one.key)
		if err != nil {
			continue
		}
		if g.index == nil {
			g.index = make(map[string]*servedGap)
		}
		g.index[one.stream+"\x00"+string(k)] = one
	}
}

// readKey reads the key, which the host serves as text: a composite key is the text of
// a JSON array.
func (g *servedGap) readKey(s *stream, v jsonvalue.Value) bool {
	g.recordKey = v.Str()
	if strings.HasPrefix(g.recordKey, abi.BacklogKeyPrefix(s.name)) && g.locator.Get("kind").TextIs(backlogKind) {
		g.backlog = true
		return true
	}
	if len(s.primaryKey) == 1 && v.Kind() == jsonvalue.String {
		g.key = []string{g.recordKey}
		return g.recordKey != ""
	}
	if v.Kind() == jsonvalue.String {
		v, _ = jsonvalue.Parse([]byte(g.recordKey))
	}
	for it := v.Children(); it.Next(); {
		part := it.Value().Str()
		if part == "" {
			return false
		}
		g.key = append(g.key, part)
	}
	return v.Kind() == jsonvalue.Array && len(g.key) == len(s.primaryKey)
}

// belongsTo reports whether the gap belongs to the lane.
func (g *servedGap) belongsTo(stream, parent string) bool {
	return g.stream == stream && (g.parent == "" || g.parent == parent)
}

// detail returns the detail that the gap covers.
func (g *servedGap) detail() Detail {
	d := Detail{Key: g.key, UpdatedAt: g.cursor.Get("updated_at").Str()}
	if g.locator.Kind() == jsonvalue.Object {
		d.Locator = g.locator.AppendJSON(nil)
	}
	return d
}

// find returns the served gap of a key, given as JSON, or nil.
func (g *servedGaps) find(stream, parent string, key []byte) *servedGap {
	if len(g.index) == 0 {
		return nil
	}
	if one := g.index[stream+"\x00"+string(key)]; one != nil && one.belongsTo(stream, parent) {
		return one
	}
	return nil
}

// more asks the host for the next page. The size of a page does not tell how many gaps
// are left: only an empty page is the end (PB-D11).
func (g *servedGaps) more(h *Host) error {
	page, err := h.request(abi.OpGaps, "gaps", nil)
	if err != nil {
		return err
	}
	list := page.Get("detail_gaps")
	g.ended = list.Len() == 0
	g.read(h, list)
	return nil
}

// rest reads all pages that are left.
func (g *servedGaps) rest(h *Host) error {
	for !g.ended {
		if err := g.more(h); err != nil {
			return err
		}
	}
	return nil
}

// next takes the lane's next gap, of those that failed or of the others, and asks for
// further pages as needed. It returns nil when none is left.
func (g *servedGaps) next(h *Host, stream, parent string, failed bool) (*servedGap, error) {
	from := &g.from[0]
	if failed {
		from = &g.from[1]
	}
	for *from < len(g.list) && (g.list[*from].taken || g.list[*from].failed != failed) {
		*from++
	}
	for at := *from; ; {
		for ; at < len(g.list); at++ {
			if one := g.list[at]; !one.taken && one.failed == failed && one.belongsTo(stream, parent) {
				one.taken = true
				return one, nil
			}
		}
		if g.ended {
			return nil, nil
		}
		if err := g.more(h); err != nil {
			return nil, err
		}
	}
}

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
