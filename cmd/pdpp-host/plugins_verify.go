package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// verified is one connection held against the module that is installed now.
type verified struct {
	Connection string           `json:"connection"`
	Connector  string           `json:"connector"`
	Module     string           `json:"module"`
	Pinned     string           `json:"pinned_sha256"`
	Found      string           `json:"found_sha256"`
	State      string           `json:"state"` // same, changed, accepted, not_pinned, broken, missing
	Changes    []modules.Change `json:"changes"`
	AsksFor    []string         `json:"asks_for"`
	Problem    *problem         `json:"problem,omitempty"` // of a broken module, which has no connection here

	typed string // what names the module on a command line
	err   error  // of a broken module, or of one that is not accepted and should be
}

func (a *app) pluginsVerifyCommand() *cobra.Command {
	var accept bool
	var connection string
	cmd := &cobra.Command{
		Use: "verify [CONNECTOR]", Short: "Hold modules against what was accepted, and accept a changed one", Args: takes("[CONNECTOR]"),
		Long: "Compares each connection's pinned module with the installed one and shows what changed in what it asks for.\n" +
			"With --accept the installed module becomes the accepted one. A connection's first module is accepted with plugins accept.",
		ValidArgsFunction: a.completeConnector,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pluginsVerify(cmd.Context(), args, connection, accept)
		},
	}
	cmd.Flags().BoolVar(&accept, "accept", false, "accept the installed module")
	cmd.Flags().StringVar(&connection, "connection", "", "only the connection `NAME`")
	return cmd
}

func (a *app) pluginsVerify(ctx context.Context, args []string, only string, accept bool) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	names := args
	if len(names) == 0 {
		if accept {
			return usage("--accept needs CONNECTOR", "name the one module that you have looked at")
		}
		if names, err = installed(c.PluginsDir()); err != nil {
			return err
		}
	}
	var rows []verified
	err = a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		connections, err := ownConnections(ctx, store)
		if err != nil {
			return err
		}
		return a.withEngine(c, func(engine *plugin.Engine) error {
			v := verifier{config: c, store: store, engine: engine, connections: connections, only: only, accept: accept, all: len(args) == 0}
			err := v.verify(ctx, names, modulesElsewhere(c, connections, args, only))
			rows = v.rows
			return err
		})
	})
	if err != nil {
		return err
	}
	return a.tellVerified(rows)
}

// modulesElsewhere are the modules of the connections that run one by its path, by
// the connection's name: of all that are meant by the arguments, or of every one.
func modulesElsewhere(c *config.Config, connections []storage.Connection, args []string, only string) map[string]string {
	found := map[string]string{}
	for i := range connections {
		conn := &connections[i]
		meant := len(args) == 0 || slices.Contains(args, conn.Connector) || slices.Contains(args, conn.Name)
		if !meant || only != "" && conn.Name != only {
			continue
		}
		if _, path, err := moduleOf(c, conn); err == nil && path != "" {
			found[conn.Name] = path
		}
	}
	return found
}

// withoutModule are the connections that nothing was held against: their module is
// not installed.
func withoutModule(connections []storage.Connection, rows []verified, only string) (missing []verified) {
	for i := range connections {
		conn := &connections[i]
		if only != "" && conn.Name != only || slices.ContainsFunc(rows, func(v verified) bool { return v.Connection == conn.Name || v.Module == conn.Connector }) {
			continue
		}
		missing = append(missing, verified{
			Connection: conn.Name, Connector: conn.Connector, Pinned: conn.PinnedSHA256, State: "missing", Changes: []modules.Change{}, AsksFor: []string{},
		})
	}
	return missing
}

// verifier holds connections against modules.
type verifier struct {
	config      *config.Config
	store       *storage.Store
	engine      *plugin.Engine
	connections []storage.Connection
	only        string
	accept, all bool
	rows        []verified
}

// verify holds the connections against the modules of these names, and those that
// run one from elsewhere against that: where every module is meant, or the plugins
// folder has none of the name.
func (v *verifier) verify(ctx context.Context, names []string, elsewhere map[string]string) error {
	missed, here := v.all, v.connections
	if v.all {
		here = slices.DeleteFunc(slices.Clone(here), func(conn storage.Connection) bool { return elsewhere[conn.Name] != "" })
	}
	for _, name := range names {
		err := v.one(ctx, name, here, v.only)
		switch {
		case err == nil:
		case len(elsewhere) > 0 && abi.CodeOf(err) == abi.CodePluginUnknown:
			missed = true
		case !v.all || ctx.Err() != nil:
			return err
		default: // the others are still to be looked at
			v.rows = append(v.rows, unsound(name, err))
		}
	}
	for _, name := range sorted(elsewhere) {
		if !missed {
			break
		}
		if err := v.one(ctx, elsewhere[name], v.connections, name); err != nil {
			return err
		}
	}
	if v.all {
		v.rows = append(v.rows, withoutModule(v.connections, v.rows, v.only)...)
	}
	return nil
}

// one holds connections against one module.
func (v *verifier) one(ctx context.Context, typed string, connections []storage.Connection, only string) error {
	d, err := openDescribed(ctx, v.config, v.engine, typed)
	if err != nil {
		return err
	}
	found, err := verifyModule(ctx, v.store, connections, d, only, v.accept)
	path := ""
	if isPath(typed) {
		path = typed
	}
	for i := range found {
		found[i].typed = typed
		if v.accept && found[i].State == "not_pinned" {
			found[i].err = run.NotAccepted(found[i].Connector, found[i].Connection, path)
		}
	}
	v.rows = append(v.rows, found...)
	return err
}

func openDescribed(ctx context.Context, c *config.Config, engine *plugin.Engine, name string) (*described, error) {
	file, err := openModule(c, name)
	if err != nil {
		return nil, err
	}
	d, err := describe(ctx, engine, file)
	if err == nil {
		err = misnamed(name, d)
	}
	return d, err
}

// unsound is the row of a module that cannot be held against anything.
func unsound(name string, err error) verified {
	return verified{Module: name, State: "broken", Changes: []modules.Change{}, AsksFor: []string{}, Problem: problemOf(err), err: err}
}

// verifyModule holds the connections of one module against it.
func verifyModule(ctx context.Context, store *storage.Store, connections []storage.Connection, d *described, only string, accept bool) ([]verified, error) {
	var rows []verified
	for _, conn := range connections {
		if !abi.SameConnector(conn.Connector, d.Manifest.ConnectorKey) || only != "" && conn.Name != only {
			continue
		}
		v := verified{
			Connection: conn.Name, Connector: conn.Connector, Module: d.File.Name, Pinned: conn.PinnedSHA256, Found: d.File.SHA256,
			State: "same", Changes: []modules.Change{}, AsksFor: []string{},
		}
		for _, k := range modules.Asks(d.Manifest) {
			v.AsksFor = append(v.AsksFor, k.String())
		}
		switch {
		case conn.PinnedSHA256 == "":
			v.State = "not_pinned"
		case conn.PinnedSHA256 != d.File.SHA256:
			v.State = "changed"
			if old, err := manifest.Parse(conn.PinnedManifest); err == nil {
				v.Changes = modules.Changes(old, d.Manifest)
			}
		}
		if accept && v.State == "changed" {
			if _, err := consent.Accept(ctx, store, conn.Name, consent.Of(d, nil), nil, ""); err != nil {
				return nil, err
			}
			v.State = "accepted"
		}
		rows = append(rows, v)
	}
	return rows, nil
}

func (a *app) tellVerified(rows []verified) error {
	text := func(w io.Writer) {
		if len(rows) == 0 {
			fmt.Fprintln(w, "no connection runs this connector yet: accept it with pdpp-host plugins accept")
		}
		for _, v := range rows {
			writeVerified(w, a.Printer.Style, v)
		}
	}
	result := map[string]any{"connections": rows}
	if rows == nil {
		result["connections"] = []verified{}
	}
	changed, bad := 0, 0
	first, firstBroken := verified{}, verified{}
	for _, v := range rows {
		switch {
		case v.State == "changed":
			if changed++; changed == 1 {
				first = v
			}
		case v.err != nil:
			if bad++; bad == 1 {
				firstBroken = v
			}
		}
	}
	switch {
	case changed == 0 && bad == 0:
		return a.Printer.Result(output.Plural(int64(len(rows)), "connection")+" verified", result, text)
	case changed == 0:
		if printErr := a.Printer.Failed(output.Plural(int64(bad), "module")+" cannot be used", result, a.advised(firstBroken.err), text); printErr != nil {
			return printErr
		}
		return firstBroken.err
	}
	err := abi.NewError(abi.CodePluginChanged, fmt.Sprintf("the module of connection %q is not the accepted one", first.Connection),
		"when you trust it: pdpp-host plugins verify "+quoted(first.typed)+" --accept").
		WithDetail(fmt.Sprintf("found sha256 %s, accepted is %s", output.ShortHash(first.Found), output.ShortHash(first.Pinned)))
	if printErr := a.Printer.Failed(fmt.Sprintf("%d changed", changed), result, a.advised(err), text); printErr != nil {
		return printErr
	}
	return err
}

func writeVerified(w io.Writer, s output.Style, v verified) {
	if v.State == "missing" {
		fmt.Fprintf(w, "%s  %s\n", s.Bold(output.Clean(v.Connection)), noModule(v.Connector))
		return
	}
	if v.State == "broken" {
		fmt.Fprintf(w, "%s  %s [%s]\n", s.Bold(output.Clean(v.Module)), output.Clean(v.Problem.Message), v.Problem.Code)
		return
	}
	words := map[string]string{
		"same": "is the accepted one", "changed": "has changed", "accepted": "is accepted now", "not_pinned": "waits to be accepted",
	}
	fmt.Fprintf(w, "%s  module %s %s\n", s.Bold(output.Clean(v.Connection)), output.Clean(filepath.Base(v.Module)), words[v.State])
	if v.State == "same" {
		return
	}
	if v.Pinned != "" {
		fmt.Fprintf(w, "  sha256 %s, was %s\n", v.Found, v.Pinned)
	}
	for _, c := range v.Changes {
		fmt.Fprintf(w, "  %s\n", output.Clean(c.String()))
	}
	if len(v.Changes) == 0 && v.Pinned != "" {
		fmt.Fprintln(w, "  its manifest asks for the same as before")
	}
	for _, k := range v.AsksFor {
		fmt.Fprintf(w, "  asks for: %s\n", output.Clean(k))
	}
}
