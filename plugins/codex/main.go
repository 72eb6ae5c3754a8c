package main

import (
	"cmp"
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

// connector is the connector; slice is how many bytes are read between two checkpoints
// at least, 0 for sliceBytes, and threads how many rows of threads are remembered, 0 for maxThreads.
type connector struct {
	slice   int64
	threads int
}

func (connector) Manifest() string { return manifest }

func (c connector) Collect(h *sdk.Host) error {
	r, err := newRun(h, c.slice)
	if err != nil {
		return err
	}
	r.maxThreads = cmp.Or(c.threads, maxThreads)
	return r.collect()
}

func init() { sdk.Run(connector{}) }

func main() {}
