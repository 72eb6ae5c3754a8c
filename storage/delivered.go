package storage

import (
	"context"
	"slices"

	"github.com/uptrace/bun"
)

// eachKeys is how many keys one statement asks for.
const eachKeys = 500

// KeepsRecords reports whether the records that the run delivers stay in the store.
// A collector's outbox hands them on.
func (w *RunWriter) KeepsRecords() bool { return w.s.opts.Lane == nil }

// Delivered returns those of the keys under which the store has a record of the
// stream, or its tombstone, whichever run delivered it, and which no run has rejected
// since. Where one detail holds several records, each of their keys begins with the
// detail's own and a colon. It waits until everything queued before is durable.
func (w *RunWriter) Delivered(ctx context.Context, stream string, keys []string) (map[string]bool, error) {
	if err := w.Flush(ctx); err != nil {
		return nil, err
	}
	found := make(map[string]bool, len(keys))
	for part := range slices.Chunk(keys, eachKeys) {
		if err := delivered(ctx, w.s.read, w.streamID(stream), part, found); err != nil {
			return nil, w.s.fail("read the delivered records", err)
		}
	}
	return found, nil
}

// noStream is the id of no stream.
const noStream = 0

func (w *RunWriter) streamID(name string) int64 {
	for _, s := range w.streams {
		if s.name == name {
			return s.id
		}
	}
	return noStream
}

func delivered(ctx context.Context, db bun.IDB, stream int64, keys []string, found map[string]bool) error {
	var whole []string
	err := db.NewRaw("SELECT key FROM records WHERE stream_id = ? AND key IN (?)", stream, bun.List(keys)).Scan(ctx, &whole)
	if err != nil {
		return err
	}
	for _, key := range whole {
		found[key] = true
	}
	hashes := make([][]byte, 0, len(keys))
	byHash := make(map[keyHash]string, len(keys))
	for _, key := range keys {
		hash := hashKey([]byte(key))
		hashes, byHash[hash] = append(hashes, hash[:]), key
		if found[key] {
			continue
		}
		var parts bool
		err := db.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM records WHERE stream_id = ? AND key >= ? AND key < ?)",
			stream, key+":", key+";").Scan(&parts)
		if err != nil {
			return err
		}
		found[key] = parts
	}
	var rejected [][]byte
	err = db.NewRaw("SELECT key_sha256 FROM rejected_records WHERE stream_id = ? AND key_sha256 IN (?)", stream, bun.List(hashes)).Scan(ctx, &rejected)
	for _, hash := range rejected {
		delete(found, byHash[keyHash(hash)])
	}
	return err
}
