package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) connectionsCommand() *cobra.Command {
	list := func(cmd *cobra.Command) error { return a.connectionsList(cmd.Context()) }
	cmd := a.group("connections", "Show and change connections", list)
	var f addFlags
	add := &cobra.Command{
		Use: "add NAME CONNECTOR", Short: "Make a connection with its own folders and options", Args: takes("NAME", "CONNECTOR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.connectionsAdd(cmd.Context(), args[0], args[1], f)
		},
	}
	add.Flags().StringArrayVar(&f.roots, "root", nil, "grant the folder `NAME=PATH` in every run (repeatable)")
	add.Flags().BoolVar(&f.accept, "accept", false, "accept the module, without being asked")
	add.Flags().StringArrayVar(&f.set, "set", nil, "connector option `KEY=VALUE` for every run, never a secret (repeatable)")
	var yes bool
	remove := &cobra.Command{
		Use: "remove NAME", Short: "Delete a connection and everything it collected", Args: takes("NAME"),
		ValidArgsFunction: a.completeConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.connectionsRemove(cmd.Context(), args[0], yes) },
	}
	remove.Flags().BoolVar(&yes, "yes", false, "yes, delete the records too")
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Short: "List the connections", Args: takes(),
			RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd) },
		},
		add, a.setCommand(),
		&cobra.Command{
			Use: "show NAME", Short: "Show a connection, its streams and checkpoints", Args: takes("NAME"),
			ValidArgsFunction: a.completeConnection,
			RunE:              func(cmd *cobra.Command, args []string) error { return a.connectionsShow(cmd.Context(), args[0]) },
		},
		remove,
		a.credentialCommand(), a.scheduleCommand(),
	)
	return cmd
}

// connection finds a connection, or names the nearest one.
func (a *app) connection(ctx context.Context, store *storage.Store, name string) (*storage.Connection, error) {
	conn, err := store.Connection(ctx, name)
	if conn != nil && conn.Unreadable != nil {
		return conn, nil //nolint:nilerr // it can be looked at, and removed; a run refuses it
	}
	if abi.CodeOf(err) != abi.CodeConnectionUnknown || err == nil {
		return conn, err
	}
	all, listErr := store.Connections(ctx)
	if listErr != nil {
		return nil, err
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].Name
	}
	slices.Sort(names)
	hint := "there are none yet: `pdpp-host plugins accept CONNECTOR` makes one"
	if n := abi.Nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %q?", n)
	} else if len(names) > 0 {
		hint = "there are: " + strings.Join(names, ", ")
	}
	return nil, abi.NewError(abi.CodeConnectionUnknown, fmt.Sprintf("there is no connection %q", name), hint).Wrap(err)
}

func (a *app) completeConnection(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) > 0 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	_ = a.toRead(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Connections(cmd.Context())
		for i := range all {
			names = append(names, all[i].Name)
		}
		return err
	}) // completion has nowhere to report to
	return names, cobra.ShellCompDirectiveNoFileComp
}
