package sdk

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Interactive reports whether the run can ask the owner.
func (h *Host) Interactive() bool {
	return h.start.Get("bindings").Get("interactive").Kind() == jsonvalue.Object
}

// Interact asks the owner and waits for the answer (INTERACTION). Type is filled
// in, and RequestID when it is empty. Ask only when Interactive; otherwise the
// host ends the run. An answer other than success is not an error: check its
// Status. The error is ErrStopped when the host stops the run meanwhile.
func (h *Host) Interact(m abi.Interaction) (abi.InteractionResponse, error) {
	var none abi.InteractionResponse
	if !h.Interactive() {
		return none, abi.NewError(abi.CodeBindingNotGranted, "this run cannot ask the owner",
			"call Interactive first, and return a Failure when it is false")
	}
	if err := h.Flush(); err != nil {
		return none, err
	}
	h.asked++
	if m.RequestID == "" {
		m.RequestID = "ask-" + strconv.Itoa(h.asked)
	}
	b := beginMessage(nil, abi.TypeInteraction)
	b = textMember(b, "request_id", m.RequestID)
	b = textMember(b, "kind", m.Kind)
	b = textMember(b, "message", m.Message)
	if len(m.Schema) > 0 {
		b = appendLine(jsonappend.Name(b, "schema"), m.Schema)
	}
	if m.TimeoutSeconds != nil {
		b = jsonappend.Float(jsonappend.Name(b, "timeout_seconds"), *m.TimeoutSeconds)
	}
	b = textMember(b, "stream", m.Stream)
	v, err := h.request(abi.OpInteract, "interact", append(b, '}'))
	if err != nil {
		return none, err
	}
	answer := abi.InteractionResponse{
		Type: v.Get("type").Str(), RequestID: v.Get("request_id").Str(), Status: v.Get("status").Str(),
	}
	for it := v.Get("data").Children(); it.Next(); {
		if answer.Data == nil {
			answer.Data = make(map[string]string)
		}
		answer.Data[it.Name().Str()] = it.Value().Str()
	}
	return answer, nil
}
