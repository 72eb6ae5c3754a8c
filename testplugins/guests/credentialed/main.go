//go:build wasip1

package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

type connector struct{}

// Manifest implements sdk.Connector.
func (connector) Manifest() string { return manifest }

// Collect implements sdk.Connector.
func (connector) Collect(h *sdk.Host) error {
	if err := admitted(h); err != nil {
		return err
	}
	if h.Cursor("notes").Exists() {
		return nil
	}
	for _, id := range []string{"a", "b", "c"} {
		r := h.Record("notes")
		r.String("id", id)
		if err := r.Emit(); err != nil {
			return err
		}
	}
	return h.State("notes", []byte(`{"last":"c"}`))
}

func admitted(h *sdk.Host) error {
	ask := abi.Interaction{Kind: abi.InteractionMissingCredentials, Message: "Something is needed."}
	switch h.Option("manner") {
	case "mute":
		if !h.Interactive() {
			return &sdk.Failure{Code: "credentialed_failed", Message: "It did not work."}
		}
	case "deaf":
		return nil
	case "blunt":
		if h.Interactive() {
			if _, err := h.Interact(ask); err != nil {
				return err
			}
			return &sdk.Failure{Code: "credentialed_declined", Message: "Nothing was entered."}
		}
	case "stubborn":
		_, err := h.Interact(ask)
		return err
	}
	return h.RequireCredentials()
}

func init() { sdk.Run(connector{}) }

func main() {}
