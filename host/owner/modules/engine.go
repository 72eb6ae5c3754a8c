package modules

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// CacheDir is where compiled modules are kept.
func CacheDir(c *config.Config) string { return filepath.Join(c.DataDir(), "cache") }

// NewEngine makes an engine as the configuration says, which keeps compiled
// modules in cache; "" keeps none. say tells when one is compiled for the first time.
func NewEngine(c *config.Config, isolation, cache string, logger *slog.Logger, say func(text string)) (*plugin.Engine, error) {
	limits := plugin.DefaultLimits()
	limits.MemoryBytes, limits.LogBytes, limits.OutputBytes, limits.Run = c.MemoryBytes(), c.LogBytes(), c.OutputBytes(), c.RunTime()
	return plugin.NewEngine(plugin.Options{Isolation: isolation, CacheDir: cache, Limits: limits, Logger: logger, Compiling: func(f *plugin.File) {
		say("compiling " + f.Name + " for this machine, which is done once and takes a few seconds")
	}})
}

// MakePrivate makes the data folder, for its owner alone.
func MakePrivate(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		return nil
	}
	reason := err.Error()
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		reason = pe.Err.Error()
	}
	return abi.NewError(abi.CodeStoreUnavailable, "the data folder cannot be made",
		"choose another one with --data-dir, or check the permissions").WithDetail(dir + ": " + reason).Wrap(err)
}
