package hostile

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func enumeration(stream, status, more string) string {
	return `enumerate {"type":"ENUMERATION","stream":"` + stream + `","status":"` + status + `"` + more + "}\n"
}

// Enumerations that break a rule end the run.
func TestEnumerationsThatBreakRules(t *testing.T) {
	t.Parallel()
	open, whole := enumeration("notes", "open", ""), enumeration("notes", "whole", "")
	carryOut(t, []attack{
		{name: "undeclared stream", script: enumeration("ghosts", "open", ""), want: violates(abi.CodeStreamOutOfScope, "ghosts")},
		{
			name: "stream that was not granted", script: open, want: violates(abi.CodeStreamOutOfScope, "notes"),
			request: func(r *run.Request) { r.Streams = []string{"journal"} },
		},
		{name: "append-only stream", script: enumeration("journal", "open", ""), want: violates(abi.CodeDeleteOnAppendOnly, "journal")}, // RT-07.2
		{name: "huge part", script: `pad 500000 enumerate {"type":"ENUMERATION","stream":"notes","status":"open","part":"@"}`, want: violates(abi.CodeEnumerationInvalid)},
		{name: "part with a NUL", script: enumeration("notes", "open", `,"part":"\u0000"`), want: violates(abi.CodeEnumerationInvalid)},
		{name: "begun twice", script: open + open, want: violates(abi.CodeEnumerationInvalid)},
		{name: "whole before it is open", script: whole, want: violates(abi.CodeEnumerationInvalid)},
		{name: "whole twice", script: open + whole + whole, want: violates(abi.CodeEnumerationInvalid)},
		{name: "a huge key is met", script: open + `pad 20000 enumerate {"type":"ENUMERATION","stream":"notes","status":"met","keys":["@"]}`, want: violates(abi.CodeEnumerationInvalid)},
		{name: "missing of another stream", script: `submit 7 {"stream":"ghosts"}`, want: violates(abi.CodeStreamOutOfScope, "ghosts")},
		{name: "very many parts", script: "repeat 3000 " + enumeration("notes", "open", `,"part":"#"`) + done(0), want: want{}},
	})
}

// A guest that lists nothing and calls it whole deletes nothing without the owner's word.
//
// Invariant 12.
func TestAnEmptyListIsNotBelieved(t *testing.T) {
	t.Parallel()
	h := rig.NewHost(t, rig.Setup{})
	guest := rig.Guest(t, "testplugins/guests/scripted@enumerate")
	play := func(script string) *run.Result {
		t.Helper()
		res, err := h.Play(run.Request{Module: guest, Options: map[string]string{"script": script}})
		if err != nil || res.Status != run.StatusSucceeded {
			t.Fatalf("got %+v and %v, want the run to succeed", res, err)
		}
		return res
	}
	play("records notes 0 50\n" + `done {"type":"DONE","status":"succeeded","records_emitted":50}`)
	res := play(enumeration("notes", "open", "") + enumeration("notes", "whole", "") + `done {"type":"DONE","status":"succeeded","records_emitted":0}`)
	if n := res.Records["notes"].Deleted; n != 0 {
		t.Errorf("got %d records deleted, want none", n)
	}
	if len(res.KnownGaps) != 1 || !strings.Contains(res.KnownGaps[0].Message, "50 of 50") {
		t.Errorf("got the gaps %+v, want one that names 50 of 50", res.KnownGaps)
	}
}
