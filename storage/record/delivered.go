package record

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// EachKeys is how many keys one statement asks for.
const EachKeys = 500

// RememberKeys keeps the keys of a batch that is handed on.
func RememberKeys(t *db.Tx, to *Target, b *Batch) error {
	for i := range b.rows {
		r := &b.rows[i]
		if st := to.Streams[r.stream]; st.ByKey {
			_, err := t.DB.ExecContext(t.Ctx, "INSERT INTO delivered_keys (stream_id, key) VALUES (?, ?) ON CONFLICT DO NOTHING", st.ID, b.text(r.at, r.key))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Delivered adds to found those of the keys under which the table has a record of the
// stream, and takes away those that a run has rejected since.
func Delivered(ctx context.Context, d *db.DB, table bun.Ident, stream int64, keys []string, found map[string]bool) error {
	var whole []string
	err := d.Read.NewRaw("SELECT key FROM ? WHERE stream_id = ? AND key IN (?)", table, stream, bun.List(keys)).Scan(ctx, &whole)
	if err != nil {
		return err
	}
	for _, key := range whole {
		found[key] = true
	}
	hashes := make([][]byte, 0, len(keys))
	byHash := make(map[KeyHash]string, len(keys))
	for _, key := range keys {
		hash := HashKey([]byte(key))
		hashes, byHash[hash] = append(hashes, hash[:]), key
		if found[key] {
			continue
		}
		var parts bool
		err := d.Read.NewRaw("SELECT EXISTS (SELECT 1 FROM ? WHERE stream_id = ? AND key >= ? AND key < ?)",
			table, stream, key+":", key+";").Scan(ctx, &parts)
		if err != nil {
			return err
		}
		found[key] = parts
	}
	var rejected [][]byte
	err = d.Read.NewRaw("SELECT key_sha256 FROM rejected_records WHERE stream_id = ? AND key_sha256 IN (?)", stream, bun.List(hashes)).Scan(ctx, &rejected)
	for _, hash := range rejected {
		delete(found, byHash[KeyHash(hash)])
	}
	return err
}
