package roots

import (
	"os"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Resolver is host/files behind the port of host/run. It remembers what it
// resolved, for the line above the run.
type Resolver struct {
	files *files.Resolver

	mu    sync.Mutex
	roots []run.ResolvedRoot
}

// New returns a Resolver that never grants what is private: the program's own
// folders and files.
func New(home string, private []string) *Resolver {
	return &Resolver{files: &files.Resolver{Getenv: os.Getenv, Home: home, Private: private}}
}

// Resolve implements run.RootResolver.
func (r *Resolver) Resolve(m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	var places []string
	for _, item := range accepted {
		if item.Kind == storage.AcceptFolder {
			places = append(places, item.Name)
		}
	}
	found, err := r.files.Resolve(m, given, places)
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

// Look returns what would be granted, with folders that need the owner's word by
// name among it.
func (r *Resolver) Look(m *abi.Manifest, given map[string]string) ([]files.Root, error) {
	return r.files.Look(m, given)
}

// Resolved is what was granted last.
func (r *Resolver) Resolved() []run.ResolvedRoot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.roots
}
