package tables

import (
	"encoding/json"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// SourceRow is a row of source_instances.
type SourceRow struct {
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
	Refusals        string `bun:"refusals"` // see Refusal
	ReplacedUS      int64  `bun:"replaced_us"`
	OfferedUS       int64  `bun:"offered_us"`
	OfferedModule   string `bun:"offered_module"`
	OfferedManifest string `bun:"offered_manifest"`
}

// SourceJoined is a source with what is asked of its device and its connection.
type SourceJoined struct {
	SourceRow `bun:",extend"`

	Label     string `bun:"label"`
	Pinned    string `bun:"pinned"` // the connection's manifest, where another one is offered
	RevokedUS int64  `bun:"revoked_us"`
	Name      string `bun:"name"`
}

// SelectSources is the one statement that sources are read with.
func SelectSources(q bun.IDB, to *[]SourceJoined) *bun.SelectQuery {
	return q.NewSelect().Model(to).ModelTableExpr("source_instances AS s").ColumnExpr("s.*, d.label, d.revoked_us, c.name, CASE WHEN s.offered_us <> 0 THEN c.pinned_manifest ELSE '' END AS pinned").
		Join("JOIN devices AS d ON d.id = s.device_id").Join("JOIN connections AS c ON c.id = s.connection_id").
		OrderExpr("c.name, s.created_us, s.id")
}

// Refusal is the last delivery of a stream that was refused with a code, until one of the stream is taken. A delivery that
// belongs to no stream has an empty one.
type Refusal struct {
	Stream string `json:"stream,omitempty"`
	Code   string `json:"code"`
	Says   string `json:"says,omitempty"`
	AtUS   int64  `json:"at_us"`
}

// ReadRefusals reads the refusals that are open, the last first. A text that cannot be read has none: the next refusal
// writes it anew.
func (r *SourceRow) ReadRefusals() (all []Refusal) {
	if r.Refusals == "" || json.Unmarshal([]byte(r.Refusals), &all) != nil {
		return nil
	}
	return all
}

// ReadHeartbeat reads the kept heartbeat; nil before the first.
func (r *SourceRow) ReadHeartbeat() (h *device.Heartbeat, ok bool) {
	if r.Heartbeat == "" {
		return nil, true
	}
	h = new(device.Heartbeat)
	if json.Unmarshal([]byte(r.Heartbeat), h) != nil {
		return nil, false
	}
	return h, true
}
