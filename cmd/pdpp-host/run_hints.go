package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// orByPath gives the error of a changed module a hint that works for a module
// that was named by its path: the plugins folder may have none of its name.
func orByPath(typed, connection string, err error) error {
	var e *abi.Error
	if !modules.IsPath(typed) || !errors.As(err, &e) || e.Code != abi.CodePluginChanged {
		return err
	}
	verify := "pdpp-host plugins verify " + quoted(typed)
	if connection != "" {
		verify += " --connection " + connection
	}
	return e.WithHint("see what changed with: " + verify + "   and accept it with: " + verify + " --accept").Wrap(err)
}

// completeRunStream completes the streams of the connector that was typed, as
// far as its connections know them.
func (a *app) completeRunStream(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	c, err := a.Config()
	if err != nil || len(args) == 0 || !c.StoreOnServer() && !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	_ = a.toRead(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		all, err := store.Connections(cmd.Context())
		for i := range all {
			if m := modules.Pinned(&all[i]); m != nil && abi.SameConnector(m.ConnectorKey, args[0]) {
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

// nothingFound says where a run looked that found nothing to collect there; "" when
// it said no such thing.
func (a *app) nothingFound(r *run.Result) string {
	if !slices.ContainsFunc(r.KnownGaps, func(g run.KnownGap) bool { return g.Reason == "nothing_found" }) {
		return ""
	}
	var folders []string
	for _, root := range r.Roots {
		folders = append(folders, a.Tilde(root.Path))
	}
	line := "nothing to collect was found"
	if len(folders) > 0 {
		line += " in " + output.Clean(strings.Join(folders, " and "))
	}
	return line
}
