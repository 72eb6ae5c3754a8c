package main

import (
	"context"

	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// described is a module that was loaded, and what its manifest says.
type described = modules.Described

// openModule reads the module that CONNECTOR names: a path, or a name in the
// plugins folder.
func openModule(c *config.Config, connector string) (*plugin.File, error) {
	return modules.Open(c, connector, "pdpp-host plugins list")
}

// describe checks everything of a module that can be checked before it runs.
func describe(ctx context.Context, engine *plugin.Engine, file *plugin.File) (*described, error) {
	return modules.Describe(ctx, engine, file)
}

func installed(dir string) ([]string, error) { return modules.Installed(dir) }

func isPath(connector string) bool { return modules.IsPath(connector) }

func validName(name string) bool { return modules.ValidName(name) }
