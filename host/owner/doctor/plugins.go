package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// plugins looks at the plugins folder and loads each module. The error is an
// interruption.
func (e *exam) plugins(ctx context.Context) error {
	dir := e.Config.PluginsDir()
	if !exists(dir) {
		e.add("plugins", Notice, "there is no "+dir, "make it and copy connectors there, or run one by its path")
		return nil
	}
	names, err := modules.Installed(dir)
	if err == nil {
		err = plugin.CheckDir(dir)
	}
	if err != nil {
		e.fail("plugins", err)
		return nil
	}
	e.ok("plugins", fmt.Sprintf("%s in %s", words.Plural(int64(len(names)), "connector"), dir))
	return e.Engine(func(engine *plugin.Engine) error {
		for _, name := range names {
			d, err := e.load(ctx, engine, name)
			if ctx.Err() != nil {
				return errors.Join(context.Cause(ctx), err)
			}
			if err != nil {
				e.fail("plugin "+name, err)
				continue
			}
			e.sound[abi.CanonicalKey(d.Manifest.ConnectorKey)] = d
			e.ok("plugin "+name, fmt.Sprintf("%s %s  sha256 %s", d.Manifest.ConnectorKey, d.Manifest.Version, words.ShortHash(d.File.SHA256)))
		}
		return nil
	})
}

func (e *exam) load(ctx context.Context, engine *plugin.Engine, name string) (*modules.Described, error) {
	file, err := plugin.Open(filepath.Join(e.Config.PluginsDir(), name+plugin.Extension), e.Config.ModuleBytes())
	if err != nil {
		return nil, err
	}
	d, err := modules.Describe(ctx, engine, file)
	if err == nil {
		err = modules.Misnamed(name, d)
	}
	return d, err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
