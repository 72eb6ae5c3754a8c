package device

import (
	"context"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// PutDeviceManifest pins on its connection the module that a source runs: its hash, and its
// valid manifest, against which records are checked. changed reports whether another manifest
// was pinned before.
//
// A manifest that adds streams to the pinned one is kept as an offer, and answered with
// device_manifest_not_accepted: only the owner may extend what a device was invited for
// (AcceptDeviceManifest).
func (s *Store) PutDeviceManifest(ctx context.Context, src *SourceInstance, moduleSHA256 string, manifest []byte) (changed bool, err error) {
	if !device.IsSum256(moduleSHA256) {
		return false, badRequest("module_sha256", "a SHA-256")
	}
	if len(manifest) == 0 {
		return false, badRequest("manifest", "a manifest")
	}
	return s.replaceManifest(ctx, src, moduleSHA256, manifest)
}

// LearnManifest pins on its connection the manifest that this host makes for a source that puts none. It waits for no
// word of the owner: it describes what the device delivers, and gives it nothing.
//
// moduleSHA256 is that of the module that is installed here, or of none that there is.
func (s *Store) LearnManifest(ctx context.Context, src *SourceInstance, moduleSHA256 string, manifest []byte) error {
	return s.db.Alone(ctx, "pin the manifest", func(t *db.Tx) error {
		row, err := feed(t, src)
		if err != nil || row.ManifestSHA256 != "" {
			return err
		}
		if _, err = pinManifest(t, row.ConnectionID, moduleSHA256, manifest); err != nil {
			return err
		}
		row.OfferedUS, row.OfferedModule, row.OfferedManifest = 0, "", ""
		return keepManifest(t, row)
	})
}

// replaceManifest pins a manifest that a source put itself, or keeps it as an offer.
func (s *Store) replaceManifest(ctx context.Context, src *SourceInstance, moduleSHA256 string, manifest []byte) (changed bool, err error) {
	var more []string
	err = s.db.Alone(ctx, "pin the manifest", func(t *db.Tx) error {
		changed, more = false, nil
		row, err := feed(t, src)
		if err != nil {
			return err
		}
		before, err := pinnedManifest(t, row.ConnectionID)
		if err != nil {
			return err
		}
		if more = moreStreams(before, string(manifest)); len(more) > 0 {
			return storeOffer(t, row, moduleSHA256, manifest)
		}
		if changed, err = pinManifest(t, row.ConnectionID, moduleSHA256, manifest); err != nil {
			return err
		}
		if before != "" && before != string(manifest) {
			row.ReplacedUS = db.Micros(t.Now)
		}
		row.OfferedUS, row.OfferedModule, row.OfferedManifest = 0, "", ""
		row.ManifestSHA256 = device.Sum256(manifest)
		return keepManifest(t, row)
	})
	if err == nil && len(more) > 0 {
		err = notAccepted(src, more)
	}
	return changed, err
}

// AcceptDeviceManifest takes over the manifest that a source offers: the one of src,
// which its owner has seen. The error is not_found when it offers none, and
// device_manifest_not_accepted when it offers another one by now.
func (s *Store) AcceptDeviceManifest(ctx context.Context, src *SourceInstance) error {
	return s.db.Alone(ctx, "accept the manifest", func(t *db.Tx) error {
		row, err := feed(t, src)
		if err != nil {
			return err
		}
		if row.OfferedUS == 0 {
			return abi.NewError(device.CodeNotFound, "the source offers no manifest", "`pdpp-host devices list` shows the devices")
		}
		if row.OfferedUS != db.Micros(src.OfferedAt) || row.OfferedManifest != string(src.OfferedManifest) {
			return abi.NewError(device.CodeManifestNotAccepted, "the source offers another manifest by now",
				"look at what it adds, and accept that: pdpp-host devices accept "+src.DeviceID)
		}
		offered := []byte(row.OfferedManifest)
		if _, err := pinManifest(t, row.ConnectionID, row.OfferedModule, offered); err != nil {
			return err
		}
		row.ReplacedUS, row.OfferedUS, row.OfferedModule, row.OfferedManifest = db.Micros(t.Now), 0, "", ""
		row.RefusedUS, row.RefusedCode, row.RefusedSays = 0, "", ""
		if row.ManifestSHA256 != "" { // it puts its own
			row.ManifestSHA256 = device.Sum256(offered)
		}
		return keepManifest(t, row)
	})
}

// keepManifest writes what a source's row says of its manifest, which was taken.
func keepManifest(t *db.Tx, row *tables.SourceJoined) error {
	_, err := t.DB.NewUpdate().Model(&row.SourceRow).WherePK().
		Column("manifest_sha256", "replaced_us", "offered_us", "offered_module", "offered_manifest").Exec(t.Ctx)
	if err != nil {
		return err
	}
	left := slices.DeleteFunc(row.ReadRefusals(), func(o tables.Refusal) bool { return !refusedRecords(o) })
	return keepRefusals(t, row, &left)
}

// storeOffer keeps a manifest for the owner to accept.
func storeOffer(t *db.Tx, row *tables.SourceJoined, moduleSHA256 string, manifest []byte) error {
	if row.OfferedManifest == string(manifest) && row.OfferedModule == moduleSHA256 {
		return nil
	}
	row.OfferedUS, row.OfferedModule, row.OfferedManifest = db.Micros(t.Now), moduleSHA256, string(manifest)
	_, err := t.DB.NewUpdate().Model(&row.SourceRow).WherePK().Column("offered_us", "offered_module", "offered_manifest").Exec(t.Ctx)
	return err
}

func pinnedManifest(t *db.Tx, connectionID string) (text string, err error) {
	err = t.DB.QueryRowContext(t.Ctx, "SELECT pinned_manifest FROM connections WHERE id = ?", connectionID).Scan(&text)
	return text, err
}

// pinManifest pins a module and its manifest on a connection, unless they are.
func pinManifest(t *db.Tx, connectionID, moduleSHA256 string, manifest []byte) (changed bool, err error) {
	pinned := tables.ConnectionRow{ID: connectionID}
	if err := t.DB.NewSelect().Model(&pinned).WherePK().Scan(t.Ctx); err != nil {
		return false, err
	}
	if pinned.PinnedSHA256 == moduleSHA256 && pinned.PinnedManifest == string(manifest) {
		return false, nil
	}
	pinned.PinnedSHA256, pinned.PinnedManifest = moduleSHA256, string(manifest)
	if _, err := t.DB.NewUpdate().Model(&pinned).WherePK().Column("pinned_sha256", "pinned_manifest").Exec(t.Ctx); err != nil {
		return false, err
	}
	return true, evidence.RebuildAtCommit(t, connectionID)
}

func notAccepted(src *SourceInstance, streams []string) *abi.Error {
	const most = 10
	names := strings.Join(streams[:min(len(streams), most)], ", ")
	if len(streams) > most {
		names += ", ..."
	}
	return abi.NewError(device.CodeManifestNotAccepted, "the manifest adds streams that the host's owner has not accepted: "+names,
		"accept them on the host: pdpp-host devices accept "+src.DeviceID)
}

// pinnedStreams are the streams of the manifest that is pinned, each with true. A device's words
// about any other stream concern nothing that is collected. There is no manifest:
// device_manifest_missing.
func pinnedStreams(t *db.Tx, connectionID string) (map[string]bool, error) {
	text, err := pinnedManifest(t, connectionID)
	if err != nil {
		return nil, err
	}
	names, err := streamsIn(text)
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, name := range names {
		out[name] = true
	}
	return out, nil
}
