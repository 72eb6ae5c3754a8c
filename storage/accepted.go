package storage

import (
	"github.com/pdpp-host/pdpp-host/storage/internal/db"

	"cmp"
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// PinPlugin keeps the module that the owner of a connection accepted: its hash, its
// manifest as it was then, and what else was accepted by name. What was accepted by
// name before stays while the module is the same one, and is told anew for another:
// nobody has looked at what that would do with it. The connection is no longer refused
// for a module that nobody accepted.
func (s *Store) PinPlugin(ctx context.Context, connectionID, sha256 string, manifest []byte, items ...AcceptedItem) error {
	return s.db.Alone(ctx, "accept the module", func(t *db.Tx) error {
		was, err := named(t.Ctx, t.DB, connectionID)
		if err != nil {
			return err
		}
		all := append([]AcceptedItem{}, items...)
		if was.PinnedSHA256 == sha256 {
			all = append(all, was.public().Accepted...)
		}
		slices.SortFunc(all, func(a, b AcceptedItem) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name)) })
		row := &connectionRow{ID: was.ID, PinnedSHA256: sha256, PinnedManifest: string(manifest)}
		if row.Accepted, err = encode(slices.Compact(all)); err != nil {
			return err
		}
		if err := changeConnection(t, was.ID, row, "pinned_sha256", "pinned_manifest", "accepted"); err != nil {
			return err
		}
		_, err = t.DB.ExecContext(t.Ctx, "DELETE FROM dispatches WHERE connection_id = ? AND status = ? AND reason = ?",
			was.ID, statusRefused, string(abi.CodePluginNotAccepted))
		if err != nil {
			return err
		}
		return held(t, was.ID)
	})
}
