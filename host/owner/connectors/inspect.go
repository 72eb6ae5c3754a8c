package connectors

import (
	"context"
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// Inspection is everything about one module.
type Inspection struct {
	Connector

	Imports        []string        `json:"imports"`
	MemoryMinBytes int64           `json:"memory_min_bytes"`
	PinnedBy       []Pin           `json:"pinned_by"`
	Manifest       json.RawMessage `json:"manifest,omitempty"`

	Parsed  *abi.Manifest `json:"-"` // nil: the manifest cannot be read
	Refusal error         `json:"-"` // why the module cannot run; nil: it can
}

// Pin is a connection that runs the connector, and whether it runs this module.
type Pin struct {
	Connection string `json:"connection"`
	SHA256     string `json:"sha256"`
	Same       bool   `json:"same"`
}

// Inspect returns what a module is and asks for. A module that cannot run is
// returned with its Refusal.
func Inspect(ctx context.Context, o *owner.Owner, connector string) (*Inspection, error) {
	file, err := modules.Open(o.Config, connector, modules.ListCommand)
	if err != nil {
		return nil, err
	}
	d, refusal, err := o.DescribeAny(ctx, file)
	if err != nil {
		return nil, err
	}
	if refusal == nil {
		refusal = modules.Misnamed(connector, d)
	}
	i := &Inspection{Imports: d.Info.Imports, MemoryMinBytes: d.Info.MemoryMinBytes, PinnedBy: []Pin{}, Parsed: d.Manifest, Refusal: refusal}
	i.Name, i.Path = d.File.Name, d.File.Path
	i.fill(d)
	i.Problem = words.ProblemOf(refusal)
	if json.Valid(d.Raw) {
		i.Manifest = d.Raw
	}
	return i, pins(ctx, o, i)
}

// pins finds the connections of the module's connector. A store that does not exist yet
// is not made for it.
func pins(ctx context.Context, o *owner.Owner, i *Inspection) error {
	if i.Parsed == nil || !o.HasStore() {
		return nil
	}
	store, err := o.Store(ctx)
	if err != nil {
		return err
	}
	connections, err := owner.OwnConnections(ctx, store)
	for _, conn := range connections {
		if abi.SameConnector(conn.Connector, i.Parsed.ConnectorKey) && conn.PinnedSHA256 != "" {
			i.PinnedBy = append(i.PinnedBy, Pin{conn.Name, conn.PinnedSHA256, conn.PinnedSHA256 == i.SHA256})
		}
	}
	return err
}
