package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/progress"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// rootResolver is host/files behind the port of host/run. It remembers what it
// resolved, for the line above the run.
type rootResolver struct {
	files *files.Resolver

	mu    sync.Mutex
	roots []run.ResolvedRoot
}

func (a *app) rootResolver(c *config.Config) *rootResolver {
	private := []string{c.DataDir(), c.ProfilesDir()}
	if dsn := c.StorageDSN(); !strings.Contains(dsn, "://") {
		private = append(private, dsn)
	}
	return &rootResolver{files: &files.Resolver{Getenv: os.Getenv, Home: a.home, Private: private}}
}

// Resolve implements run.RootResolver.
func (r *rootResolver) Resolve(m *abi.Manifest, given map[string]string) ([]run.ResolvedRoot, error) {
	found, err := r.files.Resolve(m, given)
	if err != nil {
		return nil, err
	}
	roots := make([]run.ResolvedRoot, len(found))
	for i, f := range found {
		roots[i] = run.ResolvedRoot{Name: f.Name, Path: f.Path, Origin: f.Origin, Empty: f.Empty}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.roots = roots
	return roots, nil
}

func (r *rootResolver) resolved() []run.ResolvedRoot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.roots
}

// asker is the terminal behind the port of host/run; nil when nobody can be
// asked. While a question stands, the progress display is off the screen.
func (a *app) asker(display *progress.Display, noInput bool) run.Asker {
	if noInput || !a.interactive() {
		return nil
	}
	console, ok := interact.NewConsole(a.in)
	if !ok {
		return nil
	}
	return &screenAsker{terminal: interact.New(console, a.err), display: display}
}

type screenAsker struct {
	terminal *interact.Terminal
	display  *progress.Display
}

// Ask implements run.Asker.
func (s *screenAsker) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	s.display.Suspend()
	defer s.display.Resume()
	return s.terminal.Ask(ctx, in)
}

// tilde shortens a path below the home folder, for people.
func (a *app) tilde(path string) string {
	if a.home == "" {
		return path
	}
	if rel, err := filepath.Rel(a.home, path); err == nil && filepath.IsLocal(rel) {
		return filepath.Join("~", rel)
	}
	return path
}
