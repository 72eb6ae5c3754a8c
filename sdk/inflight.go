package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// waitMS is how long one wait call blocks. The host ends it early for a stop.
const waitMS = 60_000

// maxFetching bounds the http requests in flight, one below the host's bound:
// an INTERACTION or a page of gaps always finds room.
const maxFetching = abi.MaxInFlight - 1

// inFlight is one submitted request whose answer is not taken yet.
type inFlight struct {
	handle  int32
	answer  []byte // whole, once arrived
	arrived bool
	dropped bool // its answer is no longer needed
}

// submit starts an operation. It waits while most requests are unanswered, so
// that the host never refuses one for being too many.
func (h *Host) submit(op abi.Operation, name string, payload []byte, most int) (int32, error) {
	for h.unanswered() >= most {
		if err := h.awaitAnswer(name, nil); err != nil {
			return 0, err
		}
	}
	handle := h.link.Submit(int32(op), payload)
	if handle <= 0 {
		return 0, h.refusal("submit " + name)
	}
	h.inFlight = append(h.inFlight, inFlight{handle: handle})
	return handle, nil
}

func (h *Host) unanswered() int {
	n := 0
	for i := range h.inFlight {
		if !h.inFlight[i].arrived {
			n++
		}
	}
	return n
}

// beforeWait is called before each wait, and returns how long that may last at most,
// in milliseconds, before it is called again.
type beforeWait func() (most int64, err error)

// awaitAnswer blocks until one request is answered, whichever it is, and keeps its
// answer. It sends the batched records first. The error is ErrStopped when the host
// asked for a stop instead. before may be nil.
func (h *Host) awaitAnswer(name string, before beforeWait) error {
	// An answer may take minutes, and a killed host loses every record that is held
	// back here.
	if err := h.Flush(); err != nil {
		return err
	}
	for {
		most := int64(waitMS)
		if before != nil {
			var err error
			if most, err = before(); err != nil {
				return err
			}
		}
		asked := h.Now()
		done := h.link.Wait(int32(most))
		if done < 0 {
			return h.refusal("wait " + name)
		}
		if done == 0 {
			// Nothing after less than the time given means: stop.
			if h.Now().Sub(asked).Milliseconds() < most/2 {
				h.stopping = true
				return ErrStopped
			}
			continue
		}
		i := h.indexInFlight(int32(done >> 32))
		if i < 0 || h.inFlight[i].arrived {
			continue
		}
		answer, err := h.read(h.inFlight[i].handle, int(uint32(done)))
		if err != nil {
			return err
		}
		h.inFlight[i].answer, h.inFlight[i].arrived = answer, true
		if h.inFlight[i].dropped {
			h.forget(i)
		}
		return nil
	}
}

// indexInFlight returns where the handle is in inFlight, -1 when it is not.
func (h *Host) indexInFlight(handle int32) int {
	for i := range h.inFlight {
		if h.inFlight[i].handle == handle {
			return i
		}
	}
	return -1
}

func (h *Host) forget(i int) {
	last := len(h.inFlight) - 1
	copy(h.inFlight[i:], h.inFlight[i+1:])
	h.inFlight[last] = inFlight{}
	h.inFlight = h.inFlight[:last]
}

// takeAnswer returns the handle's answer when it has arrived.
func (h *Host) takeAnswer(handle int32) (answer []byte, arrived bool) {
	i := h.indexInFlight(handle)
	if i < 0 || !h.inFlight[i].arrived {
		return nil, false
	}
	answer = h.inFlight[i].answer
	h.forget(i)
	return answer, true
}

// drop gives a request up: its answer is thrown away when it arrives.
func (h *Host) drop(handle int32) {
	switch i := h.indexInFlight(handle); {
	case i < 0:
	case h.inFlight[i].arrived:
		h.forget(i)
	default:
		h.inFlight[i].dropped = true
	}
}

// await blocks until the handle's answer arrives. Answers of other requests that arrive
// first wait for their submitters.
func (h *Host) await(handle int32, name string) ([]byte, error) {
	for {
		if answer, ok := h.takeAnswer(handle); ok {
			return answer, nil
		}
		if err := h.awaitAnswer(name, nil); err != nil {
			h.drop(handle)
			return nil, err
		}
	}
}

// request submits one operation and blocks until its answer arrives. An answer
// {"error":{…}} is returned as an *abi.Error, a stop as ErrStopped.
func (h *Host) request(op abi.Operation, name string, payload []byte) (jsonvalue.Value, error) {
	handle, err := h.submit(op, name, payload, abi.MaxInFlight)
	if err != nil {
		return jsonvalue.Value{}, err
	}
	answer, err := h.await(handle, name)
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
