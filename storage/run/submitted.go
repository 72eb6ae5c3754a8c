package run

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// KeepSubmitted keeps whether a secret of the owner's stands with a site that has not let the run
// in, and is durable when it returns. A run whose host is killed meanwhile has no other end, and
// is its owner's to repeat.
func (w *Writer) KeepSubmitted(ctx context.Context, submitted bool) error {
	row := tables.RunRow{PK: w.To.RunPK}
	if submitted {
		var err error
		row.Error, err = tables.EncodeJSON(tables.RunError{
			Code: string(abi.CodeInterrupted), Message: "the host ended after a credential may have been sent, before the site had let the run in",
			RecoveryHint: "manual_action_required", Submitted: true,
		})
		if err != nil {
			return err
		}
	}
	return w.await(ctx, func(t *db.Tx) error {
		if _, err := t.DB.NewUpdate().Model(&row).WherePK().Column("error").Exec(t.Ctx); err != nil {
			return err
		}
		return evidence.RunSubmitted(t, w.To.ConnectionID, submitted)
	})
}
