package browser

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// Login is how an owner signs in at a site: a form for a password, and behind it perhaps one for a
// code, or something that only the owner can do. The selectors are plain ones, see abi/ABI.md.
type Login struct {
	Site   string   // its name, for the owner
	Home   string   // a page of the provider, which shows Known
	Known  string   // what the site shows those whom it knows
	Form   string   // where the form is
	Fields []Filled // are filled in, in this order
	Send   string   // submits the form
	Wrong  string   // what the site shows when it refuses what was filled in
	Code   *Code    // nil: the site asks for none
	Steps  []Step   // what else the site may ask for behind the form
}

// Filled is a field of a form, and the credential that the host types there.
type Filled struct{ Selector, Credential string }

// Code is the form for a code that the site gives the owner alone.
type Code struct {
	Field, Send string
	Wrong       string // what the site shows when it refuses the code
	Message     string // asks the owner for it
}

// Step is something that a site may ask for, as whether to stay signed in. It is done once.
type Step struct {
	Shown string // what the site shows then
	Do    func(h *sdk.Host, p *Page) error
}

// codeName is the property of the owner's answer that has the code.
const codeName = "code"

// Establish returns a page at Home on which the site knows its owner: who was signed in by an
// earlier run is so still. A secret is sent once in a run. The failures are KEY_auth_failed and
// KEY_code_refused, KEY_session_required where the owner has to do something, and
// KEY_page_changed where the site is not as Login says; KEY is the connector's key.
func (l *Login) Establish(h *sdk.Host) (*Page, error) {
	b := Of(h)
	if err := b.Checkpoint(abi.CheckpointEstablish); err != nil {
		return nil, err
	}
	p, err := b.Open(l.Home)
	if err != nil {
		return nil, err
	}
	switch in, err := l.knows(p); {
	case err != nil:
		return p, err
	case in:
		return p, b.Checkpoint(abi.CheckpointEstablished)
	}
	p, elsewhere, err := b.SignIn(l.Form, func(p *Page) error { return l.enter(h, b, p) })
	if err != nil {
		return nil, err
	}
	in := false
	if !elsewhere {
		if in, err = l.knows(p); err != nil {
			return nil, err
		}
	}
	if !in {
		return nil, l.required(h, l.Site+" does not know its owner")
	}
	return p, nil
}

func (l *Login) knows(p *Page) (bool, error) {
	found, err := p.Probe(l.Known)
	return err == nil && len(found) == 1 && found[0].Count > 0, err
}

// enter goes through the forms. It sees neither the password nor the code.
func (l *Login) enter(h *sdk.Host, b Browser, p *Page) error {
	for _, f := range l.Fields {
		if err := p.FillCredential(f.Selector, f.Credential); err != nil {
			return l.changed(h, err)
		}
	}
	if err := p.Click(l.Send); err != nil {
		return l.changed(h, err)
	}
	return l.proceed(h, b, p)
}

// proceed does what the site asks for, until it knows its owner.
func (l *Login) proceed(h *sdk.Host, b Browser, p *Page) error {
	wrong, code, steps := l.Wrong, l.Code, append([]Step(nil), l.Steps...)
	refused := &sdk.Failure{Code: h.ConnectorKey() + "_auth_failed", Message: l.Site + " refuses the user name or the password", Hint: "refresh_credentials"}
	for {
		next := []abi.BrowserCondition{{Selector: l.Known, State: abi.StateAttached}, Visible(wrong)}
		for _, s := range steps {
			next = append(next, Visible(s.Shown))
		}
		if code != nil {
			next = append(next, Visible(code.Field))
		}
		at, err := p.Wait(next...)
		switch {
		case err != nil:
			return l.stuck(h, err)
		case at == 0:
			return nil
		case at == 1:
			return refused
		}
		if err := b.Checkpoint("owner-asked"); err != nil {
			return err
		}
		if i := at - 2; i < len(steps) { //nolint:mnd // behind Known and wrong
			err = steps[i].Do(h, p)
			steps = append(steps[:i], steps[i+1:]...)
		} else {
			err = l.enterCode(h, p)
			wrong, code = code.Wrong, nil
			refused = &sdk.Failure{Code: h.ConnectorKey() + "_code_refused", Message: l.Site + " refuses the code", Hint: "manual_action_required"}
		}
		if err != nil {
			return err
		}
	}
}

// enterCode has the owner's code typed.
func (l *Login) enterCode(h *sdk.Host, p *Page) error {
	needed := l.required(h, l.Site+" asks for a code")
	if !h.Interactive() {
		return needed
	}
	answer, err := h.Interact(abi.Interaction{
		Kind: abi.InteractionOTP, Message: l.Code.Message,
		Schema: []byte(`{"type":"object","properties":{"` + codeName + `":{"type":"string","title":"Code"}},"required":["` + codeName + `"]}`),
	})
	if err != nil {
		return err
	}
	if answer.Status != abi.ResponseSuccess {
		return needed
	}
	if err := p.FillCredential(l.Code.Field, codeName); err != nil {
		return l.changed(h, err)
	}
	if err := p.Click(l.Code.Send); err != nil {
		return l.changed(h, err)
	}
	return nil
}

func (l *Login) required(h *sdk.Host, why string) error {
	return &sdk.Failure{Code: h.ConnectorKey() + "_session_required", Message: why, Hint: "manual_action_required"}
}

// changed explains a form that is not as Login says.
func (l *Login) changed(h *sdk.Host, err error) error {
	switch abi.CodeOf(err) {
	case abi.CodeBrowserNotFound, abi.CodeBrowserAmbiguous, abi.CodeBrowserNotClickable:
		return &sdk.Failure{
			Code: h.ConnectorKey() + "_page_changed", Message: "the page on which one signs in is not as the connector knows it: " + err.Error(),
			Hint: "retry_on_connector_upgrade", Err: err,
		}
	}
	return err
}

// stuck explains a form behind which nothing comes that Login knows, as a question whether the
// owner is a person.
func (l *Login) stuck(h *sdk.Host, err error) error {
	if abi.CodeOf(err) == abi.CodeBrowserTimeout {
		return l.required(h, l.Site+" shows something that the connector does not know when the owner signs in")
	}
	return err
}
