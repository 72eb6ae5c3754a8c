package ownerapi

import (
	"cmp"
	"net/url"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

// connectorTemplate is an installed connector with the members that other hosts' programs know it by
// (RD-53.3).
type connectorTemplate struct {
	Object       string          `json:"object"` // owner_connector_template
	ConnectorID  string          `json:"connector_id"`
	ConnectorKey string          `json:"connector_key"`
	DisplayName  string          `json:"display_name"`
	Modality     string          `json:"connector_modality"`
	Plan         connectors.Plan `json:"setup_plan"`
	Streams      int             `json:"stream_count"`
	Count        int             `json:"connection_count"`
	Connections  []summary       `json:"connections"` // the first 100
	Actions      []action        `json:"supported_actions"`
	Key          string          `json:"connector,omitempty"` // as connectors.Connector has it, whose schema would lose it

	connectors.Connector
}

// summary is a connection in short.
type summary struct {
	Object       string     `json:"object"` // owner_connection_summary
	ConnectionID string     `json:"connection_id"`
	OldID        string     `json:"connector_instance_id"`
	ConnectorID  string     `json:"connector_id"`
	ConnectorKey string     `json:"connector_key"`
	DisplayName  string     `json:"display_name"`
	LabelStatus  string     `json:"label_status"`
	Status       string     `json:"status"`
	CreatedAt    time.Time  `json:"created_at"`
	RevokedAt    *time.Time `json:"revoked_at"`
}

// mostSummaries is how many connections a template shows.
const mostSummaries = 100

func (c *call) templateOf(x *connectors.Connector) connectorTemplate {
	key := cmp.Or(x.Connector, x.Name)
	t := connectorTemplate{
		Object: "owner_connector_template", ConnectorID: key, ConnectorKey: key, DisplayName: cmp.Or(x.Title, key), Modality: x.Plan.Modality, Plan: x.Plan,
		Streams: x.Streams, Count: len(x.Uses), Connections: []summary{}, Actions: []action{}, Key: x.Connector, Connector: *x,
	}
	if x.Problem == nil {
		t.Actions = c.actionsOnTemplate()
	}
	for _, u := range x.Uses[:min(len(x.Uses), mostSummaries)] {
		t.Connections = append(t.Connections, summary{
			"owner_connection_summary", u.ID, u.ID, key, key, u.Name, labelOf(u.Name, key), statusOf(u.Accepted, !u.RevokedAt.IsZero()), u.CreatedAt, owner.Moment(u.RevokedAt),
		})
	}
	return t
}

func (c *call) listConnectors() (*wire.List[connectorTemplate], error) {
	all, err := connectors.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	list := make([]connectorTemplate, len(all))
	for i := range all {
		list[i] = c.templateOf(&all[i])
	}
	return pageOf(c, "connectors", list, func(x *connectorTemplate) string { return x.Name })
}

// intent wishes for a connection. It sets no secret, and accepts nothing.
type intent struct {
	Connector string `json:"connector_id"`
	Name      string `json:"display_name,omitempty"`
}

// intended is what the owner does for it, and where (RD-55).
type intended struct {
	Object       string    `json:"object"` // owner_connection_intent
	ConnectorID  string    `json:"connector_id"`
	ConnectorKey string    `json:"connector_key"`
	Modality     string    `json:"connector_modality"`
	DisplayName  string    `json:"display_name"`
	Active       bool      `json:"connection_active"` // false: there is none so far
	Readiness    readiness `json:"deployment_readiness"`
	Next         step      `json:"next_step"`

	connectors.Plan
}

// readiness is whether the host itself lacks something.
type readiness struct {
	State    string   `json:"state"` // not_applicable
	Guidance *string  `json:"guidance"`
	Blockers []string `json:"blockers"`
}

// step is what the owner does next: on a page of theirs, or on the command line.
type step struct {
	Kind    string `json:"kind"`
	Reason  string `json:"reason"`
	URL     string `json:"url,omitempty"`
	Command string `json:"command,omitempty"`
	Enroll  string `json:"enroll_endpoint,omitempty"` // where a device is invited
}

// reasons say what the owner does at a step.
var reasons = map[string]string{
	connectors.StepDevice: "the owner names its folder on this machine, or invites the device that has it",
	connectors.StepFile:   "the owner names the folder that it reads",
	connectors.StepSecret: "the owner accepts it and types its credentials, on the page or on the command line; no program does",
	connectors.StepByHand: "the owner accepts it, and the page asks for what it needs",
}

func (c *call) intend(in *intent) (*intended, error) {
	if err := installed(in.Connector); err != nil {
		return nil, err
	}
	i, err := connectors.Intend(c.Context(), c.owner, in.Connector, in.Name)
	if err != nil {
		return nil, err
	}
	next := step{Kind: i.Step, Reason: cmp.Or(i.Problem, reasons[i.Step])}
	if i.Problem == "" {
		next.URL, next.Command = c.Guard.Base(c.r)+"/add/"+url.PathEscape(in.Connector), "pdpp-host connections add "+i.Name+" "+in.Connector
	}
	if i.Step == connectors.StepDevice {
		next.Enroll = c.Guard.Base(c.r) + Prefix + "/device-invitations"
	}
	return &intended{
		Object: "owner_connection_intent", ConnectorID: in.Connector, ConnectorKey: cmp.Or(i.Connector, in.Connector), Modality: i.Modality, DisplayName: i.Name,
		Readiness: readiness{State: "not_applicable", Blockers: []string{}}, Next: next, Plan: i.Plan,
	}, nil
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
