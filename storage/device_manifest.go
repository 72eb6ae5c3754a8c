package storage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health"
)

// PutDeviceManifest pins what a source runs on its connection: the module's hash,
// and the manifest, which is valid, that its records are held against. changed
// says that they were held against another before.
func (s *Store) PutDeviceManifest(ctx context.Context, src *SourceInstance, moduleSHA256 string, manifest []byte) (changed bool, err error) {
	if !isHash(moduleSHA256) {
		return false, badRequest("module_sha256", "a SHA-256")
	}
	if len(manifest) == 0 {
		return false, badRequest("manifest", "a manifest")
	}
	sum := sha256.Sum256(manifest)
	err = s.alone(ctx, "pin the manifest", func(t *tx) error {
		row, err := t.feed(src)
		if err != nil {
			return err
		}
		pinned := connectionRow{ID: row.ConnectionID}
		if err := t.db.NewSelect().Model(&pinned).WherePK().Scan(t.ctx); err != nil {
			return err
		}
		changed = pinned.PinnedSHA256 != moduleSHA256 || pinned.PinnedManifest != string(manifest)
		if changed {
			pinned.PinnedSHA256, pinned.PinnedManifest = moduleSHA256, string(manifest)
			if _, err := t.db.NewUpdate().Model(&pinned).WherePK().Column("pinned_sha256", "pinned_manifest").Exec(t.ctx); err != nil {
				return err
			}
			if err := t.remakeEvidence(row.ConnectionID); err != nil {
				return err
			}
		}
		row.ManifestSHA256 = hex.EncodeToString(sum[:])
		_, err = t.db.NewUpdate().Model(&row.sourceRow).WherePK().Column("manifest_sha256").Exec(t.ctx)
		return err
	})
	return changed, err
}

// declared are the streams of the manifest that is pinned, each with true. What
// a device says of any other is of nothing that is collected. There is no
// manifest: device_manifest_missing.
func (t *tx) declared(connectionID string) (map[string]bool, error) {
	var text string
	if err := t.db.QueryRowContext(t.ctx, "SELECT pinned_manifest FROM connections WHERE id = ?", connectionID).Scan(&text); err != nil {
		return nil, err
	}
	f := &health.Stored{}
	if err := acceptManifest(f, text); err != nil || f.Manifest == nil {
		return nil, abi.NewError(device.CodeManifestMissing, "the manifest of what the source runs is not known", "put the manifest first")
	}
	out := map[string]bool{}
	for _, st := range f.Manifest.Streams {
		out[st.Name] = true
	}
	return out, nil
}
