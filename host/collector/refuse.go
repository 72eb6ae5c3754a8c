package collector

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// refusals are the areas of the codes that refuse a run for what is on this
// machine: the module, what it asks for, and the folders that it reads.
var refusals = []string{"plugin", "manifest", "binding", "files", "guest", "limit", "boundary", "worker"}

// refuses reports whether the error belongs to a run that could not begin here. Usage errors
// and a busy lane are not refusals.
func refuses(err error) bool {
	code := abi.CodeOf(err)
	area, _, _ := strings.Cut(string(code), ".")
	return slices.Contains(refusals, area) || code == abi.CodeConnectionInvalid || code == client.CodeRefused
}

// refuse tells the host of a run that was refused before it began: as of one that
// failed, since a lane that says nothing else would look well.
func (e *execution) refuse(ctx context.Context, why error, began time.Time) error {
	if e.result.Run != nil || e.d.Over() {
		return nil // its end says it, or nothing is taken
	}
	if !refuses(why) {
		area, _, _ := strings.Cut(string(abi.CodeOf(why)), ".")
		e.end.unsaid = area == "storage" || area == "internal" || area == "delivery" // the host took nothing of a run
		return nil
	}
	about, module := e.known(ctx)
	r := storage.Refusal{
		RunID: e.c.deps.NewID(), Connector: e.lane.Profile.ConnectorID, ModuleSHA256: module, Mode: abi.ModeIncremental, StartedAt: began,
		Error: storage.RunError{Code: string(abi.CodeOf(why)), Message: "an internal error", RecoveryHint: "manual_action_required"},
	}
	if about != nil {
		r.Connector, r.Version = about.ConnectorKey, about.Version
		for i := range about.Streams {
			r.Streams = append(r.Streams, about.Streams[i].Name)
		}
	}
	if a, ok := errors.AsType[*abi.Error](why); ok {
		r.Error.Message, r.Error.Hint = a.Message, a.Hint
	}
	if _, err := e.store.RefuseRun(ctx, r); err != nil {
		return err
	}
	return e.d.Drain(ctx)
}

// known returns the manifest that the lane's module was accepted with, and that module's
// hash; for a lane without one, those of the module that is installed now. It sends the
// manifest to a host that has none, which otherwise accepts no end of a run.
func (e *execution) known(ctx context.Context) (about *described, module string) {
	about, module = e.about, e.module
	conn, err := accepted(ctx, e.store)
	if err == nil && conn != nil {
		if m, err := manifest.Parse(conn.PinnedManifest); err == nil {
			about, module = &described{m, conn.PinnedManifest}, conn.PinnedSHA256
		}
	}
	if about == nil || e.c.enrolledFor(about.Manifest) != nil {
		return nil, ""
	}
	if e.state != nil && e.state.ManifestSHA256 == "" {
		err := e.lane.PutManifest(ctx, module, about.raw)
		if err != nil {
			e.c.deps.Logger.Debug("the host was not told of the connector", "code", string(abi.CodeOf(err)))
		}
	}
	return about, module
}

// recallKeys learns the primary keys of what waits from the module that made it.
func (e *execution) recallKeys(ctx context.Context) error {
	conn, err := accepted(ctx, e.store)
	if err != nil || conn == nil {
		return err
	}
	if m, err := manifest.Parse(conn.PinnedManifest); err == nil {
		e.lane.Manifest = m
	}
	return nil
}
