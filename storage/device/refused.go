package device

import (
	"context"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// refusedAgain is how often the time of one refusal that comes again is written.
const refusedAgain = time.Minute

// maxRefusal bounds what is kept of a refusal's words, in bytes.
const maxRefusal = 500

// RefuseDelivery keeps that a delivery of a source was refused, and why, until one
// is taken. The words must hold no value of a record.
func (s *Store) RefuseDelivery(ctx context.Context, src *SourceInstance, code, message string) error {
	code, message = labelOf(code), printable(message, maxRefusal)
	if r := src.Refused; r != nil && r.Code == code && r.Message == message && s.db.Now().Sub(r.At) < refusedAgain {
		return nil
	}
	return s.db.Alone(ctx, "keep the refusal", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "UPDATE source_instances SET refused_us = ?, refused_code = ?, refused_says = ? WHERE id = ?",
			db.Micros(t.Now), code, message, src.ID)
		return err
	})
}

// clearRefusal forgets what was refused before.
func clearRefusal(t *db.Tx, src *tables.SourceJoined) error {
	if src.RefusedUS == 0 {
		return nil
	}
	_, err := t.DB.ExecContext(t.Ctx, "UPDATE source_instances SET refused_us = 0, refused_code = '', refused_says = '' WHERE id = ?", src.ID)
	return err
}
