package guest

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Session is the state of one instance's conversation with the host. Stop, Kill and
// Answer may be called from any goroutine; the other methods belong to the goroutine
// that runs the guest.
type Session struct {
	sink       Sink
	phase      abi.Phase // 0 while the guest initializes
	manifest   bool      // the manifest was sent
	done       bool
	failed     error  // why the guest must end; the first reason stays
	overflowed bool   // the guest wrote that its stack found no room
	refusal    []byte // the text for last_error
	requests   requests
	outputs    [2]lineWriter // standard output and standard error
	fixed      *fixed        // nil: real clocks and randomness

	stopOnce, killOnce sync.Once
	stopped, killed    atomic.Bool
	stop, kill         chan struct{}
}

// NewSession returns a session whose calls go to sink.
func NewSession(sink Sink) *Session {
	s := &Session{sink: sink, stop: make(chan struct{}), kill: make(chan struct{})}
	s.requests.init()
	s.outputs[0] = lineWriter{s: s, fd: 1}
	s.outputs[1] = lineWriter{s: s, fd: 2}
	return s
}

// Stop asks the guest to finish: its calls return abi.ResultStop from now on, and a
// blocked wait returns.
func (s *Session) Stop() {
	s.stopOnce.Do(func() {
		s.stopped.Store(true)
		close(s.stop)
	})
}

// Kill makes every further host call unwind the guest. It cannot end a guest that
// makes no call; a worker does not use it, because the process is killed.
func (s *Session) Kill() {
	s.killOnce.Do(func() {
		s.killed.Store(true)
		close(s.kill)
	})
}

// Answer completes the request behind handle. The session takes ownership of answer.
// An unknown or already answered handle is ignored.
func (s *Session) Answer(handle int32, answer []byte) { s.requests.answer(handle, answer) }

// errUnwind is the panic value that ends a guest from inside a host call. wazero
// recovers it. A guest cannot catch it, because exceptions are not among the enabled
// features.
var errUnwind = errors.New("unwound by the host")

// fail ends the guest with err. It does not return.
func (s *Session) fail(err error) {
	if s.failed == nil {
		s.failed = err
	}
	panic(errUnwind)
}

// violate ends the guest for breaking a rule of the call table.
func (s *Session) violate(code abi.Code, call *abi.Call, detail string) {
	s.fail(abi.NewError(code, "the connector broke the rules of the call "+call.Name,
		"this is a fault in the connector; report it to its author").WithDetail(detail))
}

// enter checks a call against its row: phase, DONE, size. Log and last_error are
// allowed at any time, since they carry no collected data.
func (s *Session) enter(call *abi.Call, size uint64) {
	if s.failed != nil || s.killed.Load() {
		panic(errUnwind)
	}
	if call.Phase != abi.PhaseAny {
		if call.Phase&s.phase == 0 {
			s.violate(abi.CodeCallOutOfPhase, call, "it may not be called "+phaseText(s.phase))
		}
		if s.done {
			s.violate(abi.CodeAfterDone, call, "nothing may follow done")
		}
	}
	if call.MaxBytes > 0 && size > uint64(call.MaxBytes) && call.Name != "log" {
		s.violate(abi.CodeCallTooLarge, call,
			fmt.Sprintf("%d bytes, at most %d are allowed", size, call.MaxBytes))
	}
}

func phaseText(p abi.Phase) string {
	switch p {
	case abi.PhaseDescribe:
		return "inside " + abi.ExportDescribe
	case abi.PhaseCollect:
		return "inside " + abi.ExportCollect
	default:
		return "while the connector initializes"
	}
}

// process processes the payload of a call of the shape (ptr, len) -> i32.
func (s *Session) process(call *abi.Call, kind carried, p []byte) int32 {
	var err error
	switch kind {
	case carriesManifest:
		if s.manifest {
			return s.refuse(refuse(abi.CodeCallOutOfPhase, "the manifest was already sent"))
		}
		s.manifest = true
		err = s.sink.Manifest(p)
	case carriesRecords:
		err = s.sink.Emit(p)
	case carriesDone:
		s.done = true
		err = s.sink.Message(call, p)
	default:
		err = s.sink.Message(call, p)
	}
	return s.result(err)
}

// carried is the kind of payload of a (ptr, len) call, determined once when it is
// linked.
type carried uint8

const (
	carriesMessage carried = iota
	carriesManifest
	carriesRecords
	carriesDone
)

func carriedBy(call string) carried {
	switch call {
	case "manifest":
		return carriesManifest
	case "emit":
		return carriesRecords
	case "done":
		return carriesDone
	default:
		return carriesMessage
	}
}

// result returns the guest's result for an error of the sink.
func (s *Session) result(err error) int32 {
	var r *Refused
	switch {
	case err == nil && s.stopped.Load():
		return abi.ResultStop
	case err == nil:
		return abi.ResultOK
	case errors.As(err, &r):
		return s.refuse(r)
	default:
		s.fail(err)
		return abi.ResultRefused
	}
}

// refuse stores r for last_error.
func (s *Session) refuse(r *Refused) int32 {
	message := r.Err.Message
	if r.Err.Detail != "" {
		message += ": " + r.Err.Detail
	}
	message = message[:min(len(message), abi.MaxErrorBytes/8)] // escaping can make six bytes of each
	b, err := json.Marshal(struct {
		Code    abi.Code `json:"code"`
		Message string   `json:"message"`
	}{r.Err.Code, message})
	if err == nil {
		s.refusal = b
	}
	return abi.ResultRefused
}

func (s *Session) log(level int32, text []byte) {
	if err := s.sink.Log(level, text); err != nil {
		s.fail(err)
	}
}

// flush passes on output without a line end.
func (s *Session) flush() error {
	for i := range s.outputs {
		if err := s.outputs[i].flush(); err != nil {
			return err
		}
	}
	return nil
}
