package modules

import (
	"fmt"
	"os"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// ListCommand is the host's command that shows what is installed.
const ListCommand = "pdpp-host plugins list"

// Of reads the module that a connection runs: the one in the plugins folder,
// unless it was named by a path, and that is the accepted one or the only one there
// is. path is "" for the plugins folder.
func Of(c *config.Config, conn *storage.Connection) (file *plugin.File, path string, err error) {
	file, err = Open(c, conn.Connector, ListCommand)
	kept := run.ModulePath(conn)
	if kept == "" || err == nil && file.SHA256 == conn.PinnedSHA256 {
		return file, "", err
	}
	at, keptErr := Open(c, kept, ListCommand)
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

// Pinned returns the manifest that a connection was accepted with; nil when it has
// accepted none, or its manifest cannot be read.
func Pinned(conn *storage.Connection) *abi.Manifest {
	m, err := manifest.Parse(conn.PinnedManifest)
	if err != nil {
		return nil
	}
	return m
}

// CodeMisnamed says that the file name and the manifest's connector_key differ.
const CodeMisnamed abi.Code = "plugin.misnamed"

// Misnamed refuses a module that is not the connector that it is called: what it
// collects would go into another connection. An owner who names a module by its path
// means it as it is.
func Misnamed(typed string, d *Described) error {
	key := d.Manifest.ConnectorKey
	if IsPath(typed) || abi.SameConnector(typed, key) {
		return nil
	}
	return abi.NewError(CodeMisnamed, fmt.Sprintf("the module that is called %s is connector %s", typed, key),
		fmt.Sprintf("give the file its own name, %s%s, or run it by its path", key, plugin.Extension)).WithDetail(d.File.Path)
}

// Gone reports whether the plugins folder has no module of a connector. It reads no
// module: a run tells whether one that is there may run.
func Gone(c *config.Config, connector string) bool {
	if !ValidName(connector) {
		return false
	}
	_, there := Path(c.PluginsDir(), connector)
	return !there
}

// Missing is Gone for a connection, whose module may have been named by its path.
func Missing(c *config.Config, conn *storage.Connection) bool {
	kept := run.ModulePath(conn)
	if !Gone(c, conn.Connector) {
		return false
	}
	if kept == "" {
		return true
	}
	_, err := os.Lstat(kept)
	return err != nil
}

// PinnedPolicy returns what the accepted manifest recommends; nil when it recommends
// nothing, or there is none.
func PinnedPolicy(conn *storage.Connection) *abi.RefreshPolicy {
	if m := Pinned(conn); m != nil {
		return m.Capabilities.RefreshPolicy
	}
	return nil
}
