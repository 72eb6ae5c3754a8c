package record

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// EachKeys is how many keys one statement asks for.
const EachKeys = 500

// RememberKeys keeps the keys of a batch that is handed on: those that the run may ask for,
// and those of a stream that was ever enumerated.
func RememberKeys(t *db.Tx, to *Target, b *Batch) error {
	for i := range b.rows {
		r := &b.rows[i]
		st := to.Streams[r.stream]
		open, err := to.enumerated(t, st.ID)
		switch {
		case err != nil:
		case st.ByKey && !r.moved, open && !r.del:
			err = rememberKey(t, st.ID, b.text(r.at, r.key))
		case open:
			err = forgetKey(t, st.ID, b.text(r.at, r.key))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// enumerated reports whether a stream was ever enumerated.
func (to *Target) enumerated(t *db.Tx, stream int64) (some bool, err error) {
	if to.active[stream] != nil {
		return true, nil
	}
	some, known := to.lists[stream]
	if known {
		return some, nil
	}
	err = t.DB.QueryRowContext(t.Ctx, "SELECT EXISTS (SELECT 1 FROM enumerations WHERE stream_id = ?)", stream).Scan(&some)
	if to.lists == nil {
		to.lists = map[int64]bool{}
	}
	to.lists[stream] = some
	return some, err
}

// rememberKey keeps a key, and that its record was there now: an enumeration that began before
// may never meet it.
func rememberKey(t *db.Tx, stream int64, key string) error {
	seq, err := OpenSequence(t)
	if err != nil {
		return err
	}
	_, err = t.DB.ExecContext(t.Ctx, `INSERT INTO delivered_keys (stream_id, key, seq) VALUES (?, ?, ?)
ON CONFLICT (stream_id, key) DO UPDATE SET seq = EXCLUDED.seq WHERE delivered_keys.seq < EXCLUDED.seq`, stream, key, seq.Last)
	return err
}

func forgetKey(t *db.Tx, stream int64, key string) error {
	_, err := t.DB.ExecContext(t.Ctx, "DELETE FROM delivered_keys WHERE stream_id = ? AND key = ?", stream, key)
	return err
}

// handOn hands on the tombstones of records that an enumeration has not met.
func handOn(t *db.Tx, to *Target, stream int64, keys []string) error {
	for _, key := range keys {
		if err := forgetKey(t, stream, key); err != nil {
			return err
		}
	}
	return to.HandOn(t, stream, keys)
}

// keys is the table that has the keys of a stream's records.
func (o *opened) keys() string {
	if o.handed {
		return "delivered_keys"
	}
	return "records"
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
