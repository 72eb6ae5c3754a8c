package ownerapi

import (
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func (c *call) listConnectors() (*wire.List[connectors.Connector], error) {
	all, err := connectors.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "connectors", all, func(x *connectors.Connector) string { return x.Name })
}

func (c *call) inspectConnector() (*connectors.Inspection, error) {
	name := c.r.PathValue("connector")
	if err := installed(name); err != nil {
		return nil, err
	}
	return connectors.Inspect(c.Context(), c.owner, name)
}

// terms are what a module gets when its owner accepts it.
type terms struct {
	Connector string   `json:"connector"`
	SHA256    string   `json:"sha256"` // what an acceptance names
	AsksFor   []string `json:"asks_for"`
	ByName    []string `json:"by_name"` // accepted one by one or not at all
}

func (c *call) showTerms() (*terms, error) {
	name := c.r.PathValue("connector")
	if err := installed(name); err != nil {
		return nil, err
	}
	t, err := connectors.Terms(c.Context(), c.owner, connectors.Acceptance{Module: name, Connection: c.query["connection"]})
	if err != nil {
		return nil, err
	}
	out := &terms{Connector: t.Module.Manifest.ConnectorKey, SHA256: t.Module.File.SHA256, AsksFor: []string{}, ByName: []string{}}
	for _, ask := range t.Asks {
		out.AsksFor = append(out.AsksFor, ask.String())
	}
	for _, ask := range t.ByName {
		out.ByName = append(out.ByName, ask.ByName.String())
	}
	return out, nil
}

// acceptance accepts the module whose terms its owner has seen.
type acceptance struct {
	SHA256     string   `json:"sha256"`
	Connection string   `json:"connection,omitempty"` // only for this one
	Allow      []string `json:"allow,omitempty"`      // KIND=NAME, what is accepted by name
}

func (c *call) acceptConnector(in *acceptance) (*connectors.Accepted, error) {
	name := c.r.PathValue("connector")
	if err := installed(name); err != nil {
		return nil, err
	}
	return connectors.Accept(c.Context(), c.owner, connectors.Acceptance{
		Module: name, Connection: in.Connection, Allow: in.Allow, Consent: connectors.ShownModule(in.SHA256),
	})
}

func (c *call) verifyConnector() (*wire.List[connectors.Verified], error) {
	name := c.r.PathValue("connector")
	if err := installed(name); err != nil {
		return nil, err
	}
	all, err := connectors.Verify(c.Context(), c.owner, connectors.Verification{Module: name})
	if err != nil {
		return nil, err
	}
	return pageOf(c, "verified "+name, all, func(x *connectors.Verified) string { return x.Connection })
}

func (c *call) removeConnector() (*connectors.Removed, error) {
	return connectors.Remove(c.Context(), c.owner, c.r.PathValue("connector"), func(r *connectors.Removed) error {
		if c.query["confirm"] != r.Name {
			return wire.Invalid("confirm", "is not the connector's name")
		}
		return nil
	})
}
