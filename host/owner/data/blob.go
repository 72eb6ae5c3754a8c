package data

import (
	"context"
	"io"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// BlobRequest asks for the bytes to which records of a stream refer.
type BlobRequest struct {
	Connection, Stream string
	ID                 string // the SHA-256 of the bytes, in hex
}

// Blob writes the bytes of a blob. to is called before them with their media type, as whoever
// collected them says, and their number. Only where it returns no error is what was written whole.
func Blob(ctx context.Context, o *owner.Owner, r BlobRequest, to func(mediaType string, bytes int64) io.Writer) error {
	reader, err := o.Reader(ctx)
	if err != nil {
		return err
	}
	found, err := reader.Blobs(ctx, read.OwnerScope(), r.ID, read.From{Stream: r.Stream, Connections: []string{r.Connection}})
	if err != nil {
		return err
	}
	b := &found[0]
	w := to(b.MediaType, b.Bytes)
	for at := int64(0); at < b.Bytes; {
		part, err := reader.BlobPart(ctx, b, at)
		if err != nil {
			return err
		}
		n, err := w.Write(part)
		if err != nil {
			return err
		}
		at += int64(n)
	}
	return nil
}

// BlobID returns the id of the blob that a value of a record refers to; "": it refers to none.
func BlobID(value []byte) string { return field.BlobID(value) }
