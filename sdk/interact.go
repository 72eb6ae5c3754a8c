package sdk

import (
	"strconv"
	"strings"

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
	b = handoffMember(b, m.Browser)
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

// handoffMember appends the page that is handed over.
func handoffMember(b []byte, p *abi.Handoff) []byte {
	if p == nil {
		return b
	}
	b = append(jsonappend.Name(b, "browser"), '{')
	if p.Page > 0 {
		b = jsonappend.Int(jsonappend.Name(b, "page"), p.Page)
	}
	b = textMember(b, "reason", p.Reason)
	if d := p.DoneWhen; d != nil {
		b = append(jsonappend.Name(b, "done_when"), '{')
		b = textMember(textMember(b, "selector", d.Selector), "url_prefix", d.URLPrefix)
		if len(d.Session) > 0 {
			b = jsonappend.Strings(jsonappend.Name(b, "session"), d.Session)
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

// codeMissingCredentials is DONE's code when credentials are missing.
const codeMissingCredentials = "missing_credentials"

// credential is one required credential that the host does not have.
type credential struct {
	field string   // its name in the form, or the environment name
	label string   // for the owner
	env   []string // each of these may supply it
}

// RequireCredentials makes sure that the host has the credentials that the manifest
// requires. A connector never sees them. When some are missing it asks for them by
// their environment variables (RT-08.1). When there is nobody to ask, or the owner
// declines, it returns a *Failure that names them (RT-08.2). Call it first in Collect
// and return its error.
func (h *Host) RequireCredentials() error {
	missing := h.missingCredentials()
	if len(missing) == 0 {
		return nil
	}
	failure := &Failure{
		Code: codeMissingCredentials, Message: "missing credentials: " + credentialNames(missing),
		Hint: "refresh_credentials",
	}
	if !h.Interactive() {
		return failure
	}
	answer, err := h.Interact(abi.Interaction{
		Kind:    abi.InteractionMissingCredentials,
		Message: "Credentials are needed. Enter them, or set in the environment: " + credentialNames(missing),
		Schema:  credentialSchema(missing),
	})
	switch {
	case err != nil:
		return err
	case h.stopping:
		return ErrStopped
	case answer.Status != abi.ResponseSuccess:
		failure.Message += " (the owner's answer: " + answer.Status + ")"
		return failure
	}
	return nil
}

// missingCredentials lists the required credentials that START does not confirm, the
// form's fields first.
func (h *Host) missingCredentials() []credential {
	held := h.start.Get("credentials")
	capture := h.manifest.Get("setup").Get("credential_capture")
	var missing []credential
	covered := make(map[string]bool) // environment names that a field of the form covers
	for it := capture.Get("fields").Children(); it.Next(); {
		f := it.Value()
		c := credential{field: f.Get("name").Str(), label: f.Get("label").Str()}
		have := held.Get(c.field).Bool()
		for env := f.Get("env").Children(); env.Next(); {
			name := env.Value().Str()
			c.env = append(c.env, name)
			covered[name] = true
			have = have || held.Get(name).Bool()
		}
		if !have && f.Get("required").Bool() && capture.Get("required").Kind() != jsonvalue.False {
			missing = append(missing, c)
		}
	}
	for it := h.manifest.Get("capabilities").Get("auth").Get("required").Children(); it.Next(); {
		name := it.Value().Str()
		if !covered[name] && !held.Get(name).Bool() {
			missing = append(missing, credential{field: name, env: []string{name}})
		}
	}
	return missing
}

// credentialNames names the missing credentials by environment variable: "A or B, C".
func credentialNames(missing []credential) string {
	var names []string
	for _, c := range missing {
		name := strings.Join(c.env, " or ")
		if name == "" {
			name = c.field
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// credentialSchema is the JSON Schema of the form to fill in.
func credentialSchema(missing []credential) []byte {
	b := []byte(`{"type":"object","properties":{`)
	var fields []string
	for _, c := range missing {
		fields = append(fields, c.field)
		b = append(jsonappend.Name(b, c.field), `{"type":"string","format":"password"`...)
		b = append(textMember(b, "title", c.label), '}')
	}
	b = append(b, '}')
	b = jsonappend.Strings(jsonappend.Name(b, "required"), fields)
	return append(b, '}')
}
