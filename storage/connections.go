package storage

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Connection is one configured source: a connector with its options, its
// granted folders and the module it was first run with. It holds no secret.
type Connection struct {
	ID             string            `json:"id"`
	Name           string            `json:"name"`      // unique
	Connector      string            `json:"connector"` // the manifest's connector_key
	Options        map[string]string `json:"options"`
	Roots          map[string]string `json:"roots"`
	PinnedSHA256   string            `json:"pinned_sha256"` // "" before the first run
	PinnedManifest []byte            `json:"-"`
	ReadRoots      map[string]string `json:"read_roots"` // the folders its runs have read, see PinRoots
	CreatedAt      time.Time         `json:"created_at"`
}

func unknownConnection(name string) *abi.Error {
	return abi.NewError(abi.CodeConnectionUnknown, "no connection is called "+name,
		"`pdpp-host connections list` shows the ones there are")
}

func (r *connectionRow) public() (*Connection, error) {
	c := &Connection{
		ID: r.ID, Name: r.Name, Connector: r.Connector, PinnedSHA256: r.PinnedSHA256,
		PinnedManifest: jsonBytes(r.PinnedManifest), CreatedAt: at(r.CreatedUS),
	}
	return c, errors.Join(json.Unmarshal([]byte(r.Options), &c.Options), json.Unmarshal([]byte(r.Roots), &c.Roots),
		json.Unmarshal([]byte(r.ReadRoots), &c.ReadRoots))
}

// named reads a connection by name, or by id.
func named(ctx context.Context, db bun.IDB, name string) (*connectionRow, error) {
	var rows []connectionRow
	if err := db.NewSelect().Model(&rows).Where("name = ? OR id = ?", name, name).Scan(ctx); err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].Name == name {
			return &rows[i], nil
		}
	}
	if len(rows) == 0 {
		return nil, unknownConnection(name)
	}
	return &rows[0], nil
}

// EnsureConnection returns the connection called name, made when it is missing.
// One that belongs to another connector is connection.invalid.
func (s *Store) EnsureConnection(ctx context.Context, name, connector string) (*Connection, error) {
	if name == "" {
		return nil, abi.NewError(abi.CodeConnectionInvalid, "a connection needs a name", "give it one with --connection")
	}
	var row *connectionRow
	err := s.alone(ctx, "make the connection", func(t *tx) error {
		found := new(connectionRow)
		err := t.db.NewSelect().Model(found).Where("name = ?", name).Scan(t.ctx)
		if errors.Is(err, sql.ErrNoRows) {
			found = &connectionRow{
				ID: s.newID(), Name: name, Connector: connector, Options: "{}", Roots: "{}", ReadRoots: "{}", CreatedUS: micros(t.now),
			}
			if _, err = t.db.NewInsert().Model(found).Exec(t.ctx); err == nil {
				err = t.newEvidence(found)
			}
		}
		row = found
		return err
	})
	if err != nil {
		return nil, err
	}
	if row.Connector != connector {
		return nil, abi.NewError(abi.CodeConnectionInvalid, "connection "+name+" belongs to connector "+row.Connector,
			"choose another name with --connection").WithDetail("asked for connector " + connector)
	}
	return row.public()
}

// Connection returns the connection of that name or id, or connection.unknown.
func (s *Store) Connection(ctx context.Context, name string) (*Connection, error) {
	row, err := named(ctx, s.read, name)
	if err != nil {
		return nil, s.fail("read the connection", err)
	}
	return row.public()
}

// Connections returns all connections, by name.
func (s *Store) Connections(ctx context.Context) ([]Connection, error) {
	var rows []connectionRow
	if err := s.read.NewSelect().Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.fail("read the connections", err)
	}
	out := make([]Connection, 0, len(rows))
	for i := range rows {
		c, err := rows[i].public()
		if err != nil {
			return nil, s.fail("read the connections", err)
		}
		out = append(out, *c)
	}
	return out, nil
}

// UpdateConnection replaces the options and roots of the connection with c's
// id. What names it, and its pin, stay.
func (s *Store) UpdateConnection(ctx context.Context, c Connection) error {
	options, err := encode(orEmpty(c.Options))
	if err != nil {
		return err
	}
	roots, err := encode(orEmpty(c.Roots))
	if err != nil {
		return err
	}
	return s.changeConnection(ctx, c.ID, &connectionRow{ID: c.ID, Options: options, Roots: roots}, "options", "roots")
}

// PinPlugin keeps the module that the connection runs: its hash, and its
// manifest as it was when the owner accepted it.
func (s *Store) PinPlugin(ctx context.Context, connectionID, sha256 string, manifest []byte) error {
	row := &connectionRow{ID: connectionID, PinnedSHA256: sha256, PinnedManifest: string(manifest)}
	return s.changeConnection(ctx, connectionID, row, "pinned_sha256", "pinned_manifest")
}

// PinRoots keeps the folders that the connection's runs read, by root name.
func (s *Store) PinRoots(ctx context.Context, connectionID string, roots map[string]string) error {
	text, err := encode(orEmpty(roots))
	if err != nil {
		return err
	}
	return s.changeConnection(ctx, connectionID, &connectionRow{ID: connectionID, ReadRoots: text}, "read_roots")
}

func (s *Store) changeConnection(ctx context.Context, id string, row *connectionRow, columns ...string) error {
	return s.alone(ctx, "change the connection", func(t *tx) error {
		res, err := t.db.NewUpdate().Model(row).WherePK().Column(columns...).Exec(t.ctx)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		switch {
		case err != nil:
			return err
		case n != 1:
			return unknownConnection(id)
		case row.PinnedManifest != "":
			return t.remakeEvidence(id)
		}
		return nil
	})
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
