package api

import (
	"context"
	"net/http"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pinned returns the manifest that a source's records are held against: the one
// that it put itself, and that its connection still has. That of a source which puts
// none, as public collectors do, is this host's own.
func (a *API) pinned(ctx context.Context, src *storage.SourceInstance) (*held, error) {
	conn, err := a.store.Connection(ctx, src.ConnectionID)
	if err != nil {
		return nil, err
	}
	switch {
	case src.ManifestSHA256 == "" && len(conn.PinnedManifest) == 0:
		return a.adopt(ctx, src)
	case src.ManifestSHA256 == "", device.Sum256(conn.PinnedManifest) == src.ManifestSHA256:
		return a.gates.lookUp(conn.PinnedManifest)
	}
	return nil, manifestMissing()
}

// adopt holds a source's records against the manifest of the connector that is
// installed here.
func (a *API) adopt(ctx context.Context, src *storage.SourceInstance) (*held, error) {
	if a.installed == nil {
		return nil, manifestMissing()
	}
	raw, module, err := a.installed(ctx, src.ConnectorID)
	if err != nil {
		return nil, err
	}
	if len(raw) == 0 {
		return nil, manifestMissing()
	}
	h, err := a.gates.lookUp(raw)
	if err != nil {
		return nil, err
	}
	return h, a.store.AdoptManifest(ctx, src, module, raw)
}

// renew adopts the installed manifest again when a source that puts none begins a
// run: the connector may have been renewed since.
func (a *API) renew(ctx context.Context, src *storage.SourceInstance) {
	if src.ManifestSHA256 != "" || a.installed == nil {
		return
	}
	if _, err := a.adopt(ctx, src); err != nil {
		a.logger.Debug("no manifest was adopted", "source", src.ID, "code", refusalOf(err).code) // its first delivery says so
	}
}

func manifestMissing() error {
	return refuse(http.StatusConflict, device.CodeManifestMissing,
		"the host has no manifest to hold this source's records against; put it first, or install the connector on the host")
}
