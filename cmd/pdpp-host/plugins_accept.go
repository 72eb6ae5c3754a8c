package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/consent"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// acceptFlags are the flags of `plugins accept`, as typed.
type acceptFlags struct {
	connection string
	allow      []string
	accept     bool
}

func (a *app) pluginsAcceptCommand() *cobra.Command {
	var f acceptFlags
	cmd := &cobra.Command{
		Use: "accept NAME", Short: "Accept a module before it runs, with what it asks for", Args: takes("NAME"),
		Long: "Shows everything that a module asks for, and accepts it: a connection runs the accepted module and no other. NAME is a\n" +
			"connector, a path to a .wasm file, or a connection. You are asked first; where that is no terminal, --accept is your word.\n\n" +
			"A credential's variable that is not called after the connector, and a folder where other programs keep secrets, are\n" +
			"accepted one by one, with --allow.",
		Example:           "  pdpp-host plugins accept claude_code\n  pdpp-host plugins accept notes --allow variable=SHARED_TOKEN",
		ValidArgsFunction: a.completeRunnable,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.pluginsAccept(cmd.Context(), args[0], f) },
	}
	cmd.Flags().StringVar(&f.connection, "connection", "", "only for the connection `NAME`")
	cmd.Flags().StringArrayVar(&f.allow, "allow", nil, "accept `KIND=NAME` too, as in variable=SHARED_TOKEN or folder=~/.ssh (repeatable)")
	cmd.Flags().BoolVar(&f.accept, "accept", false, "accept it without being asked")
	return cmd
}

// acceptance is the result of `plugins accept`.
type acceptance struct {
	Connector   string                 `json:"connector"`
	Version     string                 `json:"version"`
	SHA256      string                 `json:"sha256"`
	Connections []string               `json:"connections"`
	Asks        []string               `json:"asks_for"`
	ByName      []storage.AcceptedItem `json:"accepted_by_name"`
	Left        []storage.AcceptedItem `json:"not_accepted"` // asked for by name
}

func (a *app) pluginsAccept(ctx context.Context, typed string, f acceptFlags) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	m, err := a.openTyped(ctx, c, typed, f.connection)
	if err != nil {
		return err
	}
	return a.withStore(ctx, func(c *config.Config, store *storage.Store) error {
		return a.withEngine(c, func(engine *plugin.Engine) error {
			d, err := describe(ctx, engine, m.file)
			if err == nil {
				err = misnamed(m.connector, d)
			}
			if err == nil {
				err = refuseFed(ctx, store, engine, m.file, m.connection)
			}
			if err != nil {
				return err
			}
			return a.acceptModule(ctx, c, store, d, &m, f)
		})
	})
}

// acceptModule shows what a module gets, asks on a terminal, and accepts it.
func (a *app) acceptModule(ctx context.Context, c *config.Config, store *storage.Store, d *described, m *typedModule, f acceptFlags) error {
	conns, err := toAccept(ctx, store, d, m.connection)
	if err != nil {
		return err
	}
	t, err := a.commonTerms(c, d, conns)
	if err != nil {
		return err
	}
	items, err := t.Allow(f.allow, a.Home)
	if err != nil {
		return err
	}
	switch {
	case f.accept:
	case !a.interactive():
		return a.notAsked(t, m, f)
	default:
		if items, err = a.askToAccept(ctx, t, items, acceptedByAll(conns, d.File.SHA256)); err != nil {
			return err
		}
	}
	return a.acceptAll(ctx, store, conns, t, items, m.path)
}

// notAsked shows what a module gets, and refuses to take silence for its owner's word.
func (a *app) notAsked(t *consent.Terms, m *typedModule, f acceptFlags) error {
	if !a.Flags.Quiet {
		t.Write(a.Err, a.tilde)
	}
	return consent.NotAsked((&subject{connector: m.connector, connection: cmp.Or(m.connection, m.connector)}).accept(), f.allow)
}

// toAccept are the connections that a module is accepted for: the one that was named,
// else those that there are of its connector, else one of the connector's name, which
// is not there yet.
func toAccept(ctx context.Context, store *storage.Store, d *described, connection string) (conns []storage.Connection, err error) {
	all, err := ownConnections(ctx, store)
	if err != nil {
		return nil, err
	}
	key := d.Manifest.ConnectorKey
	for i := range all {
		if all[i].Name == connection && !abi.SameConnector(all[i].Connector, key) {
			return nil, abi.NewError(abi.CodeConnectionInvalid,
				fmt.Sprintf("connection %q belongs to connector %q, not to %q", connection, all[i].Connector, key), "name another one with --connection")
		}
		if abi.SameConnector(all[i].Connector, key) && (connection == "" || all[i].Name == connection) {
			conns = append(conns, all[i])
		}
	}
	if len(conns) == 0 {
		conns = []storage.Connection{{Name: cmp.Or(connection, key), Connector: key}}
	}
	return conns, nil
}

// commonTerms are what each of these connections gets by accepting a module. It
// refuses connections that get different things: their owner would accept for one of
// them what was shown of another.
func (a *app) commonTerms(c *config.Config, d *described, conns []storage.Connection) (*consent.Terms, error) {
	var common *consent.Terms
	var names []string
	differ := false
	for i := range conns {
		t, err := a.terms(c, d, conns[i].Roots, conns[i].Options)
		if err != nil {
			return nil, err
		}
		common, names = cmp.Or(common, t), append(names, conns[i].Name)
		differ = differ || !slices.Equal(t.Asks, common.Asks) || !slices.Equal(t.ByName, common.ByName)
	}
	if differ {
		key := d.Manifest.ConnectorKey
		return nil, usage(fmt.Sprintf("the connections of %s do not get the same: %s", key, strings.Join(names, ", ")),
			"accept it for each by itself: pdpp-host plugins accept "+key+" --connection NAME")
	}
	return common, nil
}

// acceptedByAll are the things that each of these connections accepted by name, with
// the module of that hash.
func acceptedByAll(conns []storage.Connection, sha256 string) (items []storage.AcceptedItem) {
	for _, item := range conns[0].Accepted {
		if !slices.ContainsFunc(conns, func(conn storage.Connection) bool {
			return conn.PinnedSHA256 != sha256 || !conn.Accepts(item.Kind, item.Name)
		}) {
			items = append(items, item)
		}
	}
	return items
}

// terms are what a module gets with these folders and options of its connection.
func (a *app) terms(c *config.Config, d *described, roots, options map[string]string) (*consent.Terms, error) {
	t, err := consent.With(d, a.rootResolver(c), roots)
	if base := options[run.OptionBaseURL]; err == nil && base != "" {
		t.Asks = append(t.Asks, modules.Ask{What: "asks at", Value: base + ", instead of its provider; its credentials go there"})
	}
	return t, err
}

func (a *app) acceptAll(ctx context.Context, store *storage.Store, conns []storage.Connection, t *consent.Terms, items []storage.AcceptedItem, path string) error {
	m := t.Module.Manifest
	r := acceptance{
		Connector: m.ConnectorKey, Version: m.Version, SHA256: t.Module.File.SHA256,
		ByName: []storage.AcceptedItem{}, Left: []storage.AcceptedItem{},
	}
	for _, ask := range t.Asks {
		r.Asks = append(r.Asks, ask.String())
	}
	for i := range conns {
		conn, err := consent.Accept(ctx, store, conns[i].Name, t, items, path)
		if err != nil {
			return err
		}
		r.Connections, conns[i] = append(r.Connections, conn.Name), *conn
	}
	r.ByName = append(r.ByName, acceptedByAll(conns, r.SHA256)...)
	for _, ask := range t.Left(r.ByName) {
		r.Left = append(r.Left, ask.ByName)
	}
	summary := fmt.Sprintf("accepted %s %s for %s", r.Connector, r.Version, strings.Join(r.Connections, ", "))
	return a.Printer.Result(summary, r, func(w io.Writer) {
		if a.Flags.Quiet {
			return
		}
		if !a.interactive() {
			t.Write(w, a.tilde)
		}
		fmt.Fprintln(w, output.Clean(summary))
		for _, item := range r.Left {
			fmt.Fprintln(w, output.Clean("  not accepted: "+item.String()+"; accept it with: "+
				a.advice("pdpp-host plugins accept "+quoted(conns[0].Name)+" --allow "+quoted(item.String()))))
		}
	})
}
