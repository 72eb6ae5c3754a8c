package main

import (
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

// connector is the connector; slice is how many bytes are read between two checkpoints
// at least, 0 for sliceBytes.
type connector struct{ slice int64 }

func (connector) Manifest() string { return manifest }

func (c connector) Collect(h *sdk.Host) error {
	r, err := newRun(h, c.slice)
	if err != nil {
		return err
	}
	return r.collect()
}

func init() { sdk.Run(connector{}) }

func main() {}
