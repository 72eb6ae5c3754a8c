package storage

import (
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// The rows of devices.

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

func (r *deviceRow) public() *Device {
	return &Device{
		ID: r.ID, Label: r.Label, AgentVersion: r.AgentVersion, CreatedAt: at(r.CreatedUS), HeardAt: at(r.HeardUS), RevokedAt: at(r.RevokedUS),
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
}

type sourceRow struct {
	bun.BaseModel `bun:"table:source_instances"`

	ID             string `bun:"id,pk"`
	DeviceID       string `bun:"device_id"`
	ConnectionID   string `bun:"connection_id"`
	Connector      string `bun:"connector"`
	Binding        string `bun:"binding"`
	ManifestSHA256 string `bun:"manifest_sha256"`
	HeardUS        int64  `bun:"heard_us"`
	Heartbeat      string `bun:"heartbeat"`
	CreatedUS      int64  `bun:"created_us"`

	Scope           string `bun:"scope"`
	RefusedUS       int64  `bun:"refused_us"`
	RefusedCode     string `bun:"refused_code"`
	RefusedSays     string `bun:"refused_says"`
	ReplacedUS      int64  `bun:"replaced_us"`
	OfferedUS       int64  `bun:"offered_us"`
	OfferedModule   string `bun:"offered_module"`
	OfferedManifest string `bun:"offered_manifest"`
}

// sourceJoined is a source with what is asked of its device and its connection.
type sourceJoined struct {
	sourceRow `bun:",extend"`

	Label     string `bun:"label"`
	Pinned    string `bun:"pinned"` // the connection's manifest, where another one is offered
	RevokedUS int64  `bun:"revoked_us"`
	Name      string `bun:"name"`
}

// selectSources is the one statement that sources are read with.
func selectSources(db bun.IDB, to *[]sourceJoined) *bun.SelectQuery {
	return db.NewSelect().Model(to).ModelTableExpr("source_instances AS s").ColumnExpr("s.*, d.label, d.revoked_us, c.name, CASE WHEN s.offered_us <> 0 THEN c.pinned_manifest ELSE '' END AS pinned").
		Join("JOIN devices AS d ON d.id = s.device_id").Join("JOIN connections AS c ON c.id = s.connection_id").
		OrderExpr("c.name, s.created_us, s.id")
}

func (r *sourceJoined) public() *SourceInstance {
	s := &SourceInstance{
		ID: r.ID, DeviceID: r.DeviceID, DeviceLabel: r.Label, ConnectionID: r.ConnectionID, ConnectionName: r.Name, ConnectorID: r.Connector,
		Binding: r.Binding, CreatedAt: at(r.CreatedUS), RevokedAt: at(r.RevokedUS), ManifestSHA256: r.ManifestSHA256, HeardAt: at(r.HeardUS),
		Scope: []byte(r.Scope), ReplacedAt: at(r.ReplacedUS), OfferedAt: at(r.OfferedUS), OfferedManifest: []byte(r.OfferedManifest), OfferedStreams: moreStreams(r.Pinned, r.OfferedManifest),
	}
	if r.RefusedUS != 0 {
		s.Refused = &RefusedDelivery{At: at(r.RefusedUS), Code: r.RefusedCode, Message: r.RefusedSays}
	}
	if h, ok := r.heartbeat(); ok {
		s.Heartbeat = h
	}
	return s
}

// heartbeat reads the kept heartbeat; nil before the first.
func (r *sourceRow) heartbeat() (h *device.Heartbeat, ok bool) {
	if r.Heartbeat == "" {
		return nil, true
	}
	h = new(device.Heartbeat)
	if json.Unmarshal([]byte(r.Heartbeat), h) != nil {
		return nil, false
	}
	return h, true
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
	Data         []byte `bun:"data"`
	AtUS         int64  `bun:"at_us"`
}
