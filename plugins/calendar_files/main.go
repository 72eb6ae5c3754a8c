package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

func (connector) Collect(h *sdk.Host) error {
	r, err := newRun(h)
	if err != nil {
		return err
	}
	return r.collect()
}

func init() { sdk.Run(connector{}) }

func main() {}
