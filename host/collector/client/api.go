package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// Lane is the device API of one source instance.
type Lane struct {
	Client  *Client
	Profile *profile.Profile
	// public says that the host knows no more than the public protocol: no manifest,
	// no outcome of a run, and of gaps two reasons.
	PublicOnly bool
	// Withhold are the streams that such a host refuses, of the run whose cursors are sent next:
	// what covers them is not committed.
	Withhold []string

	// Manifest is the connector's, which a public host does not ask for.
	Manifest *abi.Manifest

	refuses map[string]string // streams that a public host has refused since the process began, and why
}

// stream returns what the manifest says of a stream, and nothing but its name where it does not declare it.
func (l *Lane) stream(name string) *abi.Stream {
	if l.Manifest != nil {
		if s := l.Manifest.Stream(name); s != nil {
			return s
		}
	}
	return &abi.Stream{Name: name}
}

// PutManifest tells the host what the lane runs. The manifest goes as its bytes
// are: the host names it by them.
func (l *Lane) PutManifest(ctx context.Context, module string, manifest []byte) error {
	about, err := json.Marshal(device.Manifest{ConnectorID: l.Profile.ConnectorID, ModuleSHA256: module, Manifest: json.RawMessage("null")})
	if err != nil || !json.Valid(manifest) {
		return badShape("the manifest is not JSON")
	}
	body := append(bytes.TrimSuffix(about, []byte("null}")), TrimJSON(manifest)...)
	body = append(body, '}')
	var out device.ManifestAnswer
	err = l.Client.do(ctx, call{method: http.MethodPut, path: device.PathManifest(l.Profile.DeviceID, l.Profile.SourceInstanceID), body: body, into: &out})
	if err != nil {
		return err
	}
	if out.SourceInstanceID != l.Profile.SourceInstanceID {
		return Unbelievable("it is of another source instance")
	}
	return nil
}

// Heartbeat tells the host how the lane is.
func (l *Lane) Heartbeat(ctx context.Context, h device.Heartbeat) error {
	body, err := json.Marshal(h)
	if err != nil {
		return badShape("the heartbeat is not JSON")
	}
	var out device.HeartbeatAnswer
	err = l.Client.do(ctx, call{method: http.MethodPost, path: device.PathHeartbeat(l.Profile.DeviceID), body: body, into: &out})
	if err == nil && (out.DeviceID != l.Profile.DeviceID || out.Status != "accepted") {
		return Unbelievable("it does not accept the heartbeat")
	}
	return err
}

// Revoke gives the credential back.
func (l *Lane) Revoke(ctx context.Context) (time.Time, error) {
	var out device.Revocation
	err := l.Client.do(ctx, call{method: http.MethodPost, path: device.PathSelfRevoke(l.Profile.DeviceID), body: []byte("{}"), into: &out})
	if err == nil && (out.DeviceID != l.Profile.DeviceID || out.RevokedAt.IsZero()) {
		return time.Time{}, Unbelievable("it does not say that the credential is revoked")
	}
	return out.RevokedAt, err
}

// TrimJSON is a JSON text without the white space around it, which does not survive
// the way as a part of another.
func TrimJSON(text []byte) []byte { return bytes.Trim(text, " \t\r\n") }
