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
	orders = "orders"
)

var login = browser.Login{
	Site: "the shop", Home: home, Known: "#account",
	Form: "https://accounts.shop.example/login", Send: "#next", Wrong: "#wrong",
	Fields: []browser.Filled{{Selector: "#username", Credential: "username"}, {Selector: "#password", Credential: "password"}},
	Code:   &browser.Code{Field: "#code", Send: "#next", Wrong: "#wrong", Message: "The shop has sent you a code."},
	Steps:  []browser.Step{{Shown: "#hold", Do: browser.ByHand(abi.HandoffCaptcha, "Press and hold the shop's button for three seconds.", home)}},
}

type connector struct{}

func (connector) Manifest() string { return manifest }

func (connector) Collect(h *sdk.Host) error {
	if err := h.RequireCredentials(); err != nil {
		return err
	}
	p, err := login.Establish(h)
	if err != nil {
		return err
	}
	return collect(h, p)
}

func init() { sdk.Run(connector{}) }

func main() {}
