package tables

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// ConnectionRow is a row of connections.
type ConnectionRow struct {
	bun.BaseModel `bun:"table:connections"`

	ID             string `bun:"id,pk"`
	Name           string `bun:"name"`
	Connector      string `bun:"connector"`
	Options        string `bun:"options"`
	Roots          string `bun:"roots"`
	PinnedSHA256   string `bun:"pinned_sha256"`
	PinnedManifest string `bun:"pinned_manifest"`
	ReadRoots      string `bun:"read_roots"`
	Accepted       string `bun:"accepted"`
	Revision       int64  `bun:"revision"`
	CreatedUS      int64  `bun:"created_us"`
	RevokedUS      int64  `bun:"revoked_us"`
}

// Connection is one configured source: a connector with its options, its
// granted folders and the module that its owner accepted. It holds no secret.
type Connection struct {
	ID             string            `json:"id"`
	Name           string            `json:"name"`      // unique
	Connector      string            `json:"connector"` // the manifest's connector_key
	Options        map[string]string `json:"options"`
	Roots          map[string]string `json:"roots"`
	PinnedSHA256   string            `json:"pinned_sha256"` // "" before its owner accepted a module
	PinnedManifest []byte            `json:"-"`
	Accepted       []AcceptedItem    `json:"accepted"`   // by name, with that module
	ReadRoots      map[string]string `json:"read_roots"` // the folders its runs have read, see KeepConnection
	CreatedAt      time.Time         `json:"created_at"`
	RevokedAt      time.Time         `json:"-"`        // since when its owner lets nothing of it run; zero: they have not said so
	Revision       int64             `json:"revision"` // one more with each change of its options or roots
	// Unreadable says that its options or folders cannot be read; they are empty then,
	// and no run may begin with them. nil: they can.
	Unreadable *abi.Error `json:"-"`
}

// AcceptedItem is one thing that an owner accepted by name.
type AcceptedItem struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// String returns the item as its owner writes it.
func (i AcceptedItem) String() string { return i.Kind + "=" + i.Name }

// Accepts reports whether the connection's owner accepted that thing by name.
func (c *Connection) Accepts(kind, name string) bool {
	return slices.Contains(c.Accepted, AcceptedItem{kind, name})
}

// The kinds of things that an owner accepts by name, and never with the rest of what
// a module asks for.
const (
	AcceptVariable = "variable" // a credential's variable that does not carry the connector's name
	AcceptFolder   = "folder"   // a place of other programs' secrets, as ~/.ssh
	AcceptSlot     = "slot"     // a credential slot that sends its secret to an unusual place
)

// UnknownConnection returns the error connection.unknown.
func UnknownConnection(name string) *abi.Error {
	return abi.NewError(abi.CodeConnectionUnknown, "no connection is called "+name,
		"`pdpp-host connections list` shows the ones there are")
}

// Public returns the connection, and what cannot be read of it as Unreadable.
func (r *ConnectionRow) Public() *Connection {
	c := &Connection{
		ID: r.ID, Name: r.Name, Connector: r.Connector, PinnedSHA256: r.PinnedSHA256,
		PinnedManifest: JSONBytes(r.PinnedManifest), CreatedAt: db.Time(r.CreatedUS), RevokedAt: db.Time(r.RevokedUS), Revision: r.Revision,
	}
	if json.Unmarshal([]byte(r.Accepted), &c.Accepted) != nil {
		c.Accepted = nil // what cannot be read was not accepted
	}
	if c.Unreadable = r.decode(c); c.Unreadable != nil {
		c.Options, c.Roots, c.ReadRoots = nil, nil, nil
	}
	return c
}

// decode fills c's options and folders. Its error quotes none of them (Invariant 5).
func (r *ConnectionRow) decode(c *Connection) *abi.Error {
	for _, part := range []struct {
		text string
		to   *map[string]string
	}{{r.Options, &c.Options}, {r.Roots, &c.Roots}, {r.ReadRoots, &c.ReadRoots}} {
		if json.Unmarshal([]byte(part.text), part.to) != nil || *part.to == nil {
			return abi.NewError(abi.CodeStoreCorrupt, "the options or folders of connection "+r.Name+" cannot be read",
				"restore the data folder from a back-up, or remove the connection and add it again; the other connections are not affected")
		}
	}
	return nil
}

// Unreadable reports whether the options or folders cannot be read.
func (r *ConnectionRow) Unreadable() bool { return r.decode(new(Connection)) != nil }

// Whole returns the connection, and an error beside it when it cannot be read.
func (r *ConnectionRow) Whole() (*Connection, error) {
	c := r.Public()
	if c.Unreadable != nil {
		return c, c.Unreadable
	}
	return c, nil
}

// FindConnection reads a connection by name, or by id.
func FindConnection(ctx context.Context, q bun.IDB, name string) (*ConnectionRow, error) {
	var rows []ConnectionRow
	if err := q.NewSelect().Model(&rows).Where("name = ? OR id = ?", name, name).Scan(ctx); err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i], nil
		}
	}
	if len(rows) == 0 {
		return nil, UnknownConnection(name)
	}
	return &rows[0], nil
}
