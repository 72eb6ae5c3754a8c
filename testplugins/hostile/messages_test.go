package hostile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// Records that break a rule of the boundary. Invariant 3: none is stored.
func TestRecordsThatBreakRules(t *testing.T) {
	t.Parallel()
	const secret = "canary"
	names := func(n int, name string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"%s%d":0`, name, i)
		}
		return b.String()
	}
	only := func(r *run.Request) {
		r.Streams, r.Resources = []string{"journal", "notes"}, map[string][]string{"notes": {"notes-0"}}
	}
	dropped := want{}
	carryOut(t, []attack{
		{name: "undeclared stream", script: record("ghosts", `"x"`, `{"id":"x"}`), want: violates(abi.CodeStreamOutOfScope, "ghosts")},
		{
			name: "declared stream outside the scope", script: record("notes", `"x"`, `{"id":"x"}`), want: violates(abi.CodeStreamOutOfScope, "notes"),
			request: func(r *run.Request) { r.Streams = []string{"journal"} },
		},
		{ // RT-05.1
			name: "key outside resources", script: "records notes 0 2", request: only, want: violates(abi.CodeKeyOutsideResource, "notes", "notes-1"),
		},
		{
			name: "tombstone outside resources", request: only, want: violates(abi.CodeKeyOutsideResource, "notes"),
			script: `emit {"type":"RECORD","stream":"notes","key":"other","op":"delete","emitted_at":"2026-01-01T00:00:00Z"}`,
		},
		{name: "key that the data contradicts", script: record("notes", `"x"`, `{"id":"y"}`), want: violates(abi.CodeKeyMismatch)},
		{name: "empty key", script: record("notes", `""`, `{"id":""}`), want: violates(abi.CodeKeyInvalid)},
		{name: "key with a NUL", script: record("notes", `"a\u0000b"`, `{"id":"a\u0000b"}`), want: violates(abi.CodeKeyInvalid)},
		{
			name: "enormous key", want: violates(abi.CodeKeyInvalid),
			script: `pad 20000 emit {"type":"RECORD","stream":"notes","key":"@","data":{"id":"@"},"emitted_at":"2026-01-01T00:00:00Z"}`,
		},
		{name: "key of the wrong shape", script: record("notes", `["x"]`, `{"id":"x"}`), want: violates(abi.CodeKeyInvalid)},
		{name: "key that is an object", script: record("notes", `{"id":"x"}`, `{"id":"x"}`), want: violates(abi.CodeEnvelope)},
		{ // RT-07.2
			name: "delete on an append-only stream", want: violates(abi.CodeDeleteOnAppendOnly, "journal"),
			script: `emit {"type":"RECORD","stream":"journal","key":"journal-0","op":"delete","emitted_at":"2026-01-01T00:00:00Z"}`,
		},
		{name: "wrong schema", script: record("notes", `"x"`, `{"id":"x","n":"`+secret+`"}`) + done(1), want: dropped},
		{name: "bad UTF-8", script: "bytes emit 7b2274797065223a22ff227d", want: violates(abi.CodeInvalidUTF8)},
		{name: "half a surrogate pair", script: record("notes", `"x"`, `{"id":"x","text":"\ud800"}`), want: violates(abi.CodeInvalidUTF8)},
		{name: "duplicate names", script: record("notes", `"x"`, `{"id":"x","id":"y"}`), want: violates(abi.CodeDuplicateName)},
		{name: "duplicate names in two spellings", script: record("notes", `"x"`, `{"id":"x","\u0069d":"y"}`), want: violates(abi.CodeDuplicateName)},
		{name: "deep nesting", script: "emit " + strings.Repeat("[", 5000), want: violates(abi.CodeNesting)},
		{name: "not JSON", script: "emit " + secret, want: want{reason: abi.ReasonProtocolViolation, code: abi.CodeSyntax, silent: []string{secret}}},
		{name: "a record, and half of one", script: `emit {"type":"RECORD","stream":"notes"`, want: violates(abi.CodeSyntax)},
		{name: "a record that is a list", script: `emit []`, want: violates(abi.CodeEnvelope)},
		{name: "another message as a record", script: `emit {"type":"DONE","status":"succeeded","records_emitted":3}`, want: violates(abi.CodeMessageType)},
		{name: "a member that no record has", script: `emit {"type":"RECORD","stream":"notes","key":"x","data":{"id":"x"},"emitted_at":"2026-01-01T00:00:00Z","op":"drop"}`, want: violates(abi.CodeEnvelope)},
		{name: "a time of a megabyte", script: `pad 1000000 emit {"type":"RECORD","stream":"notes","key":"x","data":{"id":"x"},"emitted_at":"@"}`, want: violates(abi.CodeEnvelope)},
		{name: "thirty thousand names", script: record("notes", `"x"`, `{"id":"x"`+names(30000, "a")+`}`) + done(1), want: dropped},
		{name: "thirty thousand names, one of them twice", script: record("notes", `"x"`, `{"id":"x"`+names(30000, "a")+`,"a7":1}`), want: violates(abi.CodeDuplicateName)},
		{name: "number of five thousand digits", script: `emit {"type":"RECORD","stream":"notes","key":"x","data":{"id":"x","n":1` + strings.Repeat("0", 5000) + `},"emitted_at":"2026-01-01T00:00:00Z"}` + done(1), want: dropped},
	})
}

// Every other message.
func TestMessagesThatBreakRules(t *testing.T) {
	t.Parallel()
	envelope := violates(abi.CodeEnvelope)
	carryOut(t, []attack{
		{name: "count in DONE too high", script: done(1), want: violates(abi.CodeCountMismatch, "4", "3")},
		{name: "count in DONE too low", script: done(-1), want: violates(abi.CodeCountMismatch)},
		{name: "count below zero", script: done(-4), want: envelope},
		{name: "DONE of no status", script: `done {"type":"DONE","status":"fine","records_emitted":3}`, want: envelope},
		{name: "DONE with another member", script: `done {"type":"DONE","status":"succeeded","records_emitted":3,"checkpoint":{}}`, want: envelope},
		{name: "DONE with an error on success", script: `done {"type":"DONE","status":"succeeded","records_emitted":3,"error":{"message":"m","retryable":false}}`, want: envelope},
		{name: "STATE of another stream", script: `state {"type":"STATE","stream":"ghosts","cursor":{}}`, want: violates(abi.CodeStreamOutOfScope)},
		{name: "STATE as DONE", script: `done {"type":"STATE","stream":"notes","cursor":{}}`, want: violates(abi.CodeMessageType)},
		{name: "cursor that is deeply nested", script: `state {"type":"STATE","stream":"notes","cursor":{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, want: violates(abi.CodeNesting)},
		{name: "progress below zero", script: `progress {"type":"PROGRESS","message":"m","count":-1}`, want: envelope},
		{name: "skip of an unknown stream", script: `skip {"type":"SKIP_RESULT","stream":"ghosts","reason":"r","message":"m"}`, want: violates(abi.CodeStreamOutOfScope)},
		{name: "gap that claims success", script: `gap {"type":"DETAIL_GAP","stream":"messages","record_key":"m","reason":"retry_exhausted","retryable":true,"status":"recovered","detail_locator":{}}`, want: violates(abi.CodeGapInvalid)},
		{name: "gap for an invented reason", script: `gap {"type":"DETAIL_GAP","stream":"messages","record_key":"m","reason":"did_not_feel_like_it","retryable":true,"status":"pending","detail_locator":{}}`, want: violates(abi.CodeGapInvalid)},
		{name: "coverage that hydrates what nobody required", script: `coverage {"type":"DETAIL_COVERAGE","stream":"messages","state_stream":"chats","required_keys":[],"hydrated_keys":["m"],"gap_keys":[]}`, want: violates(abi.CodeCoverageInvalid)},
		{name: "coverage of a stream without a lane", script: `coverage {"type":"DETAIL_COVERAGE","stream":"riders","state_stream":"notes","required_keys":["m"],"hydrated_keys":["m"],"gap_keys":[]}`, want: violates(abi.CodeCoverageInvalid)},
	})
}

// SKIP_RESULTs are reports, not storage: only a small part of one is kept, in the
// result and in the run's events alike.
func TestSkipsOfMegabytes(t *testing.T) {
	t.Parallel()
	h := rig.NewHost(t, rig.Setup{})
	res, err := h.Play(run.Request{Module: rig.Guest(t, "testplugins/guests/scripted"), Options: map[string]string{"script": prelude +
		`pad 500000 skip {"type":"SKIP_RESULT","stream":"notes","reason":"r","message":"@","diagnostics":{"d":"@"}}` + done(0)}})
	if err != nil || res.Status != run.StatusSucceeded {
		t.Fatalf("%+v %v, want Status = %v", res, err, run.StatusSucceeded)
	}
	const most = 12 << 10
	if g := res.KnownGaps; len(g) != 1 || len(g[0].Message)+len(g[0].Diagnostics) > most {
		t.Errorf("%d known gaps, the first of %d bytes, want 1 and at most %d", len(g), len(g[0].Message)+len(g[0].Diagnostics), most)
	}
	events, err := h.Store.Events(t.Context(), res.RunID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if len(e.Data) > most {
			t.Errorf("event %s keeps %d bytes, want at most %d", e.Type, len(e.Data), most)
		}
	}
}
