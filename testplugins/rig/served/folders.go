package served

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// folders grants what a connector asks for and its owner accepted.
type folders struct{ files *files.Resolver }

// Resolve implements run.RootResolver.
func (f folders) Resolve(m *abi.Manifest, given map[string]string, accepted []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	var places []string
	for _, item := range accepted {
		if item.Kind == storage.AcceptFolder {
			places = append(places, item.Name)
		}
	}
	found, err := f.files.Resolve(m, given, places)
	roots := make([]run.ResolvedRoot, len(found))
	for i, r := range found {
		roots[i] = run.ResolvedRoot{Name: r.Name, Path: r.Path, Origin: r.Origin, Empty: r.Empty}
	}
	return roots, err
}

// Look implements modules.FolderLooker.
func (f folders) Look(m *abi.Manifest, given map[string]string) ([]files.Root, error) {
	return f.files.Look(m, given)
}
