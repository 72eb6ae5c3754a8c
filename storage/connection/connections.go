package connection

import (
	"context"
	"database/sql"
	"errors"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// EnsureConnection returns the connection called name, made when it is missing.
// One that belongs to another connector is connection.invalid.
func (s *Store) EnsureConnection(ctx context.Context, name, connector string) (*tables.Connection, error) {
	if name == "" {
		return nil, abi.NewError(abi.CodeConnectionInvalid, "a connection needs a name", "give it one with --connection")
	}
	var row *tables.ConnectionRow
	err := s.db.Alone(ctx, "make the connection", func(t *db.Tx) error {
		found := new(tables.ConnectionRow)
		err := t.DB.NewSelect().Model(found).Where("name = ?", name).Scan(t.Ctx)
		if errors.Is(err, sql.ErrNoRows) {
			found = &tables.ConnectionRow{
				ID: t.NewID(), Name: name, Connector: connector, Options: "{}", Roots: "{}", ReadRoots: "{}", Accepted: "[]", CreatedUS: db.Micros(t.Now),
			}
			if _, err = t.DB.NewInsert().Model(found).Exec(t.Ctx); err == nil {
				err = evidence.InsertRow(t, found)
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
	return row.Whole()
}

// Connection returns the connection of that name or id, or connection.unknown. Of one
// that cannot be read it returns what can beside the error.
func (s *Store) Connection(ctx context.Context, name string) (*tables.Connection, error) {
	row, err := tables.FindConnection(ctx, s.db.Read, name)
	if err != nil {
		return nil, s.db.Fail("read the connection", err)
	}
	return row.Whole()
}

// Connections returns all connections, by name, those that are Unreadable with them.
func (s *Store) Connections(ctx context.Context) ([]tables.Connection, error) {
	return s.connections(ctx, s.db.Read.NewSelect())
}

// ConnectionsOf returns the connections of those ids, by name. Those that are gone are left
// out.
func (s *Store) ConnectionsOf(ctx context.Context, ids []string) ([]tables.Connection, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return s.connections(ctx, s.db.Read.NewSelect().Where("id IN (?)", bun.List(ids)))
}

func (s *Store) connections(ctx context.Context, query *bun.SelectQuery) ([]tables.Connection, error) {
	var rows []tables.ConnectionRow
	if err := query.Model(&rows).Order("name").Scan(ctx); err != nil {
		return nil, s.db.Fail("read the connections", err)
	}
	out := make([]tables.Connection, 0, len(rows))
	for i := range rows {
		out = append(out, *rows[i].Public())
	}
	return out, nil
}

// UpdateConnection replaces the options and roots of the connection with c's id. Its name and
// its pin stay.
func (s *Store) UpdateConnection(ctx context.Context, c tables.Connection) error {
	options, err := tables.EncodeJSON(orEmpty(c.Options))
	if err != nil {
		return err
	}
	roots, err := tables.EncodeJSON(orEmpty(c.Roots))
	if err != nil {
		return err
	}
	return s.changeConnection(ctx, c.ID, &tables.ConnectionRow{ID: c.ID, Options: options, Roots: roots}, "options", "roots")
}

// KeepConnection changes what is the connection's own, in one step: name, options, roots
// and what its runs have read. change is given the row as it is, with maps to write
// to, so that nothing that was kept meanwhile is lost. Every other write waits for
// it: it only looks at what it is given. Its error leaves the row as it was, and so
// does one that cannot be read. It returns the connection as it is then.
func (s *Store) KeepConnection(ctx context.Context, id string, change func(own *tables.Connection) error) (*tables.Connection, error) {
	var own *tables.Connection
	err := s.db.Alone(ctx, "change the connection", func(t *db.Tx) error {
		was := new(tables.ConnectionRow)
		if err := t.DB.NewSelect().Model(was).Where("id = ?", id).Scan(t.Ctx); errors.Is(err, sql.ErrNoRows) {
			return tables.UnknownConnection(id)
		} else if err != nil {
			return err
		}
		var err error
		if own, err = was.Whole(); err != nil {
			return err
		}
		if err := change(own); err != nil {
			return err
		}
		row := &tables.ConnectionRow{ID: id}
		for column, m := range map[*string]*map[string]string{&row.Options: &own.Options, &row.Roots: &own.Roots, &row.ReadRoots: &own.ReadRoots} {
			*m = orEmpty(*m)
			if *column, err = tables.EncodeJSON(*m); err != nil {
				return err
			}
		}
		row.Name = own.Name
		if row.Name == was.Name && row.Options == was.Options && row.Roots == was.Roots && row.ReadRoots == was.ReadRoots {
			return nil
		}
		if row.Revision = was.Revision; row.Name != was.Name || row.Options != was.Options || row.Roots != was.Roots {
			row.Revision++
		}
		own.Revision = row.Revision
		if err := changeConnection(t, id, row, "options", "roots", "read_roots", "revision"); err != nil || row.Name == was.Name {
			return err
		}
		return rename(t, row)
	})
	if err != nil {
		return nil, err
	}
	return own, nil
}

// rename writes another name of a connection, which none has, as a name or as an id.
func rename(t *db.Tx, row *tables.ConnectionRow) error {
	taken, err := t.DB.NewSelect().Model((*tables.ConnectionRow)(nil)).Where("(name = ? OR id = ?) AND id != ?", row.Name, row.Name, row.ID).Exists(t.Ctx)
	if err != nil {
		return err
	}
	if taken || row.Name == "" {
		return abi.NewError(abi.CodeConnectionInvalid, "there is a connection of that name already", "choose another name")
	}
	if _, err := t.DB.NewUpdate().Model(row).WherePK().Column("name").Exec(t.Ctx); err != nil {
		return err
	}
	return evidence.Renamed(t, row.ID, row.Name)
}

func (s *Store) changeConnection(ctx context.Context, id string, row *tables.ConnectionRow, columns ...string) error {
	return s.db.Alone(ctx, "change the connection", func(t *db.Tx) error { return changeConnection(t, id, row, columns...) })
}

func changeConnection(t *db.Tx, id string, row *tables.ConnectionRow, columns ...string) error {
	was, err := readOwnersChoice(t, id)
	if err != nil {
		return err
	}
	res, err := t.DB.NewUpdate().Model(row).WherePK().Column(columns...).Exec(t.Ctx)
	if err != nil {
		return err
	}
	n, err := res.RowsAffected()
	switch {
	case err != nil:
		return err
	case n != 1:
		return tables.UnknownConnection(id)
	case row.PinnedManifest != "":
		return evidence.AskAgain(t, id)
	}
	if now, err := readOwnersChoice(t, id); err != nil {
		return err
	} else if now != was {
		return refusedNoMore(t, id)
	}
	_, err = evidence.ChangeOf(t, id) // how it stands is written again
	return err
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
