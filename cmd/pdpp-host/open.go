package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/modules"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// withStore opens the store, hands it to fn and closes it.
func (a *app) withStore(ctx context.Context, fn func(*config.Config, *storage.Store) error) error {
	return a.withStoreBy(ctx, func(ctx context.Context, o storage.Options) (*storage.Store, error) {
		if err := modules.MakePrivate(a.loaded.DataDir()); err != nil {
			return nil, err
		}
		return storage.Open(ctx, o)
	}, fn)
}

// toRead is withStore for a command that changes nothing: of a data folder that does
// not exist it makes nothing, and says so, and one that is read-only can be read.
func (a *app) toRead(ctx context.Context, fn func(*config.Config, *storage.Store) error) error {
	return a.withStoreBy(ctx, func(ctx context.Context, o storage.Options) (*storage.Store, error) {
		if dir := a.loaded.DataDir(); !exists(dir) && !exists(o.Path) && !a.Flags.Quiet {
			fmt.Fprintf(a.Err, "note: there is no data folder %s; nothing was made\n", output.Clean(a.homely(dir)))
		}
		return storage.OpenToRead(ctx, o)
	}, fn)
}

func (a *app) withStoreBy(ctx context.Context, open func(context.Context, storage.Options) (*storage.Store, error), fn func(*config.Config, *storage.Store) error) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	if strings.Contains(c.StorageDSN(), "://") {
		return abi.NewError(abi.CodeConfigInvalid, "this version keeps its store in SQLite only",
			"leave storage.dsn out, or name a file").WithDetail("storage.dsn is a PostgreSQL address")
	}
	store, err := open(ctx, storage.Options{Path: c.StorageDSN(), Now: a.Now, Logger: a.Logger, History: c.History()})
	if err != nil {
		return err
	}
	err = fn(c, store)
	return errors.Join(err, store.Close())
}

// withEngine makes an engine, hands it to fn and closes it.
func (a *app) withEngine(c *config.Config, fn func(*plugin.Engine) error) error {
	engine, err := a.engine(c, c.Isolation())
	if err != nil {
		return err
	}
	err = fn(engine)
	return errors.Join(err, engine.Close())
}

// withAnyEngine is withEngine, but where nothing can be kept it compiles
// without keeping: a read-only folder can be looked at all the same.
func (a *app) withAnyEngine(c *config.Config, fn func(*plugin.Engine) error) error {
	cache := modules.CacheDir(c)
	if !takesFiles(cache) && (exists(cache) || !takesFiles(c.DataDir())) {
		cache = ""
	}
	engine, err := a.engineWith(c, c.Isolation(), cache)
	if err != nil {
		return err
	}
	err = fn(engine)
	return errors.Join(err, engine.Close())
}

// takesFiles reports whether a file can be made in dir.
func takesFiles(dir string) bool {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name())) == nil
}

// engine makes an engine as the configuration says, with the given isolation.
func (a *app) engine(c *config.Config, isolation string) (*plugin.Engine, error) {
	if err := modules.MakePrivate(c.DataDir()); err != nil {
		return nil, err
	}
	return a.engineWith(c, isolation, modules.CacheDir(c))
}

// engineWith makes an engine that keeps compiled modules in cache; "" keeps none.
func (a *app) engineWith(c *config.Config, isolation, cache string) (*plugin.Engine, error) {
	return modules.NewEngine(c, isolation, cache, a.Logger, a.Printer)
}
