package api

import (
	"bytes"
	"context"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pinned returns the manifest that a source put itself, and that its connection still has: its records are held
// against it.
func (a *API) pinned(ctx context.Context, src *storage.SourceInstance) (*held, error) {
	conn, err := a.store.Connection(ctx, src.ConnectionID)
	if err != nil {
		return nil, err
	}
	if src.ManifestSHA256 != "" && device.Sum256(conn.PinnedManifest) == src.ManifestSHA256 {
		return a.gates.lookUp(conn.PinnedManifest)
	}
	return nil, manifestMissing()
}

func manifestMissing() error {
	return refuse(http.StatusConflict, device.CodeManifestMissing, "the host has no manifest to hold this source's records against; put it first")
}

// isPublic reports whether a source puts no manifest, as the public collector does not. That names no run in what it
// delivers either: a collector which does has a manifest to put.
func isPublic(src *storage.SourceInstance, runID string) bool {
	return src.ManifestSHA256 == "" && runID == ""
}

// described returns the manifest by which a delivery is taken: the one that the source put or, of a public one, the one
// that is learned. see learns from the delivery.
func (a *API) described(ctx context.Context, src *storage.SourceInstance, runID string, see func(*public.Manifest)) (*held, error) {
	if !isPublic(src, runID) {
		return a.pinned(ctx, src)
	}
	a.learning.Lock() // what two deliveries of one source teach at the same time is learned one after the other
	defer a.learning.Unlock()
	conn, err := a.store.Connection(ctx, src.ConnectionID)
	if err != nil {
		return nil, err
	}
	module := conn.PinnedSHA256
	m := public.Read(conn.PinnedManifest)
	if m == nil {
		var installed *abi.Manifest
		if installed, module, err = a.known(ctx, src); err != nil {
			return nil, err
		}
		m = public.New(src.ConnectorID, installed)
	}
	if see(m); len(m.Streams) == 0 {
		return nil, manifestMissing() // and nothing to learn it from
	}
	text, err := m.Text()
	if err != nil {
		return nil, err
	}
	h, err := a.gates.lookUp(text)
	if err != nil || bytes.Equal(text, conn.PinnedManifest) {
		return h, err
	}
	return h, a.store.LearnManifest(ctx, src, module, text)
}

// known returns the manifest of a source's connector, if one is installed here and can be read, and its module.
func (a *API) known(ctx context.Context, src *storage.SourceInstance) (m *abi.Manifest, module string, err error) {
	unknown := device.Sum256([]byte(src.ConnectorID))
	if a.installed == nil {
		return nil, unknown, nil
	}
	raw, module, err := a.installed(ctx, src.ConnectorID)
	if err == nil && len(raw) > 0 {
		m, err = manifest.Parse(raw)
	}
	switch {
	case err == nil && m != nil:
		return m, module, nil
	case context.Cause(ctx) != nil:
		return nil, "", context.Cause(ctx)
	case err != nil:
		a.logger.Warn("the connector that is installed here cannot be read", "connector", src.ConnectorID, "code", refusalOf(err).code)
	}
	return nil, unknown, nil
}

// seeNames learns that a public source has streams.
func seeNames(streams ...string) func(*public.Manifest) {
	return func(m *public.Manifest) {
		for _, s := range streams {
			m.Name(s)
		}
	}
}
