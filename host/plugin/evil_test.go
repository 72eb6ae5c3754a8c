package plugin

import (
	"encoding/binary"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// evil is what a worker that a guest took over may try once it is asked to
// collect. It answers everything before that as it should.
var evil = map[string]func(w *wire.Writer){
	"unknown kind":  func(w *wire.Writer) { _ = w.Write(99, 0, []byte("x")) },
	"a host's kind": func(w *wire.Writer) { _ = w.Write(wire.Collect, 0, []byte("[]")) },
	"huge emit":     func(w *wire.Writer) { _ = w.Write(wire.Emit, 0, make([]byte, abi.MaxEmitBytes+1)) },
	"huge length":   func(*wire.Writer) { raw(0xffffffff, wire.Emit, 0) },
	"huge report":   func(w *wire.Writer) { _ = w.Write(wire.End, 0, make([]byte, reportBytes+1)) },
	"no call":       func(w *wire.Writer) { _ = w.Write(wire.Message, 7777, []byte("{}")) },
	"call log":      func(w *wire.Writer) { _ = w.Write(wire.Message, messageID(&abi.Call{Name: "log"}), []byte("{}")) },
	"no report":     func(w *wire.Writer) { _ = w.Write(wire.End, 0, []byte("{")) },
	"empty report":  func(w *wire.Writer) { _ = w.Write(wire.End, 0, []byte("{}")) },
	"loaded again":  func(w *wire.Writer) { _ = w.Write(wire.Loaded, 0, []byte(`{"returned":true}`)) },
	"manifest":      func(w *wire.Writer) { _ = w.Write(wire.Manifest, 0, []byte("{}")) },
	"short submit":  func(w *wire.Writer) { _ = w.Write(wire.Submit, 1, []byte{1}) },
	"handle zero":   func(w *wire.Writer) { _ = w.Write(wire.Submit, 0, op(abi.OpNow)) },
	"handle twice": func(w *wire.Writer) {
		_ = w.Write(wire.Submit, 3, op(abi.OpNow))
		_ = w.Write(wire.Submit, 3, op(abi.OpNow))
	},
	"emit after done": func(w *wire.Writer) {
		_ = w.Write(wire.Message, done(), []byte("{}"))
		_ = w.Write(wire.Emit, 0, []byte("{}"))
	},
	"done twice":       func(w *wire.Writer) { _ = w.Write(wire.Message, done(), nil); _ = w.Write(wire.Message, done(), nil) },
	"output elsewhere": func(w *wire.Writer) { _ = w.Write(wire.Output, 3, []byte("x")) },
	"log flood":        func(w *wire.Writer) { forever(func() error { return w.Write(wire.Log, 0, make([]byte, 1000)) }) },
	"torn frame":       func(*wire.Writer) { raw(100, wire.Emit, 0); os.Exit(0) },
	"exit":             func(*wire.Writer) { os.Exit(0) },
	"crash":            func(*wire.Writer) { panic("a crash\x1b[31m") },
	"noise":            func(*wire.Writer) { forever(func() error { _, err := os.Stderr.WriteString("noise\n"); return err }) },
	"silence":          func(*wire.Writer) {},
	"submit flood": func(w *wire.Writer) {
		h := uint32(0)
		forever(func() error { h++; return w.Write(wire.Submit, h, op(abi.OpGaps)) })
	},
	"terminal report": func(w *wire.Writer) {
		_ = w.Write(wire.End, 0, encodeReport(guest.Outcome{Err: abi.NewError("guest.trap", "\x1b[2Jowned\nline", strings.Repeat("h", 5000))}))
	},
}

// How a worker may fail to compile through no fault of the module.
const (
	killed  = "killed"
	starved = "out of memory"
	stuck   = "stuck"
)

func op(o abi.Operation) []byte { return binary.LittleEndian.AppendUint32(nil, uint32(o)) }

func done() uint32 {
	c, _ := abi.LookupCall("done")
	return messageID(&c)
}

func raw(length uint32, kind wire.Kind, id uint32) {
	b := binary.LittleEndian.AppendUint32(nil, length)
	b = binary.LittleEndian.AppendUint32(append(b, byte(kind)), id)
	_, _ = os.Stdout.Write(b)
}

func forever(f func() error) {
	for f() == nil {
	}
}

func evilWorker(mode string) {
	w := wire.NewWriter(os.Stdout)
	r := wire.NewReader(os.Stdin, 64<<10, fromHost)
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		ok := encodeReport(guest.Outcome{Returned: true})
		switch f.Kind {
		case wire.Module:
			if mode == killed || mode == starved {
				_, _ = os.Stderr.WriteString(mode)
				os.Exit(2)
			}
			if mode == stuck {
				continue
			}
			_ = w.Write(wire.Loaded, 0, ok)
		case wire.Prepare:
			_ = w.Write(wire.End, 0, ok)
		case wire.Collect:
			go evil[mode](w) // goes on reading, so that it is never blocked
		}
	}
}

// The host trusts no message of a worker: every broken rule kills it, and the error
// says why.
func TestHostileWorker(t *testing.T) {
	t.Parallel()
	want := map[string]abi.Code{
		"emit after done": abi.CodeAfterDone, "done twice": abi.CodeAfterDone, "manifest": abi.CodeCallOutOfPhase,
		"handle zero": abi.CodeCallOutOfPhase, "handle twice": abi.CodeCallOutOfPhase, "submit flood": abi.CodeCallOutOfPhase,
		"log flood": abi.CodeLimitLog, "noise": abi.CodeLimitTime, "silence": abi.CodeLimitTime,
		"torn frame": abi.CodeWorkerLost, "exit": abi.CodeWorkerLost, "crash": abi.CodeWorkerLost,
		"terminal report": abi.CodeGuestTrap,
	}
	for mode := range evil {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			limits := testLimits()
			if want[mode] == abi.CodeLimitTime {
				limits.Run, limits.Grace = 300*time.Millisecond, 100*time.Millisecond
			}
			o := Options{WorkerCommand: []string{os.Args[0], evilArgument, mode}, Limits: limits}
			h := &scripted{onSub: func(abi.Operation, []byte, func([]byte)) error { return nil }}
			exit := collect(t, o, connector(nil).file(), Grant{}, h)
			code := want[mode]
			if code == "" {
				code = abi.CodeWorkerBadData
			}
			if exit.Returned {
				t.Fatalf("got %+v, want !exit.Returned", exit)
			}
			wantCode(t, exit.Err, code)
			if strings.ContainsAny(exit.Err.Error(), "\x1b\n") || len(exit.Err.Error()) > 3000 {
				t.Errorf(`got %q, want !strings.ContainsAny(exit.Err.Error(), "\x1b\n") && len(exit.Err.Error()) <= 3000`, exit.Err)
			}
			if mode == "crash" && !strings.Contains(exit.Err.Error(), "panic: a crash[31m") {
				t.Errorf(`got %q, want mode != "crash" || strings.Contains(exit.Err.Error(), "panic: a crash[31m")`, exit.Err)
			}
		})
	}
}

func TestWorkerCannotStart(t *testing.T) {
	t.Parallel()
	_, err := load(t, Options{WorkerCommand: []string{"/does/not/exist"}}, connector(nil).file())
	wantCode(t, err, abi.CodeWorkerStart)
	// A command that is no worker.
	_, err = load(t, Options{WorkerCommand: []string{os.Args[0], evilArgument, "no such mode"}}, connector(nil).file())
	if err != nil {
		t.Fatal(err)
	}
	_, err = load(t, Options{WorkerCommand: []string{"/bin/echo", "hello, this is not a frame"}}, connector(nil).file())
	if !errors.Is(err, &abi.Error{Code: abi.CodeWorkerBadData}) {
		t.Fatalf("got %+v, want errors.Is(err, &abi.Error{Code: abi.CodeWorkerBadData})", err)
	}
}
