package read

import (
	"context"
	"encoding/hex"
	"errors"
)

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
	From, To []byte   // only records whose own time is from one until the other, as it compares; nil: of any
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
	times := ""
	if q.From != nil {
		times = " JOIN read_rows AS i ON i.stream_id = b.stream_id AND i.key = b.key"
	}
	text := `SELECT d.connection_id, d.sha256, d.media_type, d.bytes + length(d.data) AS bytes, b.field, b.key, r.data FROM read_blobs AS b
JOIN streams AS s ON s.id = b.stream_id AND s.removed = 0 JOIN device_blobs AS d ON d.connection_id = s.connection_id AND d.sha256 = ?
JOIN records AS r ON r.stream_id = b.stream_id AND r.key = b.key AND r.deleted = 0` + times + ` WHERE b.sha256 = ? AND b.stream_id = ?`
	args := []any{hex.EncodeToString(q.SHA256[:]), q.SHA256[:], q.StreamID}
	where := func(condition string, values ...any) { text, args = text+" AND "+condition, append(args, values...) }
	if q.Fields != nil {
		where("b.field IN (?)", q.Fields)
	}
	if q.Keys != nil {
		where("b.key IN (?)", q.Keys)
	}
	if q.From != nil {
		where("i.time >= ? AND i.time < ?", q.From, q.To)
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
