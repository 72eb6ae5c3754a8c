package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// send makes one call with a payload. A refusal is kept: what the host did not
// take is missing from the run, so that the run cannot end as succeeded even
// when the connector drops the error.
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

// waitMS is how long one wait call blocks. The host ends it early for a stop.
const waitMS = 60_000

// request submits one operation and blocks until its answer is there. An answer
// {"error":{…}} is returned as an *abi.Error, a stop as ErrStopped.
func (h *Host) request(op abi.Operation, name string, payload []byte) (jsonvalue.Value, error) {
	handle := h.link.Submit(int32(op), payload)
	if handle <= 0 {
		return jsonvalue.Value{}, h.refusal("submit " + name)
	}
	size := -1
	for size < 0 {
		asked := h.Now()
		switch done := h.link.Wait(waitMS); {
		case done < 0:
			return jsonvalue.Value{}, h.refusal("wait " + name)
		case done == 0:
			// Nothing after less than the time given means: stop.
			if h.Now().Sub(asked).Milliseconds() < waitMS/2 {
				h.stopping = true
				return jsonvalue.Value{}, ErrStopped
			}
		case int32(done>>32) == handle:
			size = int(uint32(done))
		}
	}
	answer, err := h.read(handle, size)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	v, err := jsonvalue.Parse(answer)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	if e := v.Get("error"); e.Kind() == jsonvalue.Object {
		return v, &abi.Error{Code: abi.Code(e.Get("code").Str()), Message: e.Get("message").Str(), Detail: name}
	}
	return v, nil
}

// read drains the answer of size bytes.
func (h *Host) read(handle int32, size int) ([]byte, error) {
	answer := make([]byte, size+1) // one to spare: the read that finds nothing drains it
	got := 0
	for {
		if got == len(answer) {
			longer := make([]byte, 2*len(answer))
			copy(longer, answer)
			answer = longer
		}
		n := h.link.Read(handle, answer[got:])
		if n < 0 {
			return nil, h.refusal("read")
		}
		if n == 0 {
			return answer[:got], nil
		}
		got += int(n)
	}
}
