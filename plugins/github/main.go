package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

func (connector) Collect(h *sdk.Host) error {
	r := &run{Client: api.New(h, provider)}
	return r.Run(r.table())
}

func init() { sdk.Run(connector{}) }

func main() {}
