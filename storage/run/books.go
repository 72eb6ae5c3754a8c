package run

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// Books returns what became of the files of a connection's folders in the last run that
// looked at all of them, and what their owner has said of files.
// Both are zero before the first such run.
func (s *Store) Books(ctx context.Context, connectionID string) (b tables.Books, ignores []manifest.Word, err error) {
	var rows []tables.BooksRow
	if err := s.db.Read.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).Scan(ctx); err != nil {
		return b, nil, s.db.Fail("read the books of a connection", err)
	}
	if len(rows) == 0 {
		return b, nil, nil
	}
	b, ignores, err = rows[0].Read()
	return b, ignores, s.db.Fail("read the books of a connection", err)
}

// Ignore replaces what the owner of a connection says of files.
// left says which files nothing explains from then on, so that the owner's word holds without
// another run.
func (s *Store) Ignore(ctx context.Context, connectionID string, change func(ignores []manifest.Word) []manifest.Word, left func(tables.Books, []manifest.Word) tables.Books) error {
	return s.db.Alone(ctx, "change which files a connection leaves alone", func(t *db.Tx) error {
		return changeBooks(t, connectionID, func(row *tables.BooksRow) error {
			b, ignores, err := row.Read()
			if err != nil {
				return err
			}
			ignores = change(ignores)
			b = left(b, ignores)
			if err := row.Fill(&b); err != nil {
				return err
			}
			return row.Say(ignores)
		})
	})
}

// Fields returns which fields carry data, by stream, as the last runs with enough records found
// them. It is empty before the first such run.
func (s *Store) Fields(ctx context.Context, connectionID string) (map[string]tables.Fields, error) {
	var rows []tables.BooksRow
	err := s.db.Read.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).Scan(ctx)
	if err == nil {
		fields, e := append(rows, tables.BooksRow{})[0].ReadFields()
		if e == nil {
			return fields, nil
		}
		err = e
	}
	return nil, s.db.Fail("read which fields of a connection carry data", err)
}

// keepBooks keeps those of a run that ended, what it said of files if it has none, and which fields of its records
// carry data.
func keepBooks(t *db.Tx, connectionID string, o *Outcome) error {
	if o.Books == nil && o.Fields == nil && len(o.Amiss.Files)+len(o.Amiss.Open) == 0 {
		return nil
	}
	return changeBooks(t, connectionID, func(row *tables.BooksRow) (err error) {
		if o.Fields != nil {
			if row.Fields, err = tables.EncodeJSON(o.Fields); err != nil {
				return err
			}
		}
		if o.Books != nil {
			return row.Take(o.Books)
		}
		b, words, err := row.Read()
		said := tables.Books{Amiss: o.Amiss}
		said.Leave(words)
		if err != nil || !b.Amiss.Unsettle(said.Amiss) {
			return err
		}
		return row.Fill(&b)
	})
}

func changeBooks(t *db.Tx, connectionID string, change func(row *tables.BooksRow) error) error {
	row := tables.BooksRow{ConnectionID: connectionID}
	var rows []tables.BooksRow
	if err := t.DB.NewSelect().Model(&rows).Where("connection_id = ?", connectionID).Scan(t.Ctx); err != nil {
		return err
	}
	if len(rows) > 0 {
		row = rows[0]
	}
	if err := change(&row); err != nil {
		return err
	}
	_, err := t.DB.NewInsert().Model(&row).On("CONFLICT (connection_id) DO UPDATE").
		Set("begun_ms = EXCLUDED.begun_ms, unread = EXCLUDED.unread, beyond = EXCLUDED.beyond, read_nothing = EXCLUDED.read_nothing, ignores = EXCLUDED.ignores, words = EXCLUDED.words, amiss = EXCLUDED.amiss").
		Set("fields = EXCLUDED.fields").Exec(t.Ctx)
	if err != nil {
		return err
	}
	return evidence.BooksMoved(t, connectionID)
}
