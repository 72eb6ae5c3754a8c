package device

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// MaxBlobBytes is how much a source may keep here of artifacts, counted over its
// connection: what a device before it left counts too, and need not come again.
// An artifact counts as LeastBlob at least, which bounds how many there are.
const (
	MaxBlobBytes = 1 << 30
	LeastBlob    = 64 << 10
)

// BlobPartBytes is the size of an artifact's parts, but for the last.
const BlobPartBytes = 256 << 10

// PutBlob keeps an artifact of a source under the hash of its bytes, in hex. One
// that is kept already stays as it is, but for when it came. One for which there is
// no room is device_blob_quota_exceeded.
func (s *Store) PutBlob(ctx context.Context, src *SourceInstance, hash, mediaType string, data []byte) error {
	if hash != device.Sum256(data) {
		return abi.NewError(device.CodeBatchHashMismatch, "the artifact is not what its name says", "send it again")
	}
	if err := checkName("content_type", mediaType); err != nil {
		return err
	}
	return s.db.Alone(ctx, "keep the artifact", func(t *db.Tx) error {
		feed, err := feed(t, src)
		if err != nil {
			return err
		}
		row := blobRow{ConnectionID: feed.ConnectionID, SHA256: hash, MediaType: mediaType, Data: []byte{}, Bytes: int64(len(data)), AtUS: db.Micros(t.Now)}
		again, err := t.DB.NewUpdate().Model(&row).WherePK().Column("at_us").Exec(t.Ctx)
		if err != nil {
			return err
		}
		if n, err := again.RowsAffected(); err != nil || n > 0 {
			return err
		}
		if err := roomForBlob(t, &row); err != nil {
			return err
		}
		if _, err := t.DB.NewInsert().Model(&row).Exec(t.Ctx); err != nil {
			return err
		}
		part := blobPartRow{ConnectionID: row.ConnectionID, SHA256: hash}
		for part.Data = range slices.Chunk(data, BlobPartBytes) {
			if _, err := t.DB.NewInsert().Model(&part).Exec(t.Ctx); err != nil {
				return err
			}
			part.N++
		}
		return nil
	})
}

// roomForBlob refuses an artifact that its source has no room for.
func roomForBlob(t *db.Tx, row *blobRow) error {
	var kept int64
	err := t.DB.QueryRowContext(t.Ctx, `SELECT coalesce(sum(CASE WHEN bytes + length(data) > ? THEN bytes + length(data) ELSE ? END), 0)
FROM device_blobs WHERE connection_id = ?`, LeastBlob, LeastBlob, row.ConnectionID).Scan(&kept)
	if err != nil {
		return err
	}
	if kept+max(row.Bytes, LeastBlob) > MaxBlobBytes {
		return abi.NewError(device.CodeBlobQuota, fmt.Sprintf("the host keeps %d MiB of artifacts of one source, and has no room for this one", MaxBlobBytes>>20),
			"remove the connection on the host to begin anew, or have the connector send fewer")
	}
	return nil
}

// BlobPart returns a part of an artifact of a connection, from 0 on, or not_found.
func (s *Store) BlobPart(ctx context.Context, connectionID, hash string, n int64) ([]byte, error) {
	var part []byte
	err := s.db.Read.QueryRowContext(ctx, `SELECT coalesce(p.data, substr(b.data, ?, ?)) FROM device_blobs AS b
LEFT JOIN device_blob_parts AS p ON p.connection_id = b.connection_id AND p.sha256 = b.sha256 AND p.n = ? WHERE b.connection_id = ? AND b.sha256 = ?`,
		n*BlobPartBytes+1, BlobPartBytes, n, connectionID, hash).Scan(&part)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, abi.NewError(device.CodeNotFound, "there is no such artifact", "")
	}
	return part, s.db.Fail("read the artifact", err)
}
