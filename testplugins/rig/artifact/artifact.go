package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// Source makes a connection, which must not be there yet, that a device feeds.
func Source(t testing.TB, s *storage.Store, connection, connector string) *storage.SourceInstance {
	t.Helper()
	code, token := ID("code of "+connection), ID("token of "+connection)
	err := s.NewEnrollmentCode(t.Context(), storage.EnrollmentCode{
		CodeHash: code, ConnectorID: connector, Binding: connection, ExpiresAt: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	src, err := s.Enroll(t.Context(), storage.Enrolling{CodeHash: code, TokenHash: token, Label: connection, AgentVersion: "1"})
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// Put has a source deliver an artifact, and returns its id.
func Put(t testing.TB, s *storage.Store, src *storage.SourceInstance, mediaType, data string) string {
	t.Helper()
	if err := s.PutBlob(t.Context(), src, ID(data), mediaType, []byte(data)); err != nil {
		t.Fatal(err)
	}
	return ID(data)
}

// ID is the id of an artifact.
func ID(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// Ref is the reference of a record to an artifact.
func Ref(mediaType, data string) string {
	return fmt.Sprintf(`{"blob_id":%q,"mime_type":%q,"size_bytes":%d,"sha256":%q}`, ID(data), mediaType, len(data), ID(data))
}
