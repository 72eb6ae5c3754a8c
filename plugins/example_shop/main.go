package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/browser"
)

//go:embed manifest.json
var manifest string

const (
	home   = "https://www.shop.example/"
	signIn = "https://accounts.shop.example/login"
	orders = "orders"
)

type connector struct{}

func (connector) Manifest() string { return manifest }

func (connector) Collect(h *sdk.Host) error {
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	p, err := established(h, browser.Of(h))
	if err != nil {
		return err
	}
	return collect(h, p)
}

// established returns a page of an owner who is signed in: who was in an earlier run is still.
func established(h *sdk.Host, b browser.Browser) (*browser.Page, error) {
	p, err := b.Open(home)
	if err != nil {
		return nil, err
	}
	if in, err := signedIn(p); in || err != nil {
		return p, err
	}
	p, elsewhere, err := b.SignIn(signIn, func(p *browser.Page) error { return enter(h, b, p) })
	if err != nil {
		return nil, err
	}
	in := false
	if !elsewhere {
		if in, err = signedIn(p); err != nil {
			return nil, err
		}
	}
	if !in {
		return nil, &sdk.Failure{Code: "example_shop_session_required", Message: "the shop does not know its owner", Hint: "manual_action_required"}
	}
	return p, nil
}

func signedIn(p *browser.Page) (bool, error) {
	found, err := p.Probe("#account")
	return err == nil && len(found) == 1 && found[0].Count > 0, err
}

// enter goes through the shop's forms. It sees neither the password nor the code.
func enter(h *sdk.Host, b browser.Browser, p *browser.Page) error {
	if err := p.FillCredential("#username", "username"); err != nil {
		return err
	}
	if err := p.FillCredential("#password", "password"); err != nil {
		return err
	}
	if err := p.Click("#next"); err != nil {
		return err
	}
	for {
		at, err := p.Wait(browser.At(home), browser.Visible("#wrong"), browser.Visible("#code"), browser.Visible("#hold"))
		switch {
		case err != nil:
			return err
		case at == 0:
			return nil
		case at == 1:
			return &sdk.Failure{Code: "example_shop_auth_failed", Message: "the shop refuses the user name or the password", Hint: "refresh_credentials"}
		}
		if err := b.Checkpoint("owner-asked"); err != nil {
			return err
		}
		ask := answerCode
		if at == 3 { //nolint:mnd // of the conditions above
			ask = held
		}
		if err := ask(h, p); err != nil {
			return err
		}
	}
}

// held has the owner hold the shop's button, which no connector does for them.
func held(h *sdk.Host, p *browser.Page) error {
	needed := &sdk.Failure{Code: "example_shop_session_required", Message: "the shop asks for its owner", Hint: "manual_action_required"}
	if !h.Interactive() {
		return needed
	}
	ok, err := p.HandOver(abi.HandoffCaptcha, "Press and hold the shop's button for three seconds.", &abi.HandoffDone{URLPrefix: home})
	if err == nil && !ok {
		err = needed
	}
	return err
}

// answerCode has the owner's code typed.
func answerCode(h *sdk.Host, p *browser.Page) error {
	needed := &sdk.Failure{Code: "example_shop_session_required", Message: "the shop asks for a code", Hint: "manual_action_required"}
	if !h.Interactive() {
		return needed
	}
	answer, err := h.Interact(abi.Interaction{
		Kind: abi.InteractionOTP, Message: "The shop has sent you a code.",
		Schema: []byte(`{"type":"object","properties":{"code":{"type":"string","title":"Code"}},"required":["code"]}`),
	})
	if err != nil {
		return err
	}
	if answer.Status != abi.ResponseSuccess {
		return needed
	}
	if err := p.FillCredential("#code", "code"); err != nil {
		return err
	}
	return p.ClickThrough("#next")
}

func init() { sdk.Run(connector{}) }

func main() {}
