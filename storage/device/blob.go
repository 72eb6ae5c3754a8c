package device

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

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

// PutBlob keeps an artifact of a source under the hash of its bytes, in hex. One
// that is kept already stays as it is. One for which there is no room is
// device_blob_quota_exceeded.
func (s *Store) PutBlob(ctx context.Context, src *SourceInstance, hash, mediaType string, data []byte) error {
	if sum := sha256.Sum256(data); hash != hex.EncodeToString(sum[:]) {
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
		row := blobRow{ConnectionID: feed.ConnectionID, SHA256: hash, MediaType: mediaType, Data: append([]byte{}, data...), AtUS: db.Micros(t.Now)}
		known, err := t.DB.NewSelect().Model(&row).WherePK().Exists(t.Ctx)
		if err != nil || known {
			return err
		}
		if err := roomForBlob(t, &row); err != nil {
			return err
		}
		_, err = t.DB.NewInsert().Model(&row).Exec(t.Ctx)
		return err
	})
}

// roomForBlob refuses an artifact that its source has no room for. Only the lengths
// of the others are read.
func roomForBlob(t *db.Tx, row *blobRow) error {
	var kept int64
	err := t.DB.QueryRowContext(t.Ctx, `SELECT coalesce(sum(CASE WHEN length(data) > ? THEN length(data) ELSE ? END), 0)
FROM device_blobs WHERE connection_id = ?`, LeastBlob, LeastBlob, row.ConnectionID).Scan(&kept)
	if err != nil {
		return err
	}
	if kept+max(int64(len(row.Data)), LeastBlob) > MaxBlobBytes {
		return abi.NewError(device.CodeBlobQuota, fmt.Sprintf("the host keeps %d MiB of artifacts of one source, and has no room for this one", MaxBlobBytes>>20),
			"remove the connection on the host to begin anew, or have the connector send fewer")
	}
	return nil
}

// Blob returns an artifact of a connection and its media type, or not_found.
func (s *Store) Blob(ctx context.Context, connectionID, hash string) (data []byte, mediaType string, err error) {
	row := blobRow{ConnectionID: connectionID, SHA256: hash}
	err = s.db.Read.NewSelect().Model(&row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", abi.NewError(device.CodeNotFound, "there is no such artifact", "")
	}
	return row.Data, row.MediaType, s.db.Fail("read the artifact", err)
}
