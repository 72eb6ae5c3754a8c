package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

type connector struct{}

// Manifest returns the connector's manifest.
func (connector) Manifest() string { return manifest }

// Collect does one run.
func (connector) Collect(h *sdk.Host) error { return collect(h) }

func init() { sdk.Run(connector{}) }

func main() {}
