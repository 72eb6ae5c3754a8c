package model

import (
	"cmp"
	"fmt"
	"strings"
)

// manifest is the guest's. A record is a number.
const manifest = `{"connector_id":"https://pdpp-host.example/connectors/model","connector_key":"model","version":"0.1.0",` +
	`"protocol_version":"0.1.0","display_name":"Model","runtime_requirements":{"bindings":{}},"streams":[` +
	`{"name":"notes",` + ofStream + `},{"name":"riders","coverage_strategy":"checkpoint_window","state_stream":"notes",` + ofStream + `}]}`

const ofStream = `"primary_key":["id"],"semantics":"mutable_state","incremental":true,"consent_time_field":"at","selection":{"resources":true},` +
	`"schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"n":{"type":"integer"},"at":{"type":"string","format":"date-time"}}}`

const at = `"2026-06-01T00:00:00Z"`

// gapKey is the key of a DETAIL_GAP as the host keeps it.
func gapKey(c *call) string {
	switch c.do {
	case doOddGap:
		return fmt.Sprintf(`[%q,"x"]`, c.key())
	case doBacklog:
		return "backlog:" + c.stream + ":" + c.key()
	}
	return c.key()
}

// message is a call's host call and payload.
func message(c *call, runs map[string]string) (to, payload string) {
	switch c.do {
	case doEmit:
		return "emit", fmt.Sprintf(`{"type":"RECORD","stream":%q,"key":%q,"data":{"id":%[2]q,"n":%d,"at":%s},"emitted_at":%[4]s}`, c.stream, c.key(), c.n, at)
	case doDelete:
		return "emit", fmt.Sprintf(`{"type":"RECORD","stream":%q,"key":%q,"op":"delete"}`, c.stream, c.key())
	case doReject:
		return "emit", fmt.Sprintf(`{"type":"RECORD","stream":%q,"key":%q,"data":{"id":%[2]q,"n":"none","at":%s},"emitted_at":%[3]s}`, c.stream, c.key(), at)
	case doKeptBack:
		return "skip", fmt.Sprintf(`{"type":"SKIP_RESULT","stream":%q,"reason":"record_key_missing","resource_ids":%s}`, c.stream, texts(c.keys))
	case doFail:
		return "skip", fmt.Sprintf(`{"type":"SKIP_RESULT","stream":%q,"reason":"stream_collection_failed"}`, c.stream)
	case doGap, doOddGap, doBacklog:
		key := fmt.Sprintf("%q", gapKey(c))
		if c.do == doOddGap {
			key = gapKey(c)
		}
		return "gap", fmt.Sprintf(`{"type":"DETAIL_GAP","stream":%q,"record_key":%s,"reason":"temporary_unavailable","retryable":true,"status":"pending","detail_locator":{}}`, c.stream, key)
	case doOpen:
		by := ""
		if c.by != "" {
			by = fmt.Sprintf(`,"begun_by":%q`, cmp.Or(runs[c.by], "run_unknown"))
		}
		return "enumerate", fmt.Sprintf(`{"type":"ENUMERATION","stream":%q,"part":%q,"status":"open"%s}`, c.stream, c.part, by)
	case doMet:
		return "enumerate", fmt.Sprintf(`{"type":"ENUMERATION","stream":%q,"part":%q,"status":"met","keys":%s}`, c.stream, c.part, texts(c.keys))
	case doOddMet:
		return "enumerate", fmt.Sprintf(`{"type":"ENUMERATION","stream":%q,"part":%q,"status":"met","keys":[["a","b"]]}`, c.stream, c.part)
	case doWhole:
		return "enumerate", fmt.Sprintf(`{"type":"ENUMERATION","stream":%q,"part":%q,"status":"whole"}`, c.stream, c.part)
	case doState:
		return "state", fmt.Sprintf(`{"type":"STATE","stream":%q,"cursor":{"n":%d}}`, c.stream, c.n)
	default:
		return "state", fmt.Sprintf(`{"type":"STATE","stream":%q,"cursor":{"n":%d},"slice":{"id":"s","complete":%t}}`, c.stream, c.n, c.do == doSlice)
	}
}

func texts(of []string) string { return "[" + strings.Join(quoted(of), ",") + "]" }

func quoted(of []string) (all []string) {
	for _, text := range of {
		all = append(all, fmt.Sprintf("%q", text))
	}
	return all
}

// outcome is a DETAIL_GAP_ATTEMPTED or DETAIL_GAP_RECOVERED.
func outcome(c *call, s servedGap) string {
	kind := "DETAIL_GAP_ATTEMPTED"
	if c.do == doRecovered {
		kind = "DETAIL_GAP_RECOVERED"
	}
	if s.GapID == "" {
		s.GapID = "gap_unknown"
	}
	return fmt.Sprintf(`{"type":%q,"gap_id":%q,"lease_id":%q,"stream":%q}`, kind, s.GapID, s.LeaseID, c.stream)
}

// last is the DONE of a run's end.
func last(end string, emitted int) string {
	status, why := end, ""
	switch end {
	case endFailed:
		why = `,"error":{"code":"model_failed","message":"failed","retryable":true}`
	case endCertified:
		status, why = endFailed, `,"error":{"code":"stream_collection_failed","message":"failed","retryable":true}`
	}
	return fmt.Sprintf(`{"type":"DONE","status":%q,"records_emitted":%d%s}`, status, emitted, why)
}

// servedGap is a gap as the guest gets it.
type servedGap struct {
	GapID     string `json:"gap_id"`
	LeaseID   string `json:"lease_id"`
	Stream    string `json:"stream"`
	RecordKey string `json:"record_key"`
}

// startMessage is what the guest reads of START.
type startMessage struct {
	RunID         string            `json:"run_id"`
	State         map[string]cursor `json:"state"`
	PreviousState map[string]cursor `json:"previous_state"`
	DetailGaps    []servedGap       `json:"detail_gaps"`
}

type cursor struct {
	N int `json:"n"`
}
