package boundary

import (
	"math"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Gap reads one DETAIL_GAP, or the result of a served gap: DETAIL_GAP_ATTEMPTED or
// DETAIL_GAP_RECOVERED. It returns a *abi.DetailGap or a *abi.GapOutcome.
func (g *Gate) Gap(p []byte) (any, error) {
	m, err := openMessage(p, abi.MaxMessageBytes, abi.CodeGapInvalid,
		abi.TypeDetailGap, abi.TypeGapAttempted, abi.TypeGapRecovered)
	if err != nil {
		return nil, err
	}
	if m.typ == abi.TypeDetailGap {
		return g.detailGap(m)
	}
	o := &abi.GapOutcome{Type: m.typ}
	err = m.read(false,
		field{"gap_id", true, column(&o.GapID, m.word)},
		field{"lease_id", m.typ == abi.TypeGapAttempted, column(&o.LeaseID, m.word)},
		field{"stream", true, m.word(&o.Stream)},
	)
	if err == nil {
		err = g.inScope(m, o.Stream)
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

func (g *Gate) detailGap(m *message) (any, error) {
	d := &abi.DetailGap{Type: m.typ}
	err := m.read(false,
		field{"stream", true, m.word(&d.Stream)},
		field{"parent_stream", false, m.word(&d.ParentStream)},
		field{"record_key", true, m.key(&d.RecordKey)},
		field{"reason", true, m.oneOf(&d.Reason, gapReasons()...)},
		field{"retryable", true, func(i int) string {
			if m.boolean(&d.Retryable)(i) != "" || !d.Retryable {
				return "must be true" // a detail that can never be fetched is a skip, not a gap
			}
			return ""
		}},
		field{"status", true, m.oneOf(&d.Status, "pending")},
		field{"detail_locator", true, m.rawObject(&d.DetailLocator)},
		field{"list_cursor", false, m.raw(&d.ListCursor)},
		field{"last_error", false, func(i int) string {
			d.LastError = &abi.GapError{}
			return m.object(false,
				field{"class", false, column(&d.LastError.Class, m.text)},
				field{"http_status", false, m.status(&d.LastError.HTTPStatus)},
				field{"network_pressure", false, m.rawObject(&d.LastError.NetworkPressure)},
				field{"said", false, column(&d.LastError.Said, m.text)})(i)
		}},
		field{"gap_id", false, column(&d.GapID, m.word)},
		field{"lease_id", false, column(&d.LeaseID, m.word)},
		field{"reference_only", false, m.boolean(&d.ReferenceOnly)},
	)
	if err == nil {
		err = g.inScope(m, d.Stream)
	}
	if err == nil {
		err = g.declared(m, d.ParentStream)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (m *message) status(dst **int) func(int) string {
	return func(i int) string {
		var n int64
		if m.count(&n)(i) != "" || n > math.MaxInt32 {
			return "must be an HTTP status"
		}
		status := int(n)
		*dst = &status
		return ""
	}
}

func gapReasons() []string {
	var all []string
	for _, r := range abi.GapReasons {
		all = append(all, string(r))
	}
	return all
}
