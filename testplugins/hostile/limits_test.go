package hostile

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly"
)

func timeout(r *run.Request) { r.Timeout = 300 * time.Millisecond }

// RT-09.2, Invariant 6: a guest that does not end is stopped within three seconds of
// its deadline.
func TestGuestsThatNeverEnd(t *testing.T) {
	t.Parallel()
	late := want{reason: abi.ReasonRunTimedOut, code: abi.CodeLimitTime}
	carryOut(t, []attack{
		{name: "endless loop", script: "loop", request: timeout, want: late},
		{name: "deep call tree", script: "recurse", request: timeout, want: late},
		{
			// Nothing inside a process can interrupt it; only the worker's end does.
			name: "exponential recursion without a loop", only: plugin.IsolationProcess, request: timeout, want: late,
			module: handmade(assembly.Code(assembly.I32(90), assembly.CallOwn(assembly.Own), assembly.Drop), assembly.Func{
				Params: "i", Results: "i", Body: assembly.Code(
					assembly.Local(0), []byte{0x04, 0x7f},
					assembly.Local(0), assembly.I32(1), assembly.Sub, assembly.CallOwn(assembly.Own),
					assembly.Local(0), assembly.I32(1), assembly.Sub, assembly.CallOwn(assembly.Own), assembly.Add,
					[]byte{0x05}, assembly.Zero, []byte{0x0b}),
			}),
		},
		{name: "sleep of an hour", script: "sleep 3600000", request: timeout, want: late},
		{name: "polling wait", script: "poll", request: timeout, want: late},
		{name: "wait in a loop", script: "repeat 4000000000 wait -1", request: timeout, want: late},
		{name: "emitting on when asked to stop", script: "repeat 4000000000 records notes 0 1", request: timeout, want: late},
		{name: "reporting on when asked to stop", script: `repeat 4000000000 submit 6`, request: timeout, want: late},
		{name: "requests without end", script: "repeat 4000000000 pending 6", request: timeout, want: late},
		{name: "pages of gaps without end", script: "repeat 4000000000 submit 4", request: timeout, want: late},
		{
			// The limit rests for as long as the question may wait, which is a minute at least
			// (OC-18.3), and holds again then.
			name: "question that nobody answers", request: timeout, asker: silent{}, rests: time.Minute, want: late,
			script: "submit 3 " + strings.Replace(question, "}", `,"timeout_seconds":1}`, 1) + "\nloop",
		},
		{
			name: "endless loop after DONE", script: done(0) + "\nloop",
			want: violates(abi.CodeGuestExit, "DONE"),
		},
		{
			name: "endless log after DONE", script: done(0) + "\nlog 4000000000 on and on",
			limits: func(l *plugin.Limits) { l.LogBytes = 64 << 10 }, want: violates(abi.CodeGuestExit, "DONE"),
		},
	})
}

// Invariant 6: a guest cannot exceed its memory.
func TestGuestsThatWantMemory(t *testing.T) {
	t.Parallel()
	hungry := want{reason: abi.ReasonLimitExceeded, code: abi.CodeLimitMemory, says: []string{"MiB"}}
	small := func(l *plugin.Limits) { l.MemoryBytes = 48 << 20 }
	crash := want{reason: abi.ReasonExitWithoutDone, code: abi.CodeGuestTrap}
	carryOut(t, []attack{
		{name: "memory hunger", script: "hunger", limits: small, want: hungry},
		{
			name: "growing by 4 GiB at once", want: hungry,
			module: handmade(assembly.Code(assembly.I32(65535), assembly.MemoryGrow, assembly.Drop, assembly.Unreachable)),
		},
		{
			name: "minimum above the cap", want: want{refused: abi.CodePluginMemoryMinimum, says: []string{"512 MiB", "256 MiB"}},
			module: spoiled(func(m *assembly.Module) { m.Memory = 8192 }),
		},
		{
			name: "recursion without an end", want: crash,
			module: handmade(assembly.CallOwn(assembly.Own), assembly.Func{Body: assembly.CallOwn(assembly.Own)}),
		},
		{
			name: "answer that is never read", script: strings.Repeat("pending 6\n", 64) + "pending 6\nresult -1\nerror boundary.too_many_in_flight" + done(0),
		},
	})
}

func TestGuestsThatFlood(t *testing.T) {
	t.Parallel()
	limited := func(code abi.Code) want { return want{reason: abi.ReasonLimitExceeded, code: code} }
	logs := func(l *plugin.Limits) { l.LogBytes = 64 << 10 }
	output := func(l *plugin.Limits) { l.OutputBytes = 4 << 20 }
	carryOut(t, []attack{
		{name: "log", script: "log 4000000000 on and on", limits: logs, want: limited(abi.CodeLimitLog)},
		{name: "empty log lines", script: "log 4000000000", limits: logs, want: limited(abi.CodeLimitLog)},
		{name: "standard output", script: "stdout 4000000000 on and on", limits: logs, want: limited(abi.CodeLimitLog)},
		{name: "standard error", script: "stderr 4000000000 on and on", limits: logs, want: limited(abi.CodeLimitLog)},
		{name: "megabytes of standard output at once", script: "pad 1 log x\nrepeat 1 stdout 1 " + strings.Repeat("x", 1<<20), limits: logs, want: limited(abi.CodeLimitLog)},
		{name: "one overlong log line is cut", script: "pad 4000000 log @" + done(0), limits: logs},
		{name: "records", script: "records notes 0 4000000000", limits: output, want: limited(abi.CodeLimitOutput)},
		{name: "emits of nothing", script: "repeat 4000000000 emit", want: violates(abi.CodeSyntax)},
		{
			name: "cursors of eight megabytes", want: limited(abi.CodeLimitOutput), limits: func(l *plugin.Limits) { l.OutputBytes = 64 << 20 },
			script: `repeat 4000000000 pad 8388000 state {"type":"STATE","stream":"notes","cursor":{"at":"@"}}`,
		},
		{
			name: "progress", want: violates(abi.CodeTooManyMessages),
			script: `repeat 1000000 progress {"type":"PROGRESS","message":"#"}`,
		},
		{
			name: "gaps", script: `repeat 4000000000 gap {"type":"DETAIL_GAP","stream":"messages","record_key":"m#","reason":"retry_exhausted","retryable":true,"status":"pending","detail_locator":{}}`,
			limits: func(l *plugin.Limits) { l.OutputBytes = 1 << 20 }, want: limited(abi.CodeLimitOutput),
		},
		{
			name: "rejected records", script: "repeat 4000000000" + strings.Replace(record("notes", `"k#"`, `{"id":"k#","n":"no number"}`), "\n", " ", 1),
			limits: output, want: limited(abi.CodeLimitOutput),
		},
	})
}
