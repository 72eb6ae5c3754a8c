package device

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Hash returns the lower-case hexadecimal SHA-256 of a JSON text's canonical form.
// Texts with the same value have the same hash. It returns an error if the text is not
// JSON.
func Hash(text []byte) (string, error) {
	c, err := Canonical(text)
	if err != nil {
		return "", err
	}
	return Sum256(c), nil
}

// BatchID derives a batch's id from its content and its position, so the same batch
// made again has the same id. recordsHash is Hash of the batch's records.
func BatchID(connector, source string, seq int64, recordsHash string) string {
	return "local-batch:" + nameOf(map[string]any{
		"batch_seq": seq, "connector_id": connector, "records": recordsHash, "source_instance_id": source,
	})
}

// OutboxID derives the id of an outbox row from its kind and the parts that identify
// it within that kind.
func OutboxID(kind, source string, parts any) string {
	return "local-outbox:" + nameOf(map[string]any{"kind": kind, "parts": parts, "source_instance_id": source})
}

// nameOf hashes a value made of strings and whole numbers, which always has a
// canonical form.
func nameOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("device: an identity of what is no JSON: " + err.Error())
	}
	sum, err := Hash(text)
	if err != nil {
		panic("device: an identity of what is no JSON: " + err.Error())
	}
	return sum
}

// Sum256 is the lower-case hexadecimal SHA-256 of bytes as they are. A host names a manifest, or an
// artifact, by it.
func Sum256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// IsSum256 reports whether s can be one.
func IsSum256(s string) bool {
	return len(s) == hex.EncodedLen(sha256.Size) && strings.Trim(s, "0123456789abcdef") == ""
}
