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
	ModuleNotPinned = "not_pinned" // the first run accepts it as it is
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
// With accept a changed module becomes the accepted one.
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
	if v.State != ModuleChanged || !accept {
		return v, nil
	}
	if err := c.accept(ctx, sha256, raw); err != nil {
		return nil, err
	}
	v.State = ModuleAccepted
	return v, nil
}

func (c *Collector) accept(ctx context.Context, sha256 string, raw []byte) error {
	store, err := c.open(ctx)
	if err != nil {
		return err
	}
	conn, err := accepted(ctx, store)
	if err == nil && conn != nil {
		err = store.PinPlugin(ctx, conn.ID, sha256, raw)
	}
	return errors.Join(err, store.Close())
}

// accepted is the lane's connection with the module that it runs; nil before the
// first run.
func accepted(ctx context.Context, store *storage.Store) (*storage.Connection, error) {
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

func (c *Collector) verifyCommand() string {
	return "pdpp-local-collector connectors verify --source-instance-id " + c.deps.Profile.SourceInstanceID
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
