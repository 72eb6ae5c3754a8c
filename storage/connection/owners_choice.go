package connection

import (
	"database/sql"
	"errors"

	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// ownersChoice is what of a connection its owner changes, as it is stored.
type ownersChoice struct{ options, roots, readRoots string }

// ownersChoice reads it; the zero one where there is no such connection.
func readOwnersChoice(t *db.Tx, id string) (o ownersChoice, err error) {
	err = t.DB.QueryRowContext(t.Ctx, "SELECT options, roots, read_roots FROM connections WHERE id = ?", id).Scan(&o.options, &o.roots, &o.readRoots)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return o, err
}

// refusedNoMore forgets what the connection was refused for as it was before, with no run
// begun since: nothing else would tell that its owner has put that right, and after so many
// refusals in a row that none is tried any more it would wait for good. An obstacle that
// remains is met again.
func refusedNoMore(t *db.Tx, id string) error {
	run, err := evidence.GatherIn(t).NewestRun(id)
	if err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM dispatches WHERE connection_id = ? AND after_run = ? AND status = ? AND holds = ?",
		id, run, statusRefused, string(stored.HeldForOwner))
	if err != nil {
		return err
	}
	return updateHold(t, id)
}
