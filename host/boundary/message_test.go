package boundary

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// readers are the Gate's methods for messages, by name.
var readers = map[string]func(*Gate, []byte) (any, error){
	"state":       func(g *Gate, p []byte) (any, error) { return plain(g.State(p)) },
	"coverage":    func(g *Gate, p []byte) (any, error) { return plain(g.Coverage(p)) },
	"gap":         func(g *Gate, p []byte) (any, error) { return g.Gap(p) },
	"enumerate":   func(g *Gate, p []byte) (any, error) { return plain(g.Enumeration(p)) },
	"missing":     func(g *Gate, p []byte) (any, error) { return plain(g.Missing(p)) },
	"skip":        func(g *Gate, p []byte) (any, error) { return plain(g.Skip(p)) },
	"account":     func(g *Gate, p []byte) (any, error) { return plain(g.Account(p)) },
	"progress":    func(g *Gate, p []byte) (any, error) { return plain(g.Progress(p)) },
	"done":        func(g *Gate, p []byte) (any, error) { return plain(g.Done(p)) },
	"interaction": func(g *Gate, p []byte) (any, error) { return plain(g.Interaction(p)) },
}

func plain[T any](v *T, err error) (any, error) {
	if v == nil {
		return nil, err
	}
	return v, err
}

func TestMessagesAccept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		call, payload string
		want          any
	}{
		{"state", `{"type":"STATE","stream":"log","cursor":{"a": 1}}`, &abi.State{Type: "STATE", Stream: "log", Cursor: abi.Raw(`{"a": 1}`)}},
		{"state", `{"type":"STATE","stream":"log","cursor":null}`, &abi.State{Type: "STATE", Stream: "log", Cursor: abi.Raw(`null`)}},
		{"state", `{"type":"STATE","stream":"log","cursor":{},"slice":null,"x":1}`, &abi.State{Type: "STATE", Stream: "log", Cursor: abi.Raw(`{}`)}},
		{"state", `{"type":"STATE","stream":"log","cursor":{},"slice":{"id":"f","complete":true}}`,
			&abi.State{Type: "STATE", Stream: "log", Cursor: abi.Raw(`{}`), Slice: &abi.Slice{ID: "f", Complete: true}}},
		{"state", `{"type":"STATE","stream":"log","cursor":{},"coverage":[{"stream":"messages","required_keys":["a",["b"]],"hydrated_keys":["a"],"gap_keys":[["b"]],"x":1},{"stream":"log","required_keys":[],"hydrated_keys":[]}]}`,
			&abi.State{Type: "STATE", Stream: "log", Cursor: abi.Raw(`{}`), Coverage: []abi.SliceCoverage{
				{Stream: "messages", RequiredKeys: raws(`"a"`, `["b"]`), HydratedKeys: raws(`"a"`), GapKeys: raws(`["b"]`)},
				{Stream: "log", RequiredKeys: []abi.Raw{}, HydratedKeys: []abi.Raw{}},
			}}},
		{"coverage", `{"type":"DETAIL_COVERAGE","stream":"log","state_stream":"messages","required_keys":["a","b",["c","d"]],"hydrated_keys":["a"],"gap_keys":[["c","d"]],"optional_skip_keys":["b"],"reference_only":true,"considered":3,"covered":0}`,
			&abi.DetailCoverage{
				Type: "DETAIL_COVERAGE", Stream: "log", StateStream: "messages", RequiredKeys: raws(`"a"`, `"b"`, `["c","d"]`),
				HydratedKeys: raws(`"a"`), GapKeys: raws(`["c","d"]`), OptionalSkipKeys: raws(`"b"`), ReferenceOnly: true,
				Considered: new(int64(3)), Covered: new(int64(0)),
			}},
		{"coverage", `{"type":"DETAIL_COVERAGE","stream":"log","state_stream":"log","required_keys":[],"hydrated_keys":[],"gap_keys":null}`,
			&abi.DetailCoverage{Type: "DETAIL_COVERAGE", Stream: "log", StateStream: "log", RequiredKeys: raws(), HydratedKeys: raws()}},
		{"gap", `{"type":"DETAIL_GAP","stream":"log","parent_stream":"messages","record_key":["a"],"reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"u":1},"list_cursor":"c","last_error":{"class":"http","http_status":429,"network_pressure":{},"said":"Slow down."},"gap_id":"g","lease_id":"l","reference_only":true}`,
			&abi.DetailGap{
				Type: "DETAIL_GAP", Stream: "log", ParentStream: "messages", RecordKey: abi.Raw(`["a"]`), Reason: "rate_limited",
				Retryable: true, Status: "pending", DetailLocator: abi.Raw(`{"u":1}`), ListCursor: abi.Raw(`"c"`),
				LastError: &abi.GapError{Class: "http", HTTPStatus: new(429), NetworkPressure: abi.Raw(`{}`), Said: "Slow down."},
				GapID:     "g", LeaseID: "l", ReferenceOnly: true,
			}},
		{"gap", `{"type":"DETAIL_GAP_ATTEMPTED","gap_id":"g","lease_id":"l","stream":"log"}`, &abi.GapOutcome{Type: "DETAIL_GAP_ATTEMPTED", GapID: "g", LeaseID: "l", Stream: "log"}},
		{"gap", `{"type":"DETAIL_GAP_RECOVERED","gap_id":"g","stream":"log"}`, &abi.GapOutcome{Type: "DETAIL_GAP_RECOVERED", GapID: "g", Stream: "log"}},
		{"skip", `{"type":"SKIP_RESULT"}`, &abi.SkipResult{Type: "SKIP_RESULT"}},
		{"skip", `{"type":"SKIP_RESULT","stream":"hidden","reason":"r","message":"m","recovery_hint":"unknown","diagnostics":[1],"resource_ids":["a","b"],"time_range":{"since":"s","until":"u"}}`,
			&abi.SkipResult{
				Type: "SKIP_RESULT", Stream: "hidden", Reason: "r", Message: "m", RecoveryHint: abi.Raw(`"unknown"`), Diagnostics: abi.Raw(`[1]`),
				ResourceIDs: []string{"a", "b"}, TimeRange: &abi.TimeRange{Since: "s", Until: "u"},
			}},
		{"skip", `{"type":"SKIP_RESULT","recovery_hint":{"action":"not_retriable","retryable":false}}`,
			&abi.SkipResult{Type: "SKIP_RESULT", RecoveryHint: abi.Raw(`{"action":"not_retriable","retryable":false}`)}},
		{"progress", `{"type":"PROGRESS","message":"m"}`, &abi.Progress{Type: "PROGRESS", Message: "m"}},
		{"progress", `{"type":"PROGRESS","stream":"log","message":"\u00e9","count":0,"total":9007199254740992,"unit":"bytes","collection_rate":{"a":1},"provider_budget":{}}`,
			&abi.Progress{Type: "PROGRESS", Stream: "log", Message: "é", Count: new(int64(0)), Total: new(int64(1 << 53)), Unit: "bytes", CollectionRate: abi.Raw(`{"a":1}`), ProviderBudget: abi.Raw(`{}`)}},
		{"done", `{"type":"DONE","status":"succeeded","records_emitted":0}`, &abi.Done{Type: "DONE", Status: "succeeded"}},
		{"done", `{"type":"DONE","status":"succeeded","records_emitted":3,"error":null}`, &abi.Done{Type: "DONE", Status: "succeeded", RecordsEmitted: 3}},
		{"done", `{"type":"DONE","status":"failed","records_emitted":3}`, &abi.Done{Type: "DONE", Status: "failed", RecordsEmitted: 3}},
		{"done", `{"type":"DONE","status":"failed","records_emitted":3,"error":{"code":"c","message":"m","retryable":true,"recovery_hint":"retry_by_runtime"}}`,
			&abi.Done{Type: "DONE", Status: "failed", RecordsEmitted: 3, Error: &abi.DoneError{Code: "c", Message: "m", Retryable: true, RecoveryHint: abi.Raw(`"retry_by_runtime"`)}}},
		// Values that the store saves inside JSON may hold a NUL, as an escape.
		{"gap", `{"type":"DETAIL_GAP","stream":"log","record_key":"a","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{"u":"\u0000"},"list_cursor":"\u0000","last_error":{"class":"","network_pressure":{"\u0000":"\u0000"}}}`,
			&abi.DetailGap{
				Type: "DETAIL_GAP", Stream: "log", RecordKey: abi.Raw(`"a"`), Reason: "rate_limited", Retryable: true, Status: "pending",
				DetailLocator: abi.Raw(`{"u":"\u0000"}`), ListCursor: abi.Raw(`"\u0000"`), LastError: &abi.GapError{NetworkPressure: abi.Raw(`{"\u0000":"\u0000"}`)},
			}},
		{"skip", `{"type":"SKIP_RESULT","reason":"\u0000","message":"\u0000"}`, &abi.SkipResult{Type: "SKIP_RESULT", Reason: "\x00", Message: "\x00"}},
		{"done", `{"type":"DONE","status":"failed","records_emitted":3,"error":{"code":"\u0000","message":"\u0000","retryable":true}}`,
			&abi.Done{Type: "DONE", Status: "failed", RecordsEmitted: 3, Error: &abi.DoneError{Code: "\x00", Message: "\x00", Retryable: true}}},
		{"done", `{"type":"DONE","status":"cancelled","records_emitted":3,"error":{"message":"m","retryable":false}}`,
			&abi.Done{Type: "DONE", Status: "cancelled", RecordsEmitted: 3, Error: &abi.DoneError{Message: "m"}}},
		// RT-08.1
		{"interaction", `{"type":"INTERACTION","request_id":"1","kind":"missing_credentials","message":"m","schema":{},"timeout_seconds":0.5,"stream":"hidden"}`,
			&abi.Interaction{Type: "INTERACTION", RequestID: "1", Kind: "missing_credentials", Message: "m", Schema: abi.Raw(`{}`), TimeoutSeconds: new(0.5), Stream: "hidden"}},
		{"interaction", `{"type":"INTERACTION","request_id":"1","kind":"manual_action","message":"m","browser":{"page":2,"reason":"captcha","done_when":{"session":["sid"]}}}`,
			&abi.Interaction{Type: "INTERACTION", RequestID: "1", Kind: "manual_action", Message: "m", Browser: &abi.Handoff{Page: 2, Reason: "captcha", DoneWhen: &abi.HandoffDone{Session: []string{"sid"}}}}},
		{"interaction", `{"type":"INTERACTION","request_id":"1","kind":"manual_action","message":"m","browser":{"reason":"login"}}`,
			&abi.Interaction{Type: "INTERACTION", RequestID: "1", Kind: "manual_action", Message: "m", Browser: &abi.Handoff{Reason: "login"}}},
		{"interaction", `{"type":"INTERACTION","request_id":"1","kind":"otp","message":"m"}`, &abi.Interaction{Type: "INTERACTION", RequestID: "1", Kind: "otp", Message: "m"}},
	} {
		got, err := readers[c.call](gate(t, allStreams()), []byte(c.payload))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.payload, got, err, c.want)
		}
	}
}

func raws(list ...string) []abi.Raw {
	all := []abi.Raw{}
	for _, s := range list {
		all = append(all, abi.Raw(s))
	}
	return all
}

func TestMessagesRefuse(t *testing.T) {
	t.Parallel()
	const (
		gap     = `"stream":"log","record_key":"a","reason":"rate_limited","retryable":true,"status":"pending","detail_locator":{}`
		lane    = `"stream":"log","state_stream":"log",`
		ask     = `"request_id":"1","kind":"otp","message":"m"`
		manual  = `"request_id":"1","kind":"manual_action","message":"m"`
		succeed = `"status":"succeeded","records_emitted":0`
		fail    = `"status":"failed","records_emitted":0,`
	)
	without := func(members, drop string) string {
		var m map[string]json.RawMessage
		if err := json.Unmarshal([]byte("{"+members+"}"), &m); err != nil {
			t.Fatal(err)
		}
		delete(m, drop)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Trim(string(b), "{}")
	}
	for _, c := range []struct {
		call, typ, members string
		code               abi.Code
	}{
		{"state", "STATE", `"stream":"log"`, abi.CodeEnvelope},
		{"state", "STATE", `"cursor":{}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":"c"`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":[]`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","Cursor":{}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":1,"cursor":{}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"hidden","cursor":{}`, abi.CodeStreamOutOfScope},
		{"state", "STATE", `"stream":"log","cursor":{},"slice":{"id":"","complete":true}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":{},"slice":{"id":"f"}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":{},"slice":{"id":"f","complete":1}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":{},"slice":{"id":"f","complete":true,"final":true}`, abi.CodeEnvelope},
		{"state", "STATE", `"stream":"log","cursor":{"a":1,"a":2}`, abi.CodeDuplicateName},
		{"state", "STATE", `"stream":"log","cursor":{},"slice":{"id":"f\u0000","complete":true}`, abi.CodeEnvelope},
		{"state", "RECORD", `"stream":"log","cursor":{}`, abi.CodeMessageType},

		{"coverage", "DETAIL_COVERAGE", lane + `"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", `"stream":"log","required_keys":[],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", `"stream":"hidden","state_stream":"log","required_keys":[],"hydrated_keys":[]`, abi.CodeStreamOutOfScope},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":{},"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[1],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[""],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[[]],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[["a",1]],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a","\u0061"],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[["a","b"],[ "a" ,"b"]],"hydrated_keys":[]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":["a","a"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":["b"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["[\"a\"]"],"hydrated_keys":[["a"]]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":[],"gap_keys":["b"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":[],"optional_skip_keys":["b"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":["a"],"gap_keys":["a"]`, abi.CodeCoverageInvalid}, // RT-12.3
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":["a"],"optional_skip_keys":["a"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":["a"],"hydrated_keys":[],"gap_keys":["a"],"optional_skip_keys":["a"]`, abi.CodeCoverageInvalid},
		{"coverage", "DETAIL_COVERAGE", lane + `"required_keys":[],"hydrated_keys":[],"considered":-1`, abi.CodeCoverageInvalid},

		{"gap", "DETAIL_GAP", without(gap, "stream"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", without(gap, "record_key"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", without(gap, "reason"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", without(gap, "retryable"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", without(gap, "status"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", without(gap, "detail_locator"), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, "rate_limited", "request_cap_reached", 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, "true", "false", 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, "pending", "recovered", 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, `{}`, `"here"`, 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, `"a"`, `7`, 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, `"log"`, `"hidden"`, 1), abi.CodeStreamOutOfScope},
		{"gap", "DETAIL_GAP", gap + `,"parent_stream":"nowhere"`, abi.CodeStreamOutOfScope},
		{"gap", "DETAIL_GAP", gap + `,"last_error":"e"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", gap + `,"last_error":{"http_status":"429"}`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", gap + `,"last_error":{"http_status":4294967725}`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", strings.Replace(gap, `"a"`, `"a\u0000"`, 1), abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", gap + `,"last_error":{"class":"c\u0000"}`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", gap + `,"gap_id":"\u0000"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP", gap + `,"lease_id":"\u0000"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_ATTEMPTED", `"gap_id":"g","lease_id":"l\u0000","stream":"log"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_RECOVERED", `"gap_id":"g\u0000","stream":"log"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_ATTEMPTED", `"gap_id":"g","stream":"log"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_ATTEMPTED", `"lease_id":"g","stream":"log"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_RECOVERED", `"gap_id":"g"`, abi.CodeGapInvalid},
		{"gap", "DETAIL_GAP_RECOVERED", `"gap_id":"g","stream":"hidden"`, abi.CodeStreamOutOfScope},
		{"gap", "DETAIL_COVERAGE", gap, abi.CodeMessageType},

		{"skip", "SKIP_RESULT", `"stream":"nowhere"`, abi.CodeStreamOutOfScope},
		{"skip", "SKIP_RESULT", `"stream":""`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"reason":1`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"recovery_hint":"try harder"`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"recovery_hint":{}`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"recovery_hint":{"action":"unknown","retryable":"yes"}`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"recovery_hint":{"action":"unknown","at":1}`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"recovery_hint":7`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"resource_ids":[1]`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"resource_ids":"a"`, abi.CodeEnvelope},
		{"skip", "SKIP_RESULT", `"time_range":{"since":1}`, abi.CodeEnvelope},

		{"progress", "PROGRESS", ``, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":""`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":null`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","count":-1`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","total":1.5`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","total":1e3`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","count":9007199254740993`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","collection_rate":1`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","provider_budget":[]`, abi.CodeEnvelope},
		{"progress", "PROGRESS", `"message":"m","stream":"nowhere"`, abi.CodeStreamOutOfScope},

		{"done", "DONE", `"status":"succeeded"`, abi.CodeEnvelope},
		{"done", "DONE", `"records_emitted":0`, abi.CodeEnvelope},
		{"done", "DONE", `"status":"ok","records_emitted":0`, abi.CodeEnvelope},
		{"done", "DONE", `"status":"succeeded","records_emitted":-1`, abi.CodeEnvelope},
		{"done", "DONE", `"status":"succeeded","records_emitted":"1"`, abi.CodeEnvelope},
		{"done", "DONE", succeed + `,"more":1`, abi.CodeEnvelope},
		{"done", "DONE", succeed + `,"Status":"failed"`, abi.CodeEnvelope},
		{"done", "DONE", succeed + `,"error":{"message":"m","retryable":false}`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":"m"`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":{"retryable":false}`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":{"message":"","retryable":false}`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":{"message":"m"}`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":{"message":"m","retryable":false,"stack":"s"}`, abi.CodeEnvelope},
		{"done", "DONE", fail + `"error":{"message":"m","retryable":false,"recovery_hint":"x"}`, abi.CodeEnvelope},

		{"interaction", "INTERACTION", without(ask, "request_id"), abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", without(ask, "kind"), abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", without(ask, "message"), abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", strings.Replace(ask, `"1"`, `""`, 1), abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", strings.Replace(ask, "otp", "password", 1), abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"timeout_seconds":0`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"timeout_seconds":-1`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"timeout_seconds":1e999`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"timeout_seconds":"60"`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"schema":[]`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", ask + `,"stream":"nowhere"`, abi.CodeStreamOutOfScope},
		{"interaction", "INTERACTION", ask + `,"browser":{"reason":"login"}`, abi.CodeInteractionInvalid}, // of another kind
		{"interaction", "INTERACTION", manual + `,"schema":{},"browser":{"reason":"login"}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":[]`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"fun"}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","page":-1}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","url":"https://x"}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","done_when":{}}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","done_when":{"selector":"a","url_prefix":"https://x"}}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","done_when":{"session":["a"` + strings.Repeat(`,"a"`, abi.BrowserSelectors) + `]}}`, abi.CodeInteractionInvalid},
		{"interaction", "INTERACTION", manual + `,"browser":{"reason":"login","done_when":{"selector":"` + strings.Repeat("a", abi.BrowserValue+1) + `"}}`, abi.CodeInteractionInvalid},
	} {
		payload := strings.TrimSuffix(`{"type":"`+c.typ+`",`+c.members, ",") + "}"
		got, err := readers[c.call](gate(t, allStreams()), []byte(payload))
		if codeOf(t, err) != c.code || got != nil {
			t.Errorf("%s: %s\ngot %v, %v, want %s", c.call, payload, got, err, c.code)
		}
	}
}

// Every message has its size limit and must follow strict syntax.
func TestMessagesAreBounded(t *testing.T) {
	t.Parallel()
	g := gate(t, allStreams())
	for call, limit := range map[string]int{
		"state": abi.MaxStateBytes, "coverage": abi.MaxCoverageBytes, "gap": abi.MaxMessageBytes, "skip": abi.MaxMessageBytes,
		"progress": abi.MaxMessageBytes, "done": abi.MaxMessageBytes, "interaction": abi.MaxMessageBytes,
	} {
		for _, c := range []struct {
			payload string
			code    abi.Code
		}{
			{strings.Repeat(" ", limit+1), abi.CodeCallTooLarge},
			{strings.Repeat(" ", limit), abi.CodeSyntax},
			{``, abi.CodeSyntax},
			{`{} {}`, abi.CodeSyntax},
			{"{\"type\":\"\xff\"}", abi.CodeInvalidUTF8},
			{`{"type":"STATE","type":"STATE"}`, abi.CodeDuplicateName},
			{strings.Repeat(`[`, abi.MaxNesting+1) + strings.Repeat(`]`, abi.MaxNesting+1), abi.CodeNesting},
			{`[]`, abi.CodeEnvelope},
			{`{}`, abi.CodeEnvelope},
			{`{"type":1}`, abi.CodeEnvelope},
			{`{"type":"NOTHING"}`, abi.CodeMessageType},
		} {
			if _, err := readers[call](g, []byte(c.payload)); codeOf(t, err) != c.code {
				t.Errorf("%s: %.40q: %v, want %s", call, c.payload, err, c.code)
			}
		}
	}
	if _, err := g.Coverage([]byte(`{"a":[` + strings.Repeat("1,", 2<<20) + `1]}`)); codeOf(t, err) != abi.CodeCallTooLarge {
		t.Errorf("millions of values: %v, want %v", err, abi.CodeCallTooLarge)
	}
}

// A message's values outlive the guest's buffer.
func TestMessagesKeepTheirOwnText(t *testing.T) {
	t.Parallel()
	p := []byte(`{"type":"STATE","stream":"log","cursor":{"a":1}}`)
	s, err := gate(t, allStreams()).State(p)
	if err != nil {
		t.Fatal(err)
	}
	clear(p)
	if string(s.Cursor) != `{"a":1}` || s.Stream != "log" {
		t.Errorf("got %s %s, want string(s.Cursor) == `{\"a\":1}` && s.Stream == \"log\"", s.Stream, s.Cursor)
	}
}
