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
	failed          bool // it was asked for and did not come: no bound of a run's alone left it
	taken           bool // handed to the lane
}

// servedGaps are the gaps that the host has served so far, for all lanes: one
// page may hold those of several.
type servedGaps struct {
	list  []*servedGap
	index map[string]*servedGap // by stream and key
	from  [2]int                // no gap before it is left to hand over: 0 is of those that did not fail, 1 of those that did
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

// readKey reads the key, which the host serves as text: that of a composite one
// is a JSON array.
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

// of reports whether the gap belongs to the lane.
func (g *servedGap) of(stream, parent string) bool {
	return g.stream == stream && (g.parent == "" || g.parent == parent)
}

// detail is the detail that the gap stands for.
func (g *servedGap) detail() Detail {
	d := Detail{Key: g.key, UpdatedAt: g.cursor.Get("updated_at").Str()}
	if g.locator.Kind() == jsonvalue.Object {
		d.Locator = g.locator.AppendJSON(nil)
	}
	return d
}

// find returns the served gap of a key, by its JSON, nil when there is none.
func (g *servedGaps) find(stream, parent string, key []byte) *servedGap {
	if len(g.index) == 0 {
		return nil
	}
	if one := g.index[stream+"\x00"+string(key)]; one != nil && one.of(stream, parent) {
		return one
	}
	return nil
}

// more asks the host for the next page. A page's size says nothing of how much
// is left: only an empty one is the end (PB-D11).
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

// next takes the lane's next gap of those that failed, or of the others, from the
// next page where it must. It is nil when there is none left.
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
			if one := g.list[at]; !one.taken && one.failed == failed && one.of(stream, parent) {
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
