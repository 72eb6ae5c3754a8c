package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// receive checks one message and stores it. A problem is something that the real host
// would refuse.
func (h *host) receive(c link.Call, payload []byte) (abi.Code, string) {
	switch {
	case h.done:
		return abi.CodeAfterDone, "a message after DONE"
	case !h.started:
		return abi.CodeCallOutOfPhase, "a message before START"
	case c == link.Manifest:
		return abi.CodeCallOutOfPhase, "a manifest during the run"
	case c == link.Emit:
		return h.emit(payload)
	}
	if problem := strict(payload); problem != "" {
		return abi.CodeSyntax, problem
	}
	var problem string
	switch c {
	case link.State:
		problem = decodeMessage(payload, abi.TypeState, &h.res.States, func(m *abi.State) string {
			if len(m.Cursor) == 0 || m.Cursor[0] != '{' && string(m.Cursor) != "null" {
				return "a cursor is neither an object nor null"
			}
			for _, c := range m.Coverage {
				account := abi.DetailCoverage{
					Stream: c.Stream, StateStream: m.Stream, RequiredKeys: c.RequiredKeys, HydratedKeys: c.HydratedKeys,
					GapKeys: c.GapKeys, OptionalSkipKeys: c.OptionalSkipKeys,
				}
				if problem := h.coverage(&account); problem != "" {
					return problem
				}
			}
			return h.inScope(m.Stream)
		})
	case link.Gap:
		return abi.CodeGapInvalid, h.gap(payload)
	case link.Coverage:
		return abi.CodeCoverageInvalid, decodeMessage(payload, abi.TypeDetailCoverage, &h.res.Coverage, h.coverage)
	case link.Enumerate:
		return abi.CodeEnumerationInvalid, decodeMessage(payload, abi.TypeEnumeration, &h.res.Enumerations, h.enumerate)
	case link.Skip:
		problem = decodeMessage(payload, abi.TypeSkipResult, &h.res.Skips, func(m *abi.SkipResult) string {
			if m.Stream == "" {
				return ""
			}
			return h.inScope(m.Stream)
		})
	case link.Account:
		problem = decodeMessage(payload, abi.TypeAccount, &h.res.Accounts, h.account)
	case link.Progress:
		problem = decodeMessage(payload, abi.TypeProgress, &h.res.Progress, func(m *abi.Progress) string {
			if m.Message == "" || m.Count != nil && *m.Count < 0 || m.Total != nil && *m.Total < 0 {
				return "a progress without a message, or with a negative number"
			}
			return ""
		})
	case link.Done:
		return abi.CodeCountMismatch, h.finish(payload)
	case link.Manifest, link.Emit: // handled above
	}
	return abi.CodeEnvelope, problem
}

// decodeMessage decodes a message of the type, checks it and appends it to list.
func decodeMessage[M any](payload []byte, kind string, list *[]M, check func(*M) string) string {
	var envelope struct {
		Type string `json:"type"`
	}
	var m M
	if err := json.Unmarshal(payload, &envelope); err != nil || envelope.Type != kind {
		return "its type is not " + kind
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return err.Error()
	}
	if problem := check(&m); problem != "" {
		return problem
	}
	*list = append(*list, m)
	return ""
}

func (h *host) inScope(stream string) string {
	if h.streams[stream] == nil {
		return "stream " + stream + " is not in scope"
	}
	return ""
}

// coverage checks the sets of a DETAIL_COVERAGE (RT-12).
func (h *host) coverage(m *abi.DetailCoverage) string {
	for _, earlier := range h.res.Coverage {
		if earlier.Stream == m.Stream && earlier.StateStream == m.StateStream {
			return "a second DETAIL_COVERAGE for " + m.Stream
		}
	}
	if problem := h.keySets(m); problem != "" {
		return problem
	}
	if problem := h.inScope(m.StateStream); problem != "" {
		return problem
	}
	return h.inScope(m.Stream)
}

// keySets checks the keys of an account against each other and the gaps.
func (h *host) keySets(m *abi.DetailCoverage) string {
	required, settled := set(m.RequiredKeys), make(map[string]bool)
	if len(required) != len(m.RequiredKeys) {
		return "a key is required twice"
	}
	for _, list := range [][]abi.Raw{m.HydratedKeys, m.GapKeys, m.OptionalSkipKeys} {
		for _, key := range list {
			if !required[string(key)] || settled[string(key)] {
				return "a key with an outcome is not required, or has two outcomes: " + string(key)
			}
			settled[string(key)] = true
		}
	}
	for _, key := range m.GapKeys {
		if !h.gaps.backs(m.Stream, m.StateStream, keyText(key)) {
			return "a gap key without its DETAIL_GAP: " + string(key)
		}
	}
	return ""
}

func set(list []abi.Raw) map[string]bool {
	m := make(map[string]bool, len(list))
	for _, key := range list {
		m[string(key)] = true
	}
	return m
}

// finish checks DONE.
func (h *host) finish(payload []byte) string {
	var done []abi.Done
	problem := decodeMessage(payload, abi.TypeDone, &done, func(m *abi.Done) string {
		switch {
		case !slices.Contains([]string{abi.DoneSucceeded, abi.DoneFailed, abi.DoneCancelled}, m.Status):
			return "an unknown status"
		case m.Status == abi.DoneSucceeded && m.Error != nil:
			return "an error beside success"
		case m.Status == abi.DoneFailed && (m.Error == nil || m.Error.Message == ""):
			return "a failure without a message"
		case m.RecordsEmitted != h.sent:
			return fmt.Sprintf("records_emitted is %d, the host took %d", m.RecordsEmitted, h.sent)
		}
		return ""
	})
	if problem == "" {
		h.done, h.res.Done = true, done[0]
	}
	return problem
}

// end looks at the run as a whole.
func (h *host) end() {
	h.res.gaps = h.gaps.all
	if id := h.gaps.unresolved(); id != "" && h.res.Done.Status == abi.DoneSucceeded {
		h.res.Problems = append(h.res.Problems, "gap "+id+" was attempted and left without an outcome")
	}
	if !h.done {
		h.res.Problems = append(h.res.Problems, "the run ended without DONE")
	}
	for _, s := range h.res.Skips {
		if s.Reason == "record_key_missing" {
			h.res.Problems = append(h.res.Problems, "stream "+s.Stream+": "+s.Message)
		}
	}
	slices.Sort(h.res.Problems)
	h.res.Problems = slices.Compact(h.res.Problems)
}

// quote names a text in a problem without ending its line.
func quote(s string) string {
	if len(s) > 80 {
		s = s[:80] + "…"
	}
	return strings.ToValidUTF8(fmt.Sprintf("%q", s), "?")
}
