package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// send makes one call with a payload. It remembers a refusal: the run lacks the message
// that the host refused, so it cannot succeed even if the connector ignores the error.
func (h *Host) send(c link.Call, payload []byte) error {
	result := h.link.Call(c, payload)
	if result < 0 {
		err := h.refusal(link.Names[c])
		if h.failed == nil {
			h.failed = err
		}
		return err
	}
	if result == abi.ResultStop {
		h.stopping = true
	}
	return nil
}

// refusal reads why the host refused the last call.
func (h *Host) refusal(call string) error {
	buf := make([]byte, abi.MaxErrorBytes)
	n := h.link.LastError(buf)
	e := &abi.Error{Code: abi.CodeInternal, Message: "the host refused the call", Detail: call,
		Hint: "this is a fault of the connector; report it with this message"}
	if n <= 0 || int(n) > len(buf) {
		return e
	}
	v, err := jsonvalue.Parse(buf[:n])
	if err != nil {
		return e
	}
	if code := v.Get("code").Str(); code != "" {
		e.Code = abi.Code(code)
	}
	if message := v.Get("message").Str(); message != "" {
		e.Message = message
	}
	return e
}
