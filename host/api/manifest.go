package api

import (
	"errors"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

// putManifest keeps what a source runs. It must be the connector that the source
// was enrolled for, and one that the host can hold records to.
func (a *API) putManifest(c *call) (any, error) {
	var q device.Manifest
	if err := c.decode(&q); err != nil {
		return nil, err
	}
	switch {
	case !abi.SameConnector(q.ConnectorID, c.source.ConnectorID):
		return nil, wrong("connector_id", "is not the one that the source was enrolled for")
	case !device.IsSum256(q.ModuleSHA256):
		return nil, wrong("module_sha256", "must be a SHA-256 in lower-case hex")
	case none(q.Manifest) || len(q.Manifest) > abi.MaxManifestBytes:
		return nil, wrong("manifest", "must be there, and at most "+sizeText(abi.MaxManifestBytes))
	}
	h, err := a.gates.lookUp(q.Manifest)
	if err == nil {
		err = boundary.CheckSchemas(h.manifest)
	}
	if err != nil {
		return nil, invalidManifest(err)
	}
	if !abi.SameConnector(h.manifest.ConnectorKey, c.source.ConnectorID) {
		return nil, wrong("manifest.connector_key", "is not the connector that the source was enrolled for")
	}
	changed, err := a.store.PutDeviceManifest(c.r.Context(), c.source, q.ModuleSHA256, q.Manifest)
	if err != nil {
		return nil, err
	}
	if changed {
		what := "a source runs another manifest"
		if c.source.ManifestSHA256 == "" {
			what = "a source has said what it runs"
		}
		a.logger.Info(what, "source", c.source.ID, "manifest", h.sha256, "request", c.id)
	}
	return device.ManifestAnswer{Object: "device_source_instance_manifest", SourceInstanceID: c.source.ID, SHA256: h.sha256, Changed: changed}, nil
}

// maxProblems bounds what a refusal repeats of a manifest's problems, in bytes.
const maxProblems = 1000

// invalidManifest says which rules a manifest breaks: paths in it and rules, and
// no value.
func invalidManifest(err error) error {
	var e *abi.Error
	if !errors.As(err, &e) {
		return err
	}
	detail := e.Detail
	if len(detail) > maxProblems {
		detail = strings.ToValidUTF8(detail[:maxProblems], "") + "..."
	}
	return wrong("manifest", "is not valid: "+detail)
}
