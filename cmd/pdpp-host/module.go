package main

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
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

// codeMisnamed is of a module that lies in the plugins folder under another
// connector's name.
const codeMisnamed abi.Code = "plugin.misnamed"

// misnamed refuses a module that is not the connector that it is called: what it
// collects would go into another connection. Who names it by its path means it as
// it is.
func misnamed(typed string, d *described) error {
	key := d.Manifest.ConnectorKey
	if isPath(typed) || typed == key {
		return nil
	}
	return abi.NewError(codeMisnamed, fmt.Sprintf("the module that is called %s is connector %s", typed, key),
		fmt.Sprintf("give the file its own name, %s%s, or run it by its path", key, plugin.Extension)).WithDetail(d.File.Path)
}

func installed(dir string) ([]string, error) { return modules.Installed(dir) }

func isPath(connector string) bool { return modules.IsPath(connector) }

func validName(name string) bool { return modules.ValidName(name) }
