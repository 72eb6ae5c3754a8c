package config

import (
	"path/filepath"
	"strings"
)

// defaultFile is $XDG_CONFIG_HOME/pdpp/pdpp.yaml; "" if no home is known.
func defaultFile(home string, env map[string]string) string {
	if base := xdg(env, "XDG_CONFIG_HOME", home, ".config"); base != "" {
		return filepath.Join(base, "pdpp", "pdpp.yaml")
	}
	return ""
}

// xdg returns a base folder. A relative value is ignored, as the XDG Base Directory
// Specification requires.
func xdg(env map[string]string, name, home, below string) string {
	if dir := env[name]; filepath.IsAbs(dir) {
		return dir
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(below))
}

// derived returns the default of a key that depends on other values, or nil.
func (c *Config) derived(name string, src *Source, env map[string]string) any {
	switch name {
	case KeyDataDir:
		if base := xdg(env, "XDG_DATA_HOME", src.Home, ".local/share"); base != "" {
			return filepath.Join(base, "pdpp")
		}
	case KeyPluginsDir:
		if c.dataDir != "" {
			return filepath.Join(c.dataDir, "plugins")
		}
	case KeyStorageDSN:
		if c.dataDir != "" {
			return filepath.Join(c.dataDir, "pdpp.sqlite")
		}
	case KeyProfilesDir:
		if src.Home != "" {
			return filepath.Join(src.Home, ".pdpp", "profiles")
		}
	}
	return nil
}

// absolute resolves a path by its origin: "~/" is the home folder, and a relative path
// in the file is relative to the file's own folder, so that it does not depend on the
// working folder of the command.
func (v value) absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if v.src.Home == "" {
			return "", v.invalid(`starts with "~", and the home folder is unknown`, "write the whole path")
		}
		path = filepath.Join(v.src.Home, path[1:])
	}
	if strings.ContainsRune(path, 0) {
		return "", v.invalid("holds a zero byte", "write a plain path")
	}
	if !filepath.IsAbs(path) && v.origin.Kind == FromFile {
		path = filepath.Join(filepath.Dir(v.origin.Name), path)
	}
	abs, err := v.src.Abs(path)
	if err != nil {
		return "", v.invalid("cannot be made absolute", "write the whole path")
	}
	return abs, nil
}
