package sdktest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// gapStore contains the gaps that the run was served and those that it reported: one
// for each stream, parent and key.
type gapStore struct {
	all []*storedGap
}

// storedGap is one gap; its fields are those that a host serves.
type storedGap struct {
	ID            string  `json:"gap_id"`
	Lease         string  `json:"lease_id"`
	Stream        string  `json:"stream"`
	Parent        string  `json:"parent_stream,omitempty"`
	Key           string  `json:"record_key"`
	Reason        string  `json:"reason,omitempty"`
	Class         string  `json:"class,omitempty"`
	DetailLocator abi.Raw `json:"detail_locator,omitempty"`
	ListCursor    abi.Raw `json:"list_cursor,omitempty"`

	pending, attempted bool
	returned           bool // reported again: its lease is over
	arrived            bool // its record arrived since it was served
}

func (g *storedGap) served() string {
	text, _ := json.Marshal(g) // texts and JSON that was parsed before
	return string(text)
}

// noteServed notes a page of gaps.
func (h *host) noteServed(page []abi.Raw) {
	for _, raw := range page {
		var g struct {
			storedGap
			Key json.RawMessage `json:"record_key"`
		}
		if json.Unmarshal(raw, &g) != nil {
			continue // a script of a host that talks nonsense
		}
		if g.storedGap.Key = keyText(g.Key); g.storedGap.Key != "" {
			one := h.gaps.put(g.storedGap)
			one.pending, one.attempted, one.arrived = true, false, false
		}
	}
}

// put stores a gap in place of an earlier one with the same stream, parent and key.
func (s *gapStore) put(g storedGap) *storedGap {
	for _, one := range s.all {
		if one.Stream == g.Stream && one.Parent == g.Parent && one.Key == g.Key {
			g.ID, g.Lease = one.ID, one.Lease
			*one = g
			return one
		}
	}
	if g.ID == "" {
		g.ID = fmt.Sprintf("gap-%s-%s-%s", g.Stream, g.Parent, g.Key)
	}
	if g.Lease == "" {
		g.Lease = "lease"
	}
	s.all = append(s.all, &g)
	return &g
}

// arrived notes a record. One detail may have several records: their keys begin with
// its own and a colon.
func (s *gapStore) arrived(stream, key string) {
	for _, g := range s.all {
		if g.Stream == stream && (key == g.Key || strings.HasPrefix(key, g.Key+":")) {
			g.arrived = true
		}
	}
}

// backs reports whether a pending gap accounts for the key in the lane.
func (s *gapStore) backs(stream, parent, key string) bool {
	for _, g := range s.all {
		if g.pending && g.Stream == stream && g.Key == key && (g.Parent == parent || g.Parent == "") {
			return true
		}
	}
	return false
}

// unresolved returns the id of a gap that was attempted and has no outcome.
func (s *gapStore) unresolved() string {
	for _, g := range s.all {
		if g.attempted {
			return g.ID
		}
	}
	return ""
}

// gap takes a DETAIL_GAP, or the outcome of one.
func (h *host) gap(payload []byte) string {
	var kind struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(payload, &kind) // strict has parsed it
	if kind.Type != abi.TypeDetailGap {
		return decodeMessage(payload, kind.Type, &h.res.GapOutcomes, func(m *abi.GapOutcome) string {
			if m.GapID == "" || kind.Type != abi.TypeGapAttempted && kind.Type != abi.TypeGapRecovered {
				return "neither a gap nor the outcome of one"
			}
			return h.gapOutcome(m)
		})
	}
	return decodeMessage(payload, abi.TypeDetailGap, &h.res.Gaps, func(m *abi.DetailGap) string {
		if !abi.Reason(m.Reason).Has(abi.GapReasons) || !m.Retryable || m.Status != "pending" ||
			keyText(m.RecordKey) == "" || len(m.DetailLocator) == 0 || m.DetailLocator[0] != '{' {
			return "an incomplete gap"
		}
		for _, c := range h.res.Coverage {
			if c.Stream == m.Stream && c.StateStream == m.ParentStream {
				return "a DETAIL_GAP after its lane's DETAIL_COVERAGE"
			}
		}
		one := h.gaps.put(storedGap{
			Stream: m.Stream, Parent: m.ParentStream, Key: keyText(m.RecordKey), Reason: m.Reason,
			DetailLocator: m.DetailLocator, ListCursor: m.ListCursor,
		})
		if m.LastError != nil {
			one.Class = m.LastError.Class
		}
		one.pending, one.returned = true, true
		if m.GapID != "" && m.GapID != one.ID {
			return "a DETAIL_GAP with another gap's gap_id"
		}
		return h.inScope(m.Stream)
	})
}

func (h *host) gapOutcome(m *abi.GapOutcome) string {
	for _, g := range h.gaps.all {
		if g.ID != m.GapID {
			continue
		}
		leased := g.Lease == m.LeaseID && !g.returned || m.LeaseID == "" && m.Type == abi.TypeGapRecovered
		if !leased || g.Stream != m.Stream {
			return "the outcome of a gap, with the wrong lease or stream"
		}
		if backlog := strings.HasPrefix(g.Key, abi.BacklogKeyPrefix(g.Stream)); m.Type == abi.TypeGapRecovered && !g.arrived && !backlog {
			return "a gap called recovered without a record of it, changed or not: " + g.Key
		}
		g.attempted = m.Type == abi.TypeGapAttempted
		g.pending = g.attempted
		return h.inScope(m.Stream)
	}
	return "the outcome of a gap that was not served: " + m.GapID
}
