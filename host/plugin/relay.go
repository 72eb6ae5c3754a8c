package plugin

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// relay passes one frame of a worker to the door, and acknowledges it if the guest
// waits for that. An error ends the worker.
func relay(p *process, d *door, f wire.Frame) error {
	switch f.Kind {
	case wire.Emit:
		return d.Emit(f.Payload)
	case wire.Message:
		call := messageCall(f.ID)
		if call == nil {
			return badFrame("a message of no call")
		}
		err := d.Message(call, f.Payload)
		if err == nil && awaitsAck(call) {
			p.out.send(wire.Ack, 0, nil)
		}
		return err
	case wire.Log:
		return d.Log(int32(f.ID), f.Payload)
	case wire.Output:
		return d.Output(int(f.ID), f.Payload)
	case wire.Manifest:
		err := d.Manifest(f.Payload)
		if err == nil {
			p.out.send(wire.Ack, 0, nil)
		}
		return err
	case wire.Submit:
		if len(f.Payload) < 4 {
			return badFrame("a submit without an operation")
		}
		op := abi.Operation(binary.LittleEndian.Uint32(f.Payload))
		err := d.Submit(int32(f.ID), op, f.Payload[4:])
		if refused, ok := errors.AsType[*guest.Refused](err); ok {
			p.out.send(wire.Ack, 0, encodeReport(guest.Outcome{Err: refused.Err}))
			return nil
		}
		if err == nil {
			p.out.send(wire.Ack, 0, nil)
		}
		return err
	case wire.Request:
		err := d.Submit(int32(f.ID), abi.OpHTTP, f.Payload)
		if refused, ok := errors.AsType[*guest.Refused](err); ok {
			d.deliver(int32(f.ID), errorAnswer(refused.Err))
			return nil
		}
		return err
	default:
		return badFrame("a frame out of turn")
	}
}

// errorAnswer returns the answer of a failed operation.
func errorAnswer(err *abi.Error) []byte {
	b, mErr := json.Marshal(map[string]any{"error": map[string]string{"code": string(err.Code), "message": err.Message}})
	if mErr != nil {
		return []byte(`{"error":{"code":"internal.error","message":"the answer could not be written"}}`)
	}
	return b
}

// awaitsAck reports whether the guest waits until the host has processed the message. It
// does not wait for progress, on which nothing depends.
func awaitsAck(call *abi.Call) bool { return call.Name != "progress" }
