package collector

import (
	"context"
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The states of a lane's module.
const (
	ModuleSame      = "same"
	ModuleChanged   = "changed"
	ModuleAccepted  = "accepted"
	ModuleNotPinned = "not_pinned" // nobody has accepted one yet
)

// Verified is a lane held against the module that is installed now.
type Verified struct {
	Object           string `json:"object"` // local_collector_connector
	SourceInstanceID string `json:"source_instance_id"`
	ConnectorID      string `json:"connector_id"`
	Pinned           string `json:"pinned_sha256"`
	Found            string `json:"found_sha256"`
	State            string `json:"state"`

	PinnedManifest []byte `json:"-"` // as the owner accepted it; nil: none
}

// Verify holds the lane against a module and its manifest, and changes nothing.
// With accept a changed module becomes the accepted one. A first module is refused
// there: Accept takes it, whose caller shows everything that the module asks for.
func (c *Collector) Verify(ctx context.Context, m *abi.Manifest, sha256 string, raw []byte, accept bool) (*Verified, error) {
	p := c.deps.Profile
	if err := c.enrolledFor(m); err != nil {
		return nil, err
	}
	info, _, _, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	v := &Verified{
		Object: "local_collector_connector", SourceInstanceID: p.SourceInstanceID, ConnectorID: p.ConnectorID,
		Pinned: info.PinnedSHA256, Found: sha256, State: ModuleSame, PinnedManifest: info.PinnedManifest,
	}
	switch {
	case v.Pinned == "":
		v.State = ModuleNotPinned
	case v.Pinned != sha256:
		v.State = ModuleChanged
	}
	if v.State == ModuleSame || !accept {
		return v, nil
	}
	if v.State == ModuleNotPinned {
		return nil, c.NotAccepted()
	}
	if _, err := c.Accept(ctx, m, sha256, raw, nil); err != nil {
		return nil, err
	}
	v.State = ModuleAccepted
	return v, nil
}

// Accept makes a module the one that the lane runs, with what its owner accepted by name, and
// returns all that is accepted by name now. An earlier acceptance stands while the module is
// the same.
func (c *Collector) Accept(ctx context.Context, m *abi.Manifest, sha256 string, raw []byte, items []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	if err := c.enrolledFor(m); err != nil {
		return nil, err
	}
	store, err := c.open(ctx)
	if err != nil {
		return nil, err
	}
	conn, err := store.EnsureConnection(ctx, m.ConnectorKey, m.ConnectorKey)
	if err == nil {
		err = store.PinPlugin(ctx, conn.ID, sha256, raw, items...)
	}
	if err == nil {
		conn, err = store.Connection(ctx, conn.ID)
	}
	if err = errors.Join(err, store.Close()); err != nil {
		return nil, err
	}
	return conn.Accepted, nil
}

// Lane returns the folders that the lane's runs read, and what its owner accepted by
// name of the module with this hash. It changes nothing.
func (c *Collector) Lane(ctx context.Context, sha256 string) (roots map[string]string, accepted []storage.AcceptedItem, err error) {
	info, _, _, err := c.look(ctx)
	if info.PinnedSHA256 != sha256 {
		return info.Roots, nil, err
	}
	return info.Roots, info.Accepted, err
}

// accepted is the lane's connection with the module that it runs; nil where nobody
// has accepted one.
func accepted(ctx context.Context, store *storage.Outbox) (*storage.Connection, error) {
	connections, err := store.Connections(ctx)
	if err != nil {
		return nil, err
	}
	for i := range connections {
		if connections[i].PinnedSHA256 != "" && len(connections[i].PinnedManifest) > 0 {
			return &connections[i], nil
		}
	}
	return nil, nil
}

func (c *Collector) verifyCommand() string { return c.connectorsCommand("verify") }

func (c *Collector) acceptCommand() string { return c.connectorsCommand("accept") }

func (c *Collector) connectorsCommand(verb string) string {
	return "pdpp-local-collector connectors " + verb + " --source-instance-id " + c.deps.Profile.SourceInstanceID
}

// NotAccepted refuses a lane whose owner has accepted no module yet.
func (c *Collector) NotAccepted() *abi.Error {
	return abi.NewError(abi.CodePluginNotAccepted, "nobody has accepted the module of connector "+c.deps.Profile.ConnectorID+" on this machine yet",
		"see what it asks for and accept it: "+c.acceptCommand())
}

// enrolledFor refuses a connector that the lane is not of.
func (c *Collector) enrolledFor(m *abi.Manifest) error {
	id := c.deps.Profile.ConnectorID
	if abi.SameConnector(id, m.ConnectorKey) || strings.EqualFold(id, m.ConnectorID) {
		return nil
	}
	return abi.NewError(abi.CodeConnectionInvalid, "the module is of connector "+m.ConnectorKey+", and this lane was enrolled for another",
		"run the connector that the lane is of, or enroll the device for this one").WithDetail(id)
}
