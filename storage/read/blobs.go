package read

import (
	"context"
	"encoding/hex"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// MostBlobs is how many references to artifacts of one record are indexed.
const MostBlobs = 256

// BlobRef is a reference of a record to an artifact.
type BlobRef struct {
	SHA256 [32]byte
	Field  uint32 // the tag of the field that has it
}

// BlobQuery asks which records of a stream refer to an artifact, and whether it is there.
type BlobQuery struct {
	SHA256   [32]byte
	StreamID int64
	Fields   []int64  // tags of those that are looked at; nil: every one
	Keys     []string // only records with one of them; nil: every one
	After    *BlobPlace
	Limit    int
	Bytes    int // of the records together, but for the last of them
}

// BlobPlace is the place of a reference among those of a stream to one artifact.
type BlobPlace struct {
	Field int64
	Key   string
}

// Blob is an artifact of a connection.
type Blob struct {
	ConnectionID string
	SHA256       string // hex
	MediaType    string // as it came
	Bytes        int64
}

// BlobUse is a record that refers to an artifact that is there, as it is now.
type BlobUse struct {
	Blob
	BlobPlace

	Data string
}

// ReadBlobUses returns what q asks for. more: there may be others behind them.
func (s *Store) ReadBlobUses(ctx context.Context, q BlobQuery) (all []BlobUse, more bool, err error) {
	text := `SELECT d.connection_id, d.sha256, d.media_type, d.bytes + length(d.data) AS bytes, b.field, b.key, r.data FROM read_blobs AS b
JOIN streams AS s ON s.id = b.stream_id AND s.removed = 0 JOIN device_blobs AS d ON d.connection_id = s.connection_id AND d.sha256 = ?
JOIN records AS r ON r.stream_id = b.stream_id AND r.key = b.key AND r.deleted = 0 WHERE b.sha256 = ? AND b.stream_id = ?`
	args := []any{hex.EncodeToString(q.SHA256[:]), q.SHA256[:], q.StreamID}
	where := func(condition string, values ...any) { text, args = text+" AND "+condition, append(args, values...) }
	if q.Fields != nil {
		where("b.field IN (?)", q.Fields)
	}
	if q.Keys != nil {
		where("b.key IN (?)", q.Keys)
	}
	if q.After != nil {
		where("(b.field, b.key) > (?, ?)", q.After.Field, q.After.Key)
	}
	all, cut, err := s.blobUses(ctx, q.Bytes, text+" ORDER BY b.field, b.key LIMIT ?", append(args, q.Limit)...)
	return all, cut || len(all) == q.Limit, s.db.Fail("find an artifact", err)
}

// blobUses reads rows until their records have so many bytes. cut: there are others.
func (s *Store) blobUses(ctx context.Context, bytes int, text string, args ...any) (all []BlobUse, cut bool, err error) {
	rows, err := s.db.Query(ctx, text, args...)
	if err != nil {
		return nil, false, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if bytes <= 0 && len(all) > 0 {
			return all, true, nil
		}
		var u BlobUse
		if err := rows.Scan(&u.ConnectionID, &u.SHA256, &u.MediaType, &u.Bytes, &u.Field, &u.Key, &u.Data); err != nil {
			return nil, false, err
		}
		bytes -= len(u.Data)
		all = append(all, u)
	}
	return all, false, rows.Err()
}

// ReadBlobStreams returns the streams with records that refer to an artifact.
func (s *Store) ReadBlobStreams(ctx context.Context, sum [32]byte) (ids []int64, err error) {
	err = s.db.Read.NewRaw("SELECT DISTINCT stream_id FROM read_blobs WHERE sha256 = ? ORDER BY stream_id", sum[:]).Scan(ctx, &ids)
	return ids, s.db.Fail("find an artifact", err)
}

// loosenOne notes when a record ceases to refer to its artifacts.
func loosenOne(t *db.Tx) string {
	sum := "lower(hex(sha256))"
	if t.Server() != nil {
		sum = "encode(sha256, 'hex')"
	}
	return `UPDATE device_blobs SET loose_us = ? WHERE connection_id = (SELECT connection_id FROM streams WHERE id = ?)
AND sha256 IN (SELECT ` + sum + ` FROM read_blobs WHERE stream_id = ? AND key = ?)`
}

// loosenServer does so for many records.
const loosenServer = `UPDATE device_blobs AS d SET loose_us = ($3)[1] FROM unnest($1, $2) AS i (stream_id, key)
JOIN read_blobs AS b ON b.stream_id = i.stream_id AND b.key = i.key JOIN streams AS s ON s.id = i.stream_id
WHERE d.connection_id = s.connection_id AND d.sha256 = encode(b.sha256, 'hex')`

// SweepBlobs removes at most limit of the artifacts that records referred to and that none has
// for so long. It removes none while the read state does not know every record as it is. more: there may be others.
func (s *Store) SweepBlobs(ctx context.Context, age time.Duration, limit int) (more bool, err error) {
	var due int64
	before := s.db.Now().Add(-age)
	err = s.db.Read.QueryRowContext(ctx, "SELECT count(*) FROM device_blobs WHERE loose_us > 0 AND loose_us < ?", db.Micros(before)).Scan(&due)
	if err != nil || due == 0 {
		return false, s.db.Fail("look for artifacts that nothing refers to", err)
	}
	err = s.db.Alone(ctx, "remove artifacts that nothing refers to", func(t *db.Tx) error {
		var missing int64
		err := t.DB.QueryRowContext(t.Ctx, `SELECT (SELECT count(*) FROM read_streams WHERE building_after IS NOT NULL)
+ (SELECT count(*) FROM counters WHERE name = 'change' AND value <> coalesce((SELECT indexed_seq FROM read_position), 0))`).Scan(&missing)
		if err != nil || missing > 0 {
			return err
		}
		var loose []Blob
		err = t.DB.NewRaw("SELECT connection_id, sha256 FROM device_blobs WHERE loose_us > 0 AND loose_us < ? ORDER BY loose_us LIMIT ?", db.Micros(before), limit).Scan(t.Ctx, &loose)
		if err != nil {
			return err
		}
		more = len(loose) == limit
		for i := range loose {
			if err := sweepBlob(t, &loose[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return more && err == nil, err
}

// sweepBlob removes an artifact, or forgets that it was loose when a record refers to it again.
func sweepBlob(t *db.Tx, b *Blob) error {
	sum, err := hex.DecodeString(b.SHA256)
	if err != nil {
		return err
	}
	var used int64
	err = t.DB.QueryRowContext(t.Ctx, `SELECT count(*) FROM (SELECT b.stream_id FROM read_blobs AS b JOIN streams AS s ON s.id = b.stream_id
WHERE b.sha256 = ? AND s.connection_id = ? LIMIT 1) AS u`, sum, b.ConnectionID).Scan(&used)
	if err != nil {
		return err
	}
	if used > 0 {
		_, err = t.DB.ExecContext(t.Ctx, "UPDATE device_blobs SET loose_us = 0 WHERE connection_id = ? AND sha256 = ?", b.ConnectionID, b.SHA256)
		return err
	}
	t.Erased = true
	for _, q := range []string{"DELETE FROM device_blob_parts WHERE connection_id = ? AND sha256 = ?", "DELETE FROM device_blobs WHERE connection_id = ? AND sha256 = ?"} {
		if _, err := t.DB.ExecContext(t.Ctx, q, b.ConnectionID, b.SHA256); err != nil {
			return err
		}
	}
	return nil
}
