package connectors

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/atomicfile"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// CodeInstalled says that another module of the connector is installed.
const CodeInstalled abi.Code = "plugin.installed"

// Installation asks for a module to be put into the plugins folder.
type Installation struct {
	Module  io.Reader // its bytes, which nobody vouches for
	Replace bool      // another module of the connector, where one is there
}

// Installed is a module that lies in the plugins folder now. No connection runs it before
// it is accepted.
type Installed struct {
	Name      string `json:"name"`
	Connector string `json:"connector"`
	Version   string `json:"version"`
	SHA256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
	Replaced  string `json:"replaced_sha256,omitempty"` // the module whose place it took
	Unchanged bool   `json:"unchanged"`                 // it was there already
}

// Install puts a module into the plugins folder, under its connector's name. It is described
// in the sandbox first, which gives it nothing; a module that could not run is not kept. The
// file appears whole or not at all, for its owner alone.
func Install(ctx context.Context, o *owner.Owner, i Installation) (*Installed, error) {
	b, err := bounded(i.Module, o.Config.ModuleBytes())
	if err != nil {
		return nil, err
	}
	d, err := o.Describe(ctx, plugin.FromBytes("the module", b))
	if err != nil {
		return nil, err
	}
	key := d.Manifest.ConnectorKey
	if !modules.ValidName(key) {
		return nil, abi.NewError(abi.CodePluginInvalid, "the connector's key cannot be the name of a file", "ask its author for a key of letters, digits and '_'")
	}
	dir := o.Config.PluginsDir()
	if err := ownFolder(dir); err != nil {
		return nil, err
	}
	out := &Installed{Connector: key, Version: d.Manifest.Version, SHA256: d.File.SHA256, SizeBytes: d.File.Size}
	path, there := modules.Path(dir, key)
	out.Name = nameOf(path)
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	if there {
		if err := out.succeed(path, o.Config.ModuleBytes(), i.Replace); err != nil {
			return nil, o.Refused(ctx, store, owner.OpInstall, key+" "+out.SHA256, err)
		}
		if out.Unchanged {
			return out, nil
		}
	}
	return out, o.Audited(ctx, store, owner.OpInstall, key+" "+out.SHA256, func(context.Context) error { return notPlaced(atomicfile.Write(path, b)) })
}

// succeed looks at the module whose place is to be taken.
func (i *Installed) succeed(path string, most int64, replace bool) error {
	was, err := plugin.Open(path, most)
	switch {
	case err != nil && !replace:
		return err
	case err == nil && was.SHA256 == i.SHA256:
		i.Unchanged = true
		return nil
	case !replace:
		return abi.NewError(CodeInstalled, "another module of "+i.Connector+" is installed", "if it takes that one's place, say so: on the command line with --replace")
	case err == nil:
		i.Replaced = was.SHA256
	}
	return nil
}

func bounded(r io.Reader, most int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return nil, abi.NewError(abi.CodePluginUnreadable, "the module cannot be read to its end", "send it again").Wrap(err)
	case len(b) == 0:
		return nil, abi.NewError(abi.CodePluginEmpty, "the module is empty", "choose the connector's .wasm file")
	case int64(len(b)) > most:
		return nil, abi.NewError(abi.CodePluginTooLarge, "the module is too large", "raise limits.module_size if the module is known to be that large")
	}
	return b, nil
}

func nameOf(path string) string {
	base := filepath.Base(path)
	return base[:len(base)-len(plugin.Extension)]
}

// ownFolder makes the plugins folder, and refuses one that others can write to.
func ownFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return notPlaced(err)
	}
	return plugin.CheckDir(dir)
}

func notPlaced(err error) error {
	if err == nil {
		return nil
	}
	reason := err.Error()
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		reason = pe.Err.Error()
	}
	return abi.NewError(abi.CodePluginUnreadable, "the plugins folder takes no file", "check its permissions and the space on its disk").WithDetail(reason).Wrap(err)
}
