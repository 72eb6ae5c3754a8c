package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Gap is a record whose detail could not be fetched now and is to be fetched
// later.
type Gap struct {
	Key        []string      // by primary_key of the lane's stream
	Reason     abi.Reason    // one of abi.GapReasons
	Locator    []byte        // a JSON object that finds the detail again; never a secret
	ListCursor []byte        // JSON, optional
	Err        *abi.GapError // optional
	// ID and Lease identify a served gap that stays open.
	ID, Lease string
}

// gap sends a DETAIL_GAP. key is the JSON of g.Key.
func (h *Host) gap(stream, parent string, key []byte, g Gap) error {
	if !g.Reason.Has(abi.GapReasons) {
		return abi.NewError(abi.CodeGapInvalid, "a gap's reason is not one of abi.GapReasons",
			"use one of abi.GapReasons, or Skip").WithDetail(stream + ": " + string(g.Reason))
	}
	if len(g.Locator) == 0 || g.Locator[0] != '{' {
		return abi.NewError(abi.CodeGapInvalid, "a gap without a locator", "give a JSON object").WithDetail(stream)
	}
	if err := h.Flush(); err != nil {
		return err
	}
	b := beginMessage(h.message, abi.TypeDetailGap)
	b = textMember(b, "stream", stream)
	b = textMember(b, "parent_stream", parent)
	b = rawMember(b, "record_key", key)
	b = textMember(b, "reason", string(g.Reason))
	b = jsonappend.Bool(jsonappend.Name(b, "retryable"), true)
	b = textMember(b, "status", "pending")
	b = appendLine(jsonappend.Name(b, "detail_locator"), g.Locator)
	if len(g.ListCursor) > 0 {
		b = appendLine(jsonappend.Name(b, "list_cursor"), g.ListCursor)
	}
	if e := g.Err; e != nil {
		b = append(jsonappend.Name(b, "last_error"), '{')
		b = textMember(b, "class", e.Class)
		if e.HTTPStatus != nil {
			b = jsonappend.Int(jsonappend.Name(b, "http_status"), int64(*e.HTTPStatus))
		}
		b = append(rawMember(b, "network_pressure", e.NetworkPressure), '}')
	}
	b = textMember(b, "gap_id", g.ID)
	b = textMember(b, "lease_id", g.Lease)
	return h.sendMessage(link.Gap, b)
}

// GapAttempted reports that the connector starts on a leased gap. Its ids come from the
// gap's entry in DetailGaps.
func (h *Host) GapAttempted(stream, gapID, leaseID string) error {
	return h.gapOutcome(abi.TypeGapAttempted, stream, gapID, leaseID)
}

// GapRecovered reports that the detail of a leased gap was emitted: its record, changed
// or not, or its tombstone. Without one of them the host ignores the report.
func (h *Host) GapRecovered(stream, gapID, leaseID string) error {
	return h.gapOutcome(abi.TypeGapRecovered, stream, gapID, leaseID)
}

func (h *Host) gapOutcome(kind, stream, gapID, leaseID string) error {
	if err := h.Flush(); err != nil {
		return err
	}
	b := beginMessage(h.message, kind)
	b = textMember(b, "gap_id", gapID)
	b = textMember(b, "lease_id", leaseID)
	b = textMember(b, "stream", stream)
	return h.sendMessage(link.Gap, b)
}
