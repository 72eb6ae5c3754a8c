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

// streamNames lists the streams that the store has and those that the accepted
// manifest declares.
func streamNames(ctx context.Context, store *storage.Store, conn *storage.Connection) ([]string, error) {
	infos, err := store.Streams(ctx, conn.Name)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range infos {
		names = append(names, s.Name)
	}
	if m := pinnedManifest(conn); m != nil {
		for _, s := range m.Streams {
			names = append(names, s.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// theStreams names the streams of a connection, and what to do when it has none.
func theStreams(conn *storage.Connection, names []string) string {
	if len(names) == 0 {
		return "nothing was collected yet: pdpp-host run " + conn.Connector
	}
	return "its streams are: " + strings.Join(names, ", ")
}

// streamKnown refuses a stream that is not among the connection's.
func streamKnown(conn *storage.Connection, stream string, names []string) error {
	if slices.Contains(names, stream) {
		return nil
	}
	hint := theStreams(conn, names)
	if n := abi.Nearest(stream, names); n != "" {
		hint = fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("connection %s has no stream %q", conn.Name, stream), hint)
}

// takesStream checks arguments as takes does. To a connection without a stream it
// says which streams there are.
func (a *app) takesStream(names ...string) cobra.PositionalArgs {
	check := takes(names...)
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		if err == nil || len(args) != 1 {
			return err
		}
		return a.toRead(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
			conn, err := a.connection(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			known, err := streamNames(cmd.Context(), store, conn)
			if err != nil {
				return err
			}
			return usage(cmd.CommandPath()+" needs "+names[1], theStreams(conn, known)+"; write: "+
				strings.Join(append([]string{cmd.CommandPath(), quoted(conn.Name)}, names[1:]...), " "))
		})
	}
}
