package device

import (
	"slices"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// The rows of devices.

func (r *deviceRow) public() *Device {
	return &Device{
		ID: r.ID, Label: r.Label, AgentVersion: r.AgentVersion, CreatedAt: db.Time(r.CreatedUS), HeardAt: db.Time(r.HeardUS), RevokedAt: db.Time(r.RevokedUS),
	}
}

type codeRow struct {
	bun.BaseModel `bun:"table:enrollment_codes"`

	CodeSHA256  string `bun:"code_sha256,pk"`
	Connector   string `bun:"connector"`
	Binding     string `bun:"binding"`
	DisplayName string `bun:"display_name"`
	Label       string `bun:"label"`
	SourceID    string `bun:"source_id"`
	CreatedUS   int64  `bun:"created_us"`
	ExpiresUS   int64  `bun:"expires_us"`
	Manifest    string `bun:"manifest"`
}

func publicSource(r *tables.SourceJoined) *SourceInstance {
	s := &SourceInstance{
		ID: r.ID, DeviceID: r.DeviceID, DeviceLabel: r.Label, ConnectionID: r.ConnectionID, ConnectionName: r.Name, ConnectorID: r.Connector,
		Binding: r.Binding, CreatedAt: db.Time(r.CreatedUS), RevokedAt: db.Time(r.RevokedUS), ManifestSHA256: r.ManifestSHA256, HeardAt: db.Time(r.HeardUS),
		Scope: []byte(r.Scope), ReplacedAt: db.Time(r.ReplacedUS), OfferedAt: db.Time(r.OfferedUS), OfferedManifest: []byte(r.OfferedManifest), OfferedStreams: moreStreams(r.Pinned, r.OfferedManifest),
	}
	if r.RefusedUS != 0 {
		s.Refused = &RefusedDelivery{At: db.Time(r.RefusedUS), Code: r.RefusedCode, Message: r.RefusedSays}
	}
	s.Refusals = publicRefusals(r.ReadRefusals())
	if h, ok := r.ReadHeartbeat(); ok {
		s.Heartbeat = h
	}
	return s
}

// moreStreams are the streams of a manifest that the one before, if any, has not.
func moreStreams(before, after string) []string {
	known, err := streamsIn(before)
	if err != nil || before == "" {
		return nil
	}
	names, err := streamsIn(after)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(known, name) })
}

// streamsIn are the streams of a manifest.
func streamsIn(text string) ([]string, error) {
	f := &stored.Facts{}
	if err := evidence.AcceptManifest(f, text); err != nil || f.Manifest == nil {
		return nil, abi.NewError(device.CodeManifestMissing, "the manifest of what the source runs is not known", "put the manifest first")
	}
	var out []string
	for _, st := range f.Manifest.Streams {
		out = append(out, st.Name)
	}
	return out, nil
}

type deviceBatchRow struct {
	bun.BaseModel `bun:"table:device_batches"`

	DeviceID   string `bun:"device_id,pk"`
	BatchID    string `bun:"batch_id,pk"`
	SourceID   string `bun:"source_id"`
	RunID      string `bun:"run_id"`
	BodySHA256 string `bun:"body_sha256"`
	Seq        int64  `bun:"seq"`
	Accepted   int64  `bun:"accepted"`
	AtUS       int64  `bun:"at_us"`
}

type deviceCommitRow struct {
	bun.BaseModel `bun:"table:device_commits"`

	SourceID       string `bun:"source_id,pk"`
	CommitID       string `bun:"commit_id,pk"`
	RunID          string `bun:"run_id"`
	EnvelopeSHA256 string `bun:"envelope_sha256"`
	EventID        string `bun:"event_id"`
	AtUS           int64  `bun:"at_us"`
}

type blobRow struct {
	bun.BaseModel `bun:"table:device_blobs"`

	ConnectionID string `bun:"connection_id,pk"`
	SHA256       string `bun:"sha256,pk"`
	MediaType    string `bun:"media_type"`
	Data         []byte `bun:"data"`  // of one that an older program kept; else empty
	Bytes        int64  `bun:"bytes"` // of its parts
	AtUS         int64  `bun:"at_us"`
}

type blobPartRow struct {
	bun.BaseModel `bun:"table:device_blob_parts"`

	ConnectionID string `bun:"connection_id,pk"`
	SHA256       string `bun:"sha256,pk"`
	N            int64  `bun:"n,pk"`
	Data         []byte `bun:"data"`
}

type deviceRow struct {
	bun.BaseModel `bun:"table:devices"`

	ID           string `bun:"id,pk"`
	TokenSHA256  string `bun:"token_sha256"`
	UsedUS       int64  `bun:"used_us"`
	Label        string `bun:"label"`
	AgentVersion string `bun:"agent_version"`
	CreatedUS    int64  `bun:"created_us"`
	HeardUS      int64  `bun:"heard_us"`
	RevokedUS    int64  `bun:"revoked_us"`
}
