package modules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Open reads the module that connector names: a path when it holds a slash or
// ends in .wasm, else a name in the plugins folder. list is the command that
// shows what is installed.
func Open(c *config.Config, connector, list string) (*plugin.File, error) {
	connector = abi.KeyNamed(connector)
	path := connector
	if !IsPath(connector) {
		if !ValidName(connector) {
			return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("%q is no connector's name", connector), "use letters, digits, '_' and '-', or a path to a .wasm file")
		}
		if err := plugin.CheckDir(c.PluginsDir()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		var there bool
		if path, there = Path(c.PluginsDir(), connector); !there {
			return nil, unknown(c, connector, list)
		}
	}
	return plugin.Open(path, c.ModuleBytes())
}

// Path returns where a connector's module lies in the plugins folder: under the
// name as it is, else under another spelling of the same key. It reads no module.
func Path(dir, connector string) (path string, there bool) {
	path = filepath.Join(dir, connector+plugin.Extension)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, true
	}
	names, _ := Installed(dir) // an unreadable folder has been told of already
	for _, name := range names {
		if abi.SameConnector(name, connector) {
			return filepath.Join(dir, name+plugin.Extension), true
		}
	}
	return path, false
}

// IsPath reports whether connector is a path and no name. An address of a connector is one of its names.
func IsPath(connector string) bool {
	if abi.KeyNamed(connector) != connector {
		return false
	}
	return strings.ContainsRune(connector, '/') || strings.ContainsRune(connector, filepath.Separator) ||
		strings.HasSuffix(connector, plugin.Extension)
}

// LongestName is how many letters the name of a connector or a connection has at most.
const LongestName = 128

// ValidName reports whether name can be a connector's or a connection's.
func ValidName(name string) bool {
	return name != "" && len(name) <= LongestName && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

func unknown(c *config.Config, name, list string) error {
	names, _ := Installed(c.PluginsDir()) // an unreadable folder has been told of already
	hint := "put " + name + plugin.Extension + " into the plugins folder, or give a path to a .wasm file"
	if n := abi.Nearest(name, names); n != "" {
		hint = fmt.Sprintf("did you mean %q? %s shows what is installed", n, list)
	} else if len(names) > 0 {
		hint = "installed are: " + strings.Join(names, ", ") + "; or " + hint
	}
	return abi.NewError(abi.CodePluginUnknown, fmt.Sprintf("there is no connector %q", name), hint).
		WithDetail("looked for " + filepath.Join(c.PluginsDir(), name+plugin.Extension))
}

// Installed lists the names of the modules in dir; none when there is no dir.
func Installed(dir string) ([]string, error) {
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
