package main

import (
	"cmp"
	_ "embed"

	"github.com/pdpp-host/pdpp-host/sdk"
)

//go:embed manifest.json
var manifest string

// connector is the connector; slice is how many bytes are read between two checkpoints
// at least, 0 for sliceBytes, threads how many rows of threads are remembered, 0 for maxThreads, and rules how many
// rules are taken, 0 for maxRules.
type connector struct {
	slice   int64
	threads int
	rules   int
}

func (connector) Manifest() string { return manifest }

func (c connector) Collect(h *sdk.Host) error {
	r, err := newRun(h, c.slice)
	if err != nil {
		return err
	}
	r.maxThreads, r.maxRules = cmp.Or(c.threads, maxThreads), cmp.Or(c.rules, maxRules)
	return r.collect()
}

func init() { sdk.Run(connector{}) }

func main() {}
