package field

import (
	"bytes"
	"encoding/hex"
	"strings"
)

// blobIDLength is the length of a SHA-256 in hex.
const blobIDLength = 64

// The members of a reference to an artifact.
const (
	blobID, blobSum, blobType, blobSize = "blob_id", "sha256", "mime_type", "size_bytes"
	fetchURL                            = "fetch_url"
)

// IsBlobID reports whether a text is an artifact's id: a SHA-256 in lower-case hex.
func IsBlobID(s string) bool {
	_, err := hex.DecodeString(s)
	return len(s) == blobIDLength && err == nil && strings.ToLower(s) == s
}

// BlobID returns which artifact a stored value refers to; "": it is no reference, which is an
// object with the artifact's id and hash, which are the same, its media type and its size (RD-29).
func BlobID(value []byte) string {
	if len(value) < 2*blobIDLength || value[0] != '{' {
		return ""
	}
	v := Pick(value, []string{blobID, blobSum, blobType, blobSize})
	id, _ := String(v[0])
	sum, _ := String(v[1])
	_, typed := String(v[2])
	if id != sum || !IsBlobID(id) || !typed || len(v[3]) == 0 || len(bytes.Trim(v[3], "0123456789")) > 0 {
		return ""
	}
	return id
}

// MayRefer reports whether a record may have a reference to an artifact, at a glance.
func MayRefer(data []byte) bool {
	return bytes.Contains(data, []byte(blobID)) || bytes.Contains(data, []byte(`\u`)) // as any other spelling of it has
}

// WithFetchURLs adds to each reference among a record's values where its artifact is read,
// in the place of what the record says of that. Data without one is returned as it is.
func WithFetchURLs(data []byte, at func(id string) string) []byte {
	if !MayRefer(data) {
		return data
	}
	var out []byte
	done := 0 // of data, that out has
	Members(data, func(_, value []byte) bool {
		id := BlobID(value)
		if id == "" {
			return true
		}
		to := cap(data) - cap(value) // where the value begins
		out = append(out, data[done:to]...)
		out = Project(out, value, func(name string) bool { return name != fetchURL })
		out = append(append(append(out[:len(out)-1], `,"`+fetchURL+`":"`...), at(id)...), `"}`...)
		done = to + len(value)
		return true
	})
	if out == nil {
		return data
	}
	return append(out, data[done:]...)
}
