package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/interact"
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
	t, err := a.terms(c, d, added(conn.Roots, request.Roots))
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

// errNotAccepted: the owner looked at it and said no.
var errNotAccepted = abi.NewError(abi.CodePluginNotAccepted, "the module was not accepted", "nothing was run and nothing was kept; answer y to accept it")

// askToAccept shows the terms on the terminal and asks for the owner's word: once for
// the module, and then for each thing that goes by name, unless items or before has it.
func (a *app) askToAccept(ctx context.Context, t *consent.Terms, items, before []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	t.Write(a.Err, a.tilde)
	answer, err := a.askLine(ctx, "pdpp-host: accept it? [y/N] ")
	if err != nil {
		return nil, err
	}
	if answer = strings.ToLower(answer); answer != "y" && answer != "yes" {
		return nil, errNotAccepted
	}
	for _, ask := range t.Left(slices.Concat(items, before)) {
		fmt.Fprintf(a.Err, "it asks for this by name: %s %s\n", ask.What, output.Clean(ask.Value))
		answer, err := a.askLine(ctx, "pdpp-host: type "+output.Clean(ask.ByName.Name)+" to let it have that, or press Enter: ")
		if err != nil {
			return nil, err
		}
		if answer == ask.ByName.Name {
			items = append(items, ask.ByName)
		}
	}
	return items, nil
}

// askLine reads one line from the terminal.
func (a *app) askLine(ctx context.Context, prompt string) (string, error) {
	console, ok := interact.NewConsole(a.In)
	if !ok {
		return "", errors.New("standard input is no terminal")
	}
	type line struct {
		text string
		err  error
	}
	fmt.Fprint(a.Err, prompt)
	read := make(chan line, 1)
	go func() { // a read of a terminal cannot be taken back
		text, err := console.ReadLine()
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return strings.TrimSpace(l.text), l.err
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return "", context.Cause(ctx)
	}
}
