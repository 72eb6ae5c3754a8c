package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// orConnection looks at what was typed in a connector's place: when it is a
// connection's name, the error says how that one is run. Of one that a device
// feeds the module is not expected here.
func (a *app) orConnection(ctx context.Context, typed, connection string, err error) error {
	var e *abi.Error
	c, configErr := a.config()
	if !errors.As(err, &e) || e.Code != abi.CodePluginUnknown || configErr != nil || !exists(c.StorageDSN()) {
		return err
	}
	if fed := a.fedByName(ctx, c, cmp.Or(connection, typed)); fed != nil {
		return fed
	}
	found := ""
	_ = a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := store.Connection(ctx, typed)
		if err == nil {
			found = conn.Connector
		}
		return err
	}) // the error at hand says more than a store that cannot be read
	if found == "" || found == typed {
		return err
	}
	return abi.NewError(e.Code, e.Message+"; it is a connection of "+found,
		fmt.Sprintf("run it with: pdpp-host run %s --connection %s", found, typed)).WithDetail(e.Detail).Wrap(err)
}

// orByPath gives the error of a changed module a hint that works for a module
// that was named by its path: the plugins folder may have none of its name.
func orByPath(typed, connection string, err error) error {
	var e *abi.Error
	if !isPath(typed) || !errors.As(err, &e) || e.Code != abi.CodePluginChanged {
		return err
	}
	verify := "pdpp-host plugins verify " + quoted(typed)
	if connection != "" {
		verify += " --connection " + connection
	}
	return abi.NewError(e.Code, e.Message, "see what changed with: "+verify+"   and accept it with: "+verify+" --accept").
		WithDetail(e.Detail).Wrap(err)
}

// completeRunStream completes the streams of the connector that was typed, as
// far as its connections know them.
func (a *app) completeRunStream(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.config()
	if err != nil || len(args) == 0 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	_ = a.withStore(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Connections(cmd.Context())
		for i := range all {
			if m := pinnedManifest(&all[i]); m != nil && m.ConnectorKey == args[0] {
				for _, s := range m.Streams {
					names = append(names, s.Name)
				}
			}
		}
		return err
	}) // completion has nowhere to report to
	slices.Sort(names)
	return slices.Compact(names), cobra.ShellCompDirectiveNoFileComp
}
