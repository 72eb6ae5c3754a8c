package plugin

import (
	"fmt"
	"sync/atomic"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// callOverhead is the cost of a log line besides its bytes, so that empty lines use up
// the budget too.
const callOverhead = 16

// door is the host's side of one guest conversation, the same for a guest in this
// process and in a worker: it checks incoming calls against the budgets, the phase and
// the grant, and passes the rest to the Host. It implements guest.Sink. Only one
// goroutine at a time uses it, except for replies.
type door struct {
	phase  abi.Phase // PhaseDescribe, PhaseCollect, or 0 while loading
	host   Host      // nil outside a collect
	grant  Grant
	limits Limits

	manifest   []byte
	described  bool
	done       bool
	logged     int64
	output     int64
	written    tail
	lastHandle int32
	inFlight   atomic.Int32
	ended      atomic.Bool
	deliver    func(handle int32, answer []byte)
	text       []byte // buffer for log lines
}

var _ guest.Sink = (*door)(nil)

// Manifest stores a copy of the manifest.
func (d *door) Manifest(p []byte) error {
	if d.phase != abi.PhaseDescribe || d.described {
		return outOfTurn("manifest")
	}
	d.described = true
	d.manifest = append([]byte(nil), p...)
	return nil
}

// Emit passes RECORD lines to the Host.
func (d *door) Emit(p []byte) error {
	if err := d.chargeOutput("emit", len(p)); err != nil {
		return err
	}
	return d.host.Emit(p)
}

// Message passes any other message to the Host. Done closes the door.
func (d *door) Message(call *abi.Call, p []byte) error {
	if err := d.chargeOutput(call.Name, len(p)); err != nil {
		return err
	}
	if call.Name == "done" {
		d.done = true
	}
	return d.host.Message(call.Name, p)
}

// chargeOutput checks that a call is allowed now and charges its bytes to the output budget.
func (d *door) chargeOutput(call string, n int) error {
	if d.phase != abi.PhaseCollect || d.host == nil {
		return outOfTurn(call)
	}
	if d.done {
		return abi.NewError(abi.CodeAfterDone, "the connector made a call after done",
			"this is a fault in the connector; report it to its author").WithDetail(call)
	}
	d.output += int64(n) + callOverhead
	if d.output > d.limits.OutputBytes {
		return abi.NewError(abi.CodeLimitOutput, "the connector produced more output than allowed",
			"raise limits.output if the connector is known to collect that much").
			WithDetail("the limit is " + sizeText(d.limits.OutputBytes))
	}
	return nil
}

// outOfTurn is the error for a call that the guest's side already refuses; only a
// compromised worker sends it.
func outOfTurn(call string) error {
	return abi.NewError(abi.CodeCallOutOfPhase, "the connector made a call at the wrong time",
		"this is a fault in the connector; report it to its author").WithDetail(call)
}

// Log passes a line of the call log to the Host.
func (d *door) Log(level int32, text []byte) error {
	if err := d.chargeLog(len(text)); err != nil {
		return err
	}
	d.log(level, text)
	return nil
}

// Output passes a guest's standard output and error to the Host as log lines, and
// keeps the end of both: TinyGo writes a panic to standard output.
func (d *door) Output(fd int, text []byte) error {
	d.written.write(text)
	if err := d.chargeLog(len(text)); err != nil {
		return err
	}
	level := int32(0)
	if fd == 2 {
		level = 4
	}
	d.log(level, text)
	return nil
}

func (d *door) chargeLog(n int) error {
	d.logged += int64(n) + callOverhead
	if d.logged > d.limits.LogBytes {
		return abi.NewError(abi.CodeLimitLog, "the connector wrote more log than allowed",
			"this is a fault in the connector; raise limits.log_bytes to see more of it").
			WithDetail("the limit is " + sizeText(d.limits.LogBytes))
	}
	return nil
}

func (d *door) log(level int32, text []byte) {
	if d.host == nil {
		return
	}
	d.text = clean(d.text[:0], text[:min(len(text), abi.MaxLogBytes)])
	if len(d.text) > 0 {
		d.host.Log(level, d.text)
	}
}

// Submit passes a request to the Host. Handles must increase, since an answer could
// otherwise complete another request.
func (d *door) Submit(handle int32, op abi.Operation, request []byte) error {
	if handle <= d.lastHandle || d.inFlight.Load() >= abi.MaxInFlight {
		return outOfTurn("submit")
	}
	if err := d.chargeOutput("submit", len(request)); err != nil {
		return err
	}
	d.lastHandle = handle
	if refused := permit(op, d.grant.Bindings); refused != nil {
		return &guest.Refused{Err: refused}
	}
	d.inFlight.Add(1)
	var replied atomic.Bool
	err := d.host.Submit(op, request, func(answer []byte) {
		if replied.Swap(true) || d.ended.Load() {
			return
		}
		d.inFlight.Add(-1)
		d.deliver(handle, answer)
	})
	if err != nil {
		if !replied.Swap(true) {
			d.inFlight.Add(-1)
		}
		return &guest.Refused{Err: asError(err)}
	}
	return nil
}

// permit checks an operation against the table and the granted bindings.
func permit(op abi.Operation, bindings map[string]bool) *abi.Error {
	for _, row := range abi.Operations {
		if row.Op != op {
			continue
		}
		if row.Binding == "" || bindings[row.Binding] {
			return nil
		}
		return abi.NewError(abi.CodeBindingNotGranted,
			"the operation "+row.Name+" needs the binding "+row.Binding+", which this run does not grant", "")
	}
	return abi.NewError(abi.CodeOperationUnknown, fmt.Sprintf("there is no operation %d", op), "")
}
