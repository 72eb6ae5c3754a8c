package main

import (
	"context"
	"fmt"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// described is a module that was loaded, and what its manifest says.
type described = modules.Described

// openModule reads the module that CONNECTOR names: a path, or a name in the
// plugins folder.
func openModule(c *config.Config, connector string) (*plugin.File, error) {
	return modules.Open(c, connector, "pdpp-host plugins list")
}

// moduleOf reads the module that a connection runs: the one in the plugins folder,
// unless it was named by a path, and that is the accepted one or the only one there
// is. path is "" for the plugins folder.
func moduleOf(c *config.Config, conn *storage.Connection) (file *plugin.File, path string, err error) {
	file, err = openModule(c, conn.Connector)
	kept := conn.ReadRoots[run.ModuleRoot]
	if kept == "" || err == nil && file.SHA256 == conn.PinnedSHA256 {
		return file, "", err
	}
	at, keptErr := openModule(c, kept)
	switch {
	case keptErr == nil && (err != nil || at.SHA256 == conn.PinnedSHA256):
		return at, kept, nil //nolint:nilerr // the plugins folder has none, and need not
	case abi.CodeOf(err) == abi.CodePluginUnknown && abi.CodeOf(keptErr) == abi.CodePluginUnknown:
		return nil, "", abi.NewError(abi.CodePluginUnknown, "the module of connection "+conn.Name+" is gone",
			"put it back there, or put "+conn.Connector+plugin.Extension+" into the plugins folder").WithDetail("it was " + kept).Wrap(keptErr)
	case abi.CodeOf(err) == abi.CodePluginUnknown:
		return nil, "", keptErr
	}
	return file, "", err
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
	if isPath(typed) || abi.SameConnector(typed, key) {
		return nil
	}
	return abi.NewError(codeMisnamed, fmt.Sprintf("the module that is called %s is connector %s", typed, key),
		fmt.Sprintf("give the file its own name, %s%s, or run it by its path", key, plugin.Extension)).WithDetail(d.File.Path)
}

// moduleGone reports whether the plugins folder has no module of a connector. It
// reads none: whether one that is there may run, a run tells.
func moduleGone(c *config.Config, connector string) bool {
	if !validName(connector) {
		return false
	}
	_, there := modules.Path(c.PluginsDir(), connector)
	return !there
}

// moduleMissing is moduleGone for a connection, whose module may have been named by
// its path.
func moduleMissing(c *config.Config, conn *storage.Connection) bool {
	kept := conn.ReadRoots[run.ModuleRoot]
	return moduleGone(c, conn.Connector) && (kept == "" || !exists(kept))
}

func installed(dir string) ([]string, error) { return modules.Installed(dir) }

func isPath(connector string) bool { return modules.IsPath(connector) }

func validName(name string) bool { return modules.ValidName(name) }
