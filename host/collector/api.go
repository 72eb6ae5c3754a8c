package collector

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// lane is the device API of one source instance.
type lane struct {
	client *client
	p      *Profile
	// public says that the host knows no more than the public protocol: no manifest,
	// no outcome of a run, and of gaps two reasons.
	public bool
	keys   map[string][]string // of the connector's streams, for a public host
}

// primaryKey is the primary key of one of the connector's streams.
func (l *lane) primaryKey(stream string) []string { return l.keys[stream] }

// learnKeys keeps the primary keys of a connector's streams.
func (l *lane) learnKeys(m *abi.Manifest) {
	l.keys = map[string][]string{}
	for i := range m.Streams {
		l.keys[m.Streams[i].Name] = m.Streams[i].PrimaryKey
	}
}

// putManifest tells the host what the lane runs. The manifest goes as its bytes
// are: the host names it by them.
func (l *lane) putManifest(ctx context.Context, module string, manifest []byte) error {
	about, err := json.Marshal(device.Manifest{ConnectorID: l.p.ConnectorID, ModuleSHA256: module, Manifest: json.RawMessage("null")})
	if err != nil || !json.Valid(manifest) {
		return badShape("the manifest is not JSON")
	}
	body := append(bytes.TrimSuffix(about, []byte("null}")), bare(manifest)...)
	body = append(body, '}')
	var out device.ManifestAnswer
	err = l.client.do(ctx, call{method: http.MethodPut, path: device.PathManifest(l.p.DeviceID, l.p.SourceInstanceID), body: body, into: &out})
	if err != nil {
		return err
	}
	if out.SourceInstanceID != l.p.SourceInstanceID {
		return unbelievable("it is of another source instance")
	}
	return nil
}

func (l *lane) heartbeat(ctx context.Context, h device.Heartbeat) error {
	body, err := json.Marshal(h)
	if err != nil {
		return badShape("the heartbeat is not JSON")
	}
	var out device.HeartbeatAnswer
	err = l.client.do(ctx, call{method: http.MethodPost, path: device.PathHeartbeat(l.p.DeviceID), body: body, into: &out})
	if err == nil && (out.DeviceID != l.p.DeviceID || out.Status != "accepted") {
		return unbelievable("it does not accept the heartbeat")
	}
	return err
}

// revoke gives the credential back.
func (l *lane) revoke(ctx context.Context) (time.Time, error) {
	var out device.Revocation
	err := l.client.do(ctx, call{method: http.MethodPost, path: device.PathSelfRevoke(l.p.DeviceID), body: []byte("{}"), into: &out})
	if err == nil && (out.DeviceID != l.p.DeviceID || out.RevokedAt.IsZero()) {
		return time.Time{}, unbelievable("it does not say that the credential is revoked")
	}
	return out.RevokedAt, err
}

// bare is a JSON text without the white space around it, which does not survive
// the way as a part of another.
func bare(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }

// sum256 is how the host names a manifest, or an artifact: by its bytes as they
// were sent.
func sum256(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
