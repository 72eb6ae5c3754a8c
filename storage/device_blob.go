package storage

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// PutBlob keeps an artifact of a source under the hash of its bytes, in hex. One
// that is kept already stays as it is.
func (s *Store) PutBlob(ctx context.Context, src *SourceInstance, hash, mediaType string, data []byte) error {
	if sum := sha256.Sum256(data); hash != hex.EncodeToString(sum[:]) {
		return abi.NewError(device.CodeBatchHashMismatch, "the artifact is not what its name says", "send it again")
	}
	if err := names("content_type", mediaType); err != nil {
		return err
	}
	return s.alone(ctx, "keep the artifact", func(t *tx) error {
		feed, err := t.feed(src)
		if err != nil {
			return err
		}
		row := blobRow{ConnectionID: feed.ConnectionID, SHA256: hash, MediaType: mediaType, Data: append([]byte{}, data...), AtUS: micros(t.now)}
		_, err = t.db.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(t.ctx)
		return err
	})
}

// Blob returns an artifact of a connection and its media type, or not_found.
func (s *Store) Blob(ctx context.Context, connectionID, hash string) (data []byte, mediaType string, err error) {
	row := blobRow{ConnectionID: connectionID, SHA256: hash}
	err = s.read.NewSelect().Model(&row).WherePK().Scan(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, "", abi.NewError(device.CodeNotFound, "there is no such artifact", "")
	}
	return row.Data, row.MediaType, s.fail("read the artifact", err)
}
