package storage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	devices "github.com/pdpp-host/pdpp-host/storage/device"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

func (x *exercise) blob(src *SourceInstance, text string) error {
	sum := sha256.Sum256([]byte(text))
	return x.s.PutBlob(x.Context(), src, hex.EncodeToString(sum[:]), "text/plain", []byte(text))
}

// kept has a connection hold n artifacts of one byte.
func (x *exercise) kept(src *SourceInstance, n int64) {
	x.Helper()
	x.ok(x.s.db.Alone(x.Context(), "keep artifacts", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
INSERT INTO device_blobs (connection_id, sha256, media_type, data, bytes, at_us) SELECT ?, printf('%064x', i), 'text/plain', x'', 1, 1 FROM n`, n, src.ConnectionID)
		return err
	}))
}

// The artifacts of one source are bounded, however small each is; a repeated one takes no
// more room, and other sources are not concerned.
func TestArtifactsAreBounded(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src, other := x.enrolled("laptop"), x.enrolled("desk")
	x.kept(src, MaxBlobBytes/devices.LeastBlob-2)
	x.ok(x.blob(src, "one"))
	x.ok(x.blob(src, "two"))
	x.code(x.blob(src, "three"), device.CodeBlobQuota)
	x.ok(x.blob(src, "one"))
	x.ok(x.blob(other, "three"))
	var n int64
	x.ok(x.s.db.Read.NewRaw("SELECT count(*) FROM device_blobs WHERE connection_id = ?", src.ConnectionID).Scan(t.Context(), &n))
	x.same(n, MaxBlobBytes/devices.LeastBlob)

	// A large one counts as it is.
	large := x.enrolled("phone")
	x.kept(large, MaxBlobBytes/devices.LeastBlob-3)
	x.code(x.blob(large, fmt.Sprintf("%*d", 3*devices.LeastBlob+1, 1)), device.CodeBlobQuota)
	x.ok(x.blob(large, fmt.Sprintf("%*d", 3*devices.LeastBlob, 1)))
	x.sound()
}

// An artifact that an older program kept whole is read in the same parts as one of now.
func TestOlderArtifactsAreRead(t *testing.T) {
	t.Parallel()
	x := newExercise(t)
	src := x.enrolled("laptop")
	text := strings.Repeat("x", BlobPartBytes) + "y"
	old := strings.Repeat("0", 64)
	x.ok(x.s.db.Alone(t.Context(), "keep an artifact", func(t *db.Tx) error {
		_, err := t.DB.ExecContext(t.Ctx, "INSERT INTO device_blobs (connection_id, sha256, media_type, data, at_us) VALUES (?, ?, 'text/plain', ?, 1)", src.ConnectionID, old, []byte(text))
		return err
	}))
	x.ok(x.blob(src, text))
	for _, id := range []string{old, fmt.Sprintf("%x", sha256.Sum256([]byte(text)))} {
		for n, want := range []string{text[:BlobPartBytes], "y"} {
			got, err := x.s.BlobPart(t.Context(), src.ConnectionID, id, int64(n))
			x.ok(err)
			if string(got) != want {
				t.Errorf("part %d of %.4s: got %d bytes, want %d", n, id, len(got), len(want))
			}
		}
	}
	x.copied()
}
