package main

import (
	"cmp"
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// acceptFirst sees to it that the module of a run is accepted, where its connection
// has accepted none: the owner said --accept, or is asked on the terminal. Otherwise
// the run itself is refused.
func (a *app) acceptFirst(ctx context.Context, c *config.Config, store *storage.Store, engine *plugin.Engine, request *run.Request, f runFlags) error {
	ask := !f.noInput && a.interactive()
	if !f.accept && !ask {
		return nil
	}
	d, err := describe(ctx, engine, request.Module)
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
	t, err := a.terms(c, d, added(conn.Roots, request.Roots), added(conn.Options, request.Options))
	if err != nil {
		return err
	}
	if !f.accept {
		request.Allowed, err = a.askToAccept(ctx, t, nil, nil)
		request.Accept = err == nil
		return err
	}
	request.Accept = true
	if !a.Flags.Quiet {
		t.Write(a.Err, a.tilde)
	}
	return nil
}

// askToAccept shows the terms on the terminal and asks for the owner's word.
func (a *app) askToAccept(ctx context.Context, t *consent.Terms, items, before []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	return a.consentAsker().Ask(ctx, t, items, before)
}

func (a *app) consentAsker() consent.Asker {
	return consent.Asker{Program: "pdpp-host", In: a.In, Err: a.Err, Tilde: a.tilde}
}
