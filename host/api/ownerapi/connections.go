package ownerapi

import (
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/credentials"
	"github.com/pdpp-host/pdpp-host/host/owner/running"
	"github.com/pdpp-host/pdpp-host/host/owner/unread"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// connection is a connection with the members that other hosts' programs know it by
// (RD-53.2).
type connection struct {
	Object           string          `json:"object"` // owner_connection
	ConnectionID     string          `json:"connection_id"`
	OldID            string          `json:"connector_instance_id"`
	ConnectorID      string          `json:"connector_id"`
	ConnectorKey     string          `json:"connector_key"`
	DisplayName      string          `json:"display_name"`
	LabelStatus      string          `json:"label_status"` // owner_set; fallback: it is called after its connector
	Status           string          `json:"status"`       // active; waiting: for its owner to accept a module; revoked
	RevokedAt        *time.Time      `json:"revoked_at"`
	Schedule         *owner.Schedule `json:"schedule"` // null: a device has its own
	SupportedActions []action        `json:"supported_actions"`

	owner.Connection
}

func (c *call) connectionOf(conn *owner.Connection) *connection {
	return &connection{
		Object: "owner_connection", ConnectionID: conn.ID, OldID: conn.ID, ConnectorID: conn.Connector, ConnectorKey: conn.Connector, DisplayName: conn.Name,
		LabelStatus: labelOf(conn.Name, conn.Connector), Status: statusOf(conn.PinnedSHA256 != "", conn.RevokedAt != nil), RevokedAt: conn.RevokedAt,
		Schedule: conn.Schedule, SupportedActions: c.actionsOn(conn.ID, len(conn.Devices) > 0), Connection: *conn,
	}
}

func labelOf(name, connector string) string {
	if name == connector {
		return "fallback"
	}
	return "owner_set"
}

func statusOf(accepted, revoked bool) string {
	switch {
	case revoked:
		return "revoked"
	case !accepted:
		return "waiting"
	}
	return "active"
}

func (c *call) listConnections() (*wire.List[connection], error) {
	list := "connections " + c.query["connector_id"]
	after, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	page, next, err := c.owner.Connections(c.Context(), c.query["connector_id"], after, c.rows)
	if err != nil {
		return nil, err
	}
	all := make([]connection, len(page))
	for i := range page {
		all[i] = *c.connectionOf(&page[i])
	}
	if next != "" {
		next = wire.NewCursor(list, next)
	}
	return wire.NewList(all, next, c.r.URL), nil
}

func (c *call) showConnection() (*connection, error) {
	conn, err := c.owner.Connection(c.Context(), c.r.PathValue("connection"))
	if err != nil {
		return nil, err
	}
	c.tag = conn.Revision
	return c.connectionOf(conn), nil
}

func (c *call) revokeConnection(*struct{}) (*connection, error) {
	conn, err := c.owner.RevokeConnection(c.Context(), c.r.PathValue("connection"))
	if err != nil {
		return nil, err
	}
	return c.connectionOf(conn), nil
}

// newConnection asks for a connection. Accept is the hash of the module whose terms its
// owner has seen; without it the connection is made, and waits for its owner.
type newConnection struct {
	Name      string            `json:"name"`
	Connector string            `json:"connector"`
	Roots     map[string]string `json:"roots,omitempty"`
	Options   map[string]string `json:"options,omitempty"`
	Accept    string            `json:"accept_sha256,omitempty"`
}

func (c *call) addConnection(in *newConnection) (*connection, error) {
	if err := installed(in.Connector); err != nil {
		return nil, err
	}
	if err := absolute(in.Roots); err != nil {
		return nil, err
	}
	n := owner.NewConnection{Name: in.Name, Connector: in.Connector, Roots: in.Roots, Options: in.Options, Consent: connectors.Unasked{}}
	if in.Accept != "" {
		n.Consent = connectors.ShownModule(in.Accept)
	}
	conn, err := c.owner.AddConnection(c.Context(), n)
	if err != nil {
		return nil, err
	}
	c.tag = conn.Revision
	c.w.Header().Set("Location", Prefix+"/connections/"+conn.Name)
	return c.connectionOf(conn), nil
}

// installed refuses a path in the place of a name: a token opens no file of this machine
// that its owner has not installed.
func installed(name string) error {
	if name == "" || name != filepath.Base(name) || filepath.Ext(name) != "" && filepath.Ext(name) == ".wasm" || name == "." || name == ".." {
		return wire.Invalid("connector", "is not the name of an installed connector")
	}
	return nil
}

func absolute(roots map[string]string) error {
	for _, path := range roots {
		if !filepath.IsAbs(path) {
			return wire.Invalid("roots", "has a folder that is no absolute path")
		}
	}
	return nil
}

// connectionChange says what is to change about a connection's name, folders and options.
type connectionChange struct {
	Name    string            `json:"display_name,omitempty"`
	Roots   map[string]string `json:"roots,omitempty"`
	Options map[string]string `json:"options,omitempty"`
	Unset   []string          `json:"unset,omitempty"`
	Accept  bool              `json:"accept_root,omitempty"` // another folder or address than its runs have used is meant
}

func (c *call) changeConnection(in *connectionChange) (*owner.Changed, error) {
	if err := absolute(in.Roots); err != nil {
		return nil, err
	}
	done, err := c.owner.ChangeConnection(c.Context(), owner.ConnectionChange{
		Connection: c.r.PathValue("connection"), Name: in.Name, Roots: in.Roots, Options: in.Options, Unset: in.Unset, AcceptRoot: in.Accept, If: c.ifMatch(),
	})
	if err != nil {
		return nil, err
	}
	c.tag = done.Connection.Revision
	return done, nil
}

func (c *call) removeConnection() (*owner.Removed, error) {
	return c.owner.RemoveConnection(c.Context(), c.r.PathValue("connection"), func(r owner.Removed) error {
		if c.query["confirm"] != r.Connection {
			return wire.Invalid("confirm", "is not the connection's name")
		}
		return nil
	})
}

func (c *call) health() (*owner.Health, error) {
	return c.owner.Health(c.Context(), c.r.PathValue("connection"), c.query["detail"] != "")
}

// scheduleChange is a schedule as it is to be.
type scheduleChange struct {
	Mode     string `json:"mode"` // automatic, manual, recommended
	EverySec int64  `json:"every_seconds,omitempty"`
}

var modes = map[string]schedule.Mode{"automatic": schedule.Automatic, "manual": schedule.ByHand, "recommended": schedule.AsRecommended}

func (c *call) showSchedule() (*owner.Schedule, error) {
	return c.setSchedule(owner.ScheduleChange{})
}

func (c *call) putSchedule(in *scheduleChange) (*owner.Schedule, error) {
	mode, known := modes[in.Mode]
	if !known {
		return nil, wire.Invalid("mode", "is not one of: automatic, manual, recommended")
	}
	const most = int64(time.Duration(1<<63-1) / time.Second)
	if in.EverySec < 0 || in.EverySec > most {
		return nil, wire.Invalid("every_seconds", "is no number of seconds")
	}
	if mode != schedule.Automatic && in.EverySec != 0 {
		return nil, wire.Invalid("every_seconds", "is for the mode automatic alone")
	}
	return c.setSchedule(owner.ScheduleChange{Mode: &mode, Every: time.Duration(in.EverySec) * time.Second, If: c.ifMatch()})
}

func (c *call) pause(*struct{}) (*owner.Schedule, error) {
	return c.setSchedule(owner.ScheduleChange{Pause: true})
}

func (c *call) resume(*struct{}) (*owner.Schedule, error) {
	return c.setSchedule(owner.ScheduleChange{Resume: true})
}

func (c *call) setSchedule(change owner.ScheduleChange) (*owner.Schedule, error) {
	set, err := c.owner.SetSchedule(c.Context(), c.r.PathValue("connection"), change)
	if err != nil {
		return nil, err
	}
	c.tag = set.Schedule.Revision
	return set.Schedule, nil
}

func (c *call) listCredentials() (*owner.Credentials, error) {
	return c.owner.Credentials(c.Context(), c.r.PathValue("connection"))
}

// credentialValue is the value of a credential. No answer has it.
type credentialValue struct {
	Value string `json:"value"`
}

func (c *call) setCredential(in *credentialValue) (*credentials.StoredCredential, error) {
	clear(c.body)
	if in.Value == "" {
		return nil, wire.Invalid("value", "is empty")
	}
	return credentials.Set(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("field"), func(string, string) ([]byte, error) {
		return []byte(in.Value), nil
	})
}

func (c *call) removeCredential() (*credentials.RemovedCredential, error) {
	return credentials.Remove(c.Context(), c.owner, c.r.PathValue("connection"), c.r.PathValue("field"))
}

func (c *call) signOut() (*running.SignedOut, error) {
	return running.SignOut(c.Context(), c.owner, c.r.PathValue("connection"))
}

// filesDecision is an owner's word on files that were not understood.
type filesDecision struct {
	Ignore []string `json:"ignore,omitempty"` // files of the list, which may stay as they are, and patterns of files that are not for the connection
	Heed   []string `json:"heed,omitempty"`   // earlier ones that hold no longer
}

func (c *call) showFiles() (*leftover.Files, error) {
	return unread.Show(c.Context(), c.owner, c.r.PathValue("connection"))
}

func (c *call) decideFiles(in *filesDecision) (*leftover.Files, error) {
	return unread.Decide(c.Context(), c.owner, c.r.PathValue("connection"), leftover.Change(*in))
}
