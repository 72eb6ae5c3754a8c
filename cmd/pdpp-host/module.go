package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// openModule reads the module that CONNECTOR names: a path when it holds a
// slash or ends in .wasm, else a name in the plugins folder.
func openModule(c *config.Config, connector string) (*plugin.File, error) {
	path := connector
	if !isPath(connector) {
		if !validName(connector) {
			return nil, usage(fmt.Sprintf("%q is no connector's name", connector), "use letters, digits, '_' and '-', or a path to a .wasm file")
		}
		if err := plugin.CheckDir(c.PluginsDir()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		path = filepath.Join(c.PluginsDir(), connector+plugin.Extension)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, unknownConnector(c, connector)
		}
	}
	return plugin.Open(path, c.ModuleBytes())
}

func isPath(connector string) bool {
	return strings.ContainsRune(connector, '/') || strings.ContainsRune(connector, filepath.Separator) ||
		strings.HasSuffix(connector, plugin.Extension)
}

func validName(name string) bool {
	return name != "" && len(name) <= 128 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

func unknownConnector(c *config.Config, name string) error {
	names, _ := installed(c.PluginsDir()) // an unreadable folder has been told of already
	hint := "put " + name + plugin.Extension + " into the plugins folder, or give a path to a .wasm file"
	if n := config.Nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %q? %s", n, "pdpp-host plugins list shows what is installed")
	} else if len(names) > 0 {
		hint = "installed are: " + strings.Join(names, ", ") + "; or " + hint
	}
	return abi.NewError(abi.CodePluginUnknown, fmt.Sprintf("there is no connector %q", name), hint).
		WithDetail("looked for " + filepath.Join(c.PluginsDir(), name+plugin.Extension))
}

// installed lists the names of the modules in dir; none when there is no dir.
func installed(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, abi.NewError(abi.CodePluginUnreadable, "the plugins folder cannot be read", "check its permissions").
			WithDetail(dir).Wrap(err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), plugin.Extension); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// described is a module that was loaded, and what its manifest says.
type described struct {
	file     *plugin.File
	info     plugin.Info
	raw      []byte
	manifest *abi.Manifest
}

// describe loads a module and checks everything that can be checked before it
// runs. What is known so far is returned with the error, so that an inspection
// can show it.
func describe(ctx context.Context, engine *plugin.Engine, file *plugin.File) (*described, error) {
	d := &described{file: file}
	guest, err := engine.Load(ctx, file)
	if err != nil {
		return d, err
	}
	d.info = guest.Info()
	d.raw, err = guest.Describe(ctx)
	err = errors.Join(err, guest.Close())
	if err != nil {
		return d, err
	}
	if d.manifest, err = manifest.Parse(d.raw); err != nil {
		return d, err
	}
	if err := plugin.CheckImports(d.info, d.manifest); err != nil {
		return d, err
	}
	return d, boundary.CheckSchemas(d.manifest)
}
