package main

import (
	"cmp"
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// acceptFirst sees to it that the module of a run is accepted, where its connection
// has accepted none: the owner said --accept, or is asked on the terminal. Otherwise
// the run itself is refused.
func (a *app) acceptFirst(ctx context.Context, store *storage.Store, engine *plugin.Engine, request *run.Request, f runFlags) error {
	ask := !f.noInput && a.Interactive()
	if !f.accept && !ask {
		return nil
	}
	known, err := store.Connection(ctx, cmp.Or(request.Connection, request.Module.Name))
	if err == nil && known.PinnedSHA256 == request.Module.SHA256 {
		return nil // accepted as it is: describing it would take longer than the start of a run
	}
	d, err := modules.Describe(ctx, engine, request.Module)
	if err != nil {
		return nil //nolint:nilerr // the run itself says what is wrong with its module
	}
	conn, err := store.Connection(ctx, cmp.Or(request.Connection, d.Manifest.ConnectorKey))
	switch {
	case abi.CodeOf(err) == abi.CodeConnectionUnknown:
		conn = &storage.Connection{}
	case err != nil:
		return err
	case conn.PinnedSHA256 != "":
		return nil
	}
	t, err := a.owner.Terms(d, owner.Overlaid(conn.Roots, request.Roots), owner.Overlaid(conn.Options, request.Options))
	if err != nil {
		return err
	}
	if !f.accept {
		request.Allowed, err = a.Asker().Ask(ctx, t, nil, nil)
		request.Accept = err == nil
		return err
	}
	request.Accept = true
	if !a.Flags.Quiet {
		consent.Write(a.Err, t, a.Tilde)
	}
	return nil
}
