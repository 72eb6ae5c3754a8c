package api

import (
	"mime"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// maxMediaType bounds a media type, which is kept as text (RFC 6838 allows 127
// bytes a half).
const maxMediaType = 255

// putBlob keeps an artifact under the hash of its bytes.
func (a *API) putBlob(c *call) (any, error) {
	name := c.r.PathValue("sha256")
	if !device.IsSum256(name) {
		return nil, wrong("sha256", "of the path must be a SHA-256 in lower-case hex")
	}
	if device.Sum256(c.body) != name {
		return nil, refuse(http.StatusBadRequest, device.CodeBatchHashMismatch, "the path's hash is not that of the bytes")
	}
	media, _, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if err != nil || len(media) > maxMediaType {
		return nil, wrong("content-type", "must be a media type")
	}
	if err := a.store.PutBlob(c.r.Context(), c.source, name, media, c.body); err != nil {
		return nil, err
	}
	return device.BlobAnswer{Object: "device_blob", SHA256: name, Bytes: int64(len(c.body))}, nil
}
