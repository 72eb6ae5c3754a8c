package main

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// missesModule reports whether the plugins folder has no module of a connection
// that this host runs, where its verdict does not say so already. It is no part of
// the verdict, which is made of what is stored alone, and no store knows a folder:
// what serves looks there, and keeps what it finds.
func missesModule(ctx context.Context, c *config.Config, store *storage.Store, b *view.Brief, s *subject) bool {
	told := slices.ContainsFunc(b.RequiredActions, func(a view.Action) bool { return a.CTACode == "cta_put_right_module" })
	if len(s.feeds) > 0 || told || !moduleGone(c, s.connector) {
		return false
	}
	conn, err := store.Connection(ctx, s.connection)
	return err != nil || moduleMissing(c, conn)
}

// noModule says that a connector's module is missing.
func noModule(connector string) string {
	return "no module of connector " + output.Clean(connector) + " is in the plugins folder"
}

// missingModules is a line for each connector whose module is missing.
func missingModules(items []statusItem) (lines []string) {
	var connectors []string
	names := map[string]string{}
	for i := range items {
		if x := &items[i]; x.ModuleMissing {
			if _, known := names[x.Connector]; !known {
				connectors = append(connectors, x.Connector)
			} else {
				names[x.Connector] += ", "
			}
			names[x.Connector] += output.Clean(x.Name)
		}
	}
	for _, connector := range connectors {
		lines = append(lines, noModule(connector)+": "+names[connector]+"; see: "+program+" doctor")
	}
	return lines
}
