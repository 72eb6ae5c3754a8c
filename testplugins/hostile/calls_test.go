package hostile

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
)

// Pointers, lengths and sizes. The numbers are a guest's i32: -1 is 4 GiB - 1.
func TestGuestsThatPointElsewhere(t *testing.T) {
	t.Parallel()
	outside, long := violates(abi.CodeCallOutOfBounds), violates(abi.CodeCallTooLarge)
	carryOut(t, []attack{
		{name: "pointer past the end", script: "pointer emit 0xfffffff0 64", want: outside},
		{name: "range past the end", script: "pointer state 0x0fffffff 0x100000", want: outside},
		{name: "pointer and length that wrap around", script: "pointer done 0xffffffff 0xffffffff", want: long},
		{name: "length of 4 GiB", script: "pointer emit 8 0xffffffff", want: long},
		{name: "length of 2 GiB", script: "pointer progress 8 0x80000000", want: long},
		{name: "log line past the end", script: "pointer log 0xfffffff0 64", want: outside},
		{name: "answer written past the end", script: "pointer read 0xfffffff0 64", want: outside},
		{name: "error written past the end", script: "pointer last_error 0xfffffff0 64", want: outside},
		{name: "answer written over 4 GiB", script: "pointer read 0 0xffffffff", want: outside},
		{name: "payload above the limit", script: "big emit 4194305", want: long},
		{name: "message above the limit", script: "big progress 1048577", want: long},
		{name: "cursor above the limit", script: "big state 8388609", want: long},
		{name: "DONE above the limit", script: "big done 1048577", want: long},
		{
			name:   "record above the limit",
			script: `pad 1048576 emit {"type":"RECORD","stream":"notes","key":"k","data":{"id":"k","text":"@"},"emitted_at":"2026-01-01T00:00:00Z"}`,
			want:   violates(abi.CodeCallTooLarge),
		},
	})
}

// Calls out of turn: a call that can be refused is refused and survived, and any other
// ends the run.
func TestGuestsOutOfTurn(t *testing.T) {
	t.Parallel()
	after, pending := violates(abi.CodeAfterDone), violates(abi.CodeInteractionPending)
	note := record("notes", `"x"`, `{"id":"x"}`)
	answers := []string{assembly.Succeed(0)}
	send := func(call string) []byte { return assembly.Send(call, manifest, 0, answers...) }
	before := func(collect []byte) func() *plugin.File {
		return func() *plugin.File { return assembly.Connector(manifest, collect, answers...).File("handmade") }
	}
	carryOut(t, []attack{
		{name: "RECORD after DONE", script: done(0) + note, want: after},
		{name: "STATE after DONE", script: done(0) + `
			state {"type":"STATE","stream":"notes","cursor":{}}`, want: after},
		{name: "DONE twice", script: done(0) + done(0), want: after},
		{name: "request after DONE", script: done(0) + "\nsubmit 6", want: after},
		{name: "log after DONE is heard", script: done(0) + "\nlog 1 goodbye"},
		{name: "START twice", script: "submit 1\nresult -1\nerror boundary.start_twice" + done(0)},
		{name: "DONE before START", module: before(send("done")), want: violates(abi.CodeCallOutOfPhase)},
		{name: "manifest while collecting", module: before(assembly.Code(assembly.ReadStart(), send("manifest"))), want: violates(abi.CodeCallOutOfPhase)},
		{name: "second INTERACTION", script: "pending 3 " + question + "\npending 3 " + question, asker: silent{}, want: pending},
		{name: "RECORD while asking", script: "pending 3 " + question + note, asker: silent{}, want: pending},
		{name: "DONE while asking", script: "pending 3 " + question + done(0), asker: silent{}, want: pending},
		{name: "INTERACTION that nobody granted", script: "submit 3 " + question, want: violates(abi.CodeBindingNotGranted)},
		{name: "INTERACTION of no kind", script: `submit 3 {"type":"INTERACTION","request_id":"q","kind":"password","message":"m"}`, asker: silent{}, want: violates(abi.CodeInteractionInvalid)},
		{name: "request to the network", script: "submit 2 {}\nresult -1\nerror boundary.binding_not_granted" + done(0)},
		{name: "request to a browser", script: "submit 5 {}\nresult -1\nerror boundary.binding_not_granted" + done(0)},
		{name: "unknown operation", script: "submit 77 {}\nresult -1\nerror boundary.operation_unknown\nsubmit -1\nresult -1" + done(0)},
		{name: "answer that was read already", script: "pointer read 0 8\nresult 0" + done(0)},
		{name: "trap", script: "trap", want: want{reason: abi.ReasonExitWithoutDone, code: abi.CodeGuestTrap}},
		{name: "exit code", script: "exit 3", want: want{reason: abi.ReasonExitWithoutDone, code: abi.CodeGuestExit, says: []string{"exit(3)"}}},
		{name: "exit code 0", script: "exit 0", want: want{reason: abi.ReasonExitWithoutDone, code: abi.CodeGuestExit}},
		{name: "no DONE", script: "return 0", want: want{reason: abi.ReasonExitWithoutDone, code: abi.CodeGuestExit, says: []string{"DONE"}}},
		{name: "DONE, then a trap", script: done(0) + "\ntrap", want: violates(abi.CodeGuestExit, "DONE")},
		{name: "DONE, then exit", script: done(0) + "\nexit 0", want: violates(abi.CodeGuestExit, "DONE")},
		{name: "DONE that succeeded, then an error code", script: done(0) + "\nreturn 7", want: violates(abi.CodeGuestExit, "DONE")},
	})
}
