package session

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/roots"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/disk"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Change hands fn the operations of an owner who changes something. The data folder and
// the store are made when the operation asks for them.
func (s *Session) Change(fn func(*owner.Owner) error) error {
	return s.owner(s.openMade, s.WithEngine, fn)
}

// Repair is Change for an operation that mends what there is: it makes no data folder
// to look at a module.
func (s *Session) Repair(fn func(*owner.Owner) error) error {
	return s.owner(s.openMade, s.WithAnyEngine, fn)
}

func (s *Session) openMade(ctx context.Context, o storage.Options) (*storage.Store, error) {
	if err := modules.MakePrivate(s.loaded.DataDir()); err != nil {
		return nil, err
	}
	return storage.Open(ctx, o)
}

// Read is Change for an operation that changes nothing: it makes no data folder, and
// says so where there is none, and reads one that is read-only.
func (s *Session) Read(fn func(*owner.Owner) error) error {
	return s.owner(func(ctx context.Context, o storage.Options) (*storage.Store, error) {
		if dir := s.loaded.DataDir(); !exists(dir) && !StoreExists(s.loaded) && !s.Flags.Quiet {
			fmt.Fprintf(s.Err, "note: there is no data folder %s; nothing was made\n", output.Clean(s.Homely(dir)))
		}
		return storage.OpenToRead(ctx, o)
	}, s.WithAnyEngine, fn)
}

func (s *Session) owner(open func(context.Context, storage.Options) (*storage.Store, error), engine func(*config.Config, func(*plugin.Engine) error) error, fn func(*owner.Owner) error) error {
	c, err := s.Config()
	if err != nil {
		return err
	}
	at := storage.Options{Path: c.StorageDSN(), Now: s.Now, Logger: s.Logger, History: c.History()}
	o := owner.New(owner.Deps{
		Config: c, Now: s.Now, Random: s.Random, Getenv: os.Getenv, Logger: s.Logger, Home: s.Home, Vault: s.VaultOptions(c), Folders: s.Resolver(c),
		Actor: owner.Actor{Face: owner.CommandLine}, Browser: &machine{s, c},
		Engine: func(fn func(*plugin.Engine) error) error { return engine(c, fn) },
		Open: func(ctx context.Context) (*storage.Store, error) {
			return open(ctx, at)
		},
		Show: func(ctx context.Context, why error) (*storage.Store, error) { return storage.OpenToShow(ctx, at, why) },
	})
	return errors.Join(fn(o), o.Close())
}

// VaultOptions say how this installation seals credentials.
func (s *Session) VaultOptions(c *config.Config) vault.Options {
	return vault.Options{Dir: c.DataDir(), Mode: c.CredentialsKey(), Keyring: s.keyring.Keyring()}
}

// Keyring is this user's keyring, nil when there is none.
func (s *Session) Keyring() vault.Keyring { return s.keyring.Keyring() }

// Resolver grants folders, but never the host's own, nor a collector's.
func (s *Session) Resolver(c *config.Config) *roots.Resolver {
	private := append(profile.OwnFolders(profile.Env{Getenv: os.Getenv, Home: s.Home}), c.DataDir(), c.ProfilesDir())
	if !c.StoreOnServer() {
		private = append(private, c.StorageDSN())
	}
	return roots.New(s.Home, private)
}

// WithEngine makes an engine, hands it to fn and closes it.
func (s *Session) WithEngine(c *config.Config, fn func(*plugin.Engine) error) error {
	engine, err := s.Engine(c, c.Isolation())
	if err != nil {
		return err
	}
	err = fn(engine)
	return errors.Join(err, engine.Close())
}

// WithAnyEngine is WithEngine, but where nothing can be kept it compiles without
// keeping: a read-only folder can be looked at all the same.
func (s *Session) WithAnyEngine(c *config.Config, fn func(*plugin.Engine) error) error {
	cache := s.cache(c)
	if cache != "" && !takesFiles(cache) && (exists(cache) || !takesFiles(c.DataDir())) {
		cache = ""
	}
	engine, err := modules.NewEngine(c, c.Isolation(), cache, s.Logger, s.Printer.Doing)
	if err != nil {
		return err
	}
	err = fn(engine)
	return errors.Join(err, engine.Close())
}

// Engine makes an engine as the configuration says, with the given isolation.
func (s *Session) Engine(c *config.Config, isolation string) (*plugin.Engine, error) {
	if err := modules.MakePrivate(c.DataDir()); err != nil {
		return nil, err
	}
	return modules.NewEngine(c, isolation, s.cache(c), s.Logger, s.Printer.Doing)
}

// cache is where compiled modules are kept. On a full disk none are: they would take the room that
// was given back for deletions.
func (s *Session) cache(c *config.Config) string {
	if !c.StoreOnServer() && disk.Full(c.DataDir(), c.StorageDSN()) {
		return ""
	}
	return modules.CacheDir(c)
}

// takesFiles reports whether a file can be made in dir.
func takesFiles(dir string) bool {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name())) == nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
