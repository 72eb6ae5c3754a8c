package connection

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// PinPlugin keeps the module that the owner of a connection accepted: its hash, its manifest
// as it was then, and what else was accepted by name. Items accepted by name before stay
// while the module is the same, and have to be named again for another: nobody has looked at
// what that would do with it. The connection is no longer refused for a module that nobody
// accepted.
func (s *Store) PinPlugin(ctx context.Context, connectionID, sha256 string, manifest []byte, items ...tables.AcceptedItem) error {
	return s.db.Alone(ctx, "accept the module", func(t *db.Tx) error {
		was, err := tables.FindConnection(t.Ctx, t.DB, connectionID)
		if err != nil {
			return err
		}
		all := append([]tables.AcceptedItem{}, items...)
		if was.PinnedSHA256 == sha256 {
			all = append(all, was.Public().Accepted...)
		}
		slices.SortFunc(all, func(a, b tables.AcceptedItem) int {
			return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
		})
		row := &tables.ConnectionRow{ID: was.ID, PinnedSHA256: sha256, PinnedManifest: string(manifest)}
		if row.Accepted, err = tables.EncodeJSON(slices.Compact(all)); err != nil {
			return err
		}
		if err := changeConnection(t, was.ID, row, "pinned_sha256", "pinned_manifest", "accepted", "revoked_us"); err != nil {
			return err
		}
		_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM dispatches WHERE connection_id = ? AND status = ? AND reason = ?",
			was.ID, statusRefused, string(abi.CodePluginNotAccepted))
		if err != nil {
			return err
		}
		return updateHold(t, was.ID)
	})
}

// RevokeConnection takes back what the owner of a connection accepted, so that nothing of it runs
// until they accept a module again. The records stay, with the manifest that they were
// collected by. It reports whether anything was accepted; where nothing was, it leaves no event.
func (s *Store) RevokeConnection(ctx context.Context, connectionID string) (done bool, err error) {
	err = s.db.Alone(ctx, "revoke the connection", func(t *db.Tx) error {
		was, err := tables.FindConnection(t.Ctx, t.DB, connectionID)
		if err != nil {
			return err
		}
		if done = was.PinnedSHA256 != ""; !done {
			return errNotAccepted // nothing is kept
		}
		row := &tables.ConnectionRow{ID: was.ID, PinnedManifest: was.PinnedManifest, Accepted: "[]", RevokedUS: db.Micros(t.Now)}
		return changeConnection(t, was.ID, row, "pinned_sha256", "accepted", "revoked_us")
	})
	if errors.Is(err, errNotAccepted) {
		err = nil
	}
	return done, err
}

var errNotAccepted = errors.New("nothing was accepted")
