package files

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Root is one folder to grant.
type Root struct {
	Name   string // the guest's name for it, mounted at "/" + Name
	Path   string // absolute, links resolved
	Origin string // who chose it: "--root", a variable's name, or "the default"
	Empty  bool   // the folder is empty
	// Secrets are the places of other programs' secrets that the folder is, lies in or
	// contains, such as ~/.ssh.
	Secrets []string
}

// Origins of a root other than an environment variable's name.
const (
	OriginFlag    = "--root"
	OriginDefault = "the default"
)

// Resolver finds a connector's roots. Its fields must not change after the first call;
// it is then safe for concurrent use.
type Resolver struct {
	Getenv func(string) string // the host's environment; nil: empty
	Home   string              // the user's home folder; "": unknown
	// Private lists the host's own folders (the data folder, browser profiles). No
	// root may lie in one, or contain one: a guest that can read the database can read
	// every other connection's records.
	Private []string
}

// choice is one root before its folder was checked.
type choice struct {
	name, path, origin string
}

// Resolve returns the roots to grant for m, the home root first. given holds the
// operator's choices by root name; accepted lists the places of other programs'
// secrets that the owner allowed by name. The error is an *abi.Error:
// files.root_missing if a chosen folder does not exist; files.root_invalid for an
// unknown name, an unreadable folder, or a folder that must not be granted;
// files.root_secret for a folder with secrets that were not accepted.
func (r *Resolver) Resolve(m *abi.Manifest, given map[string]string, accepted []string) ([]Root, error) {
	roots, err := r.Look(m, given)
	for i := range roots {
		err = cmp.Or(err, refuseSecrets(&roots[i], accepted))
	}
	if err != nil {
		return nil, err
	}
	return roots, nil
}

// Look is Resolve for showing an owner the roots: it also returns a folder with other
// programs' secrets.
func (r *Resolver) Look(m *abi.Manifest, given map[string]string) ([]Root, error) {
	given = ownKey(m, given)
	known := rootNames(m)
	for _, name := range sortedKeys(given) {
		if !slices.Contains(known, name) {
			return nil, abi.NewError(abi.CodeRootInvalid, fmt.Sprintf("the connector has no root %q", name),
				"its roots are: "+strings.Join(known, ", ")).WithDetail("from --root")
		}
	}
	choices := r.choose(m, given)
	var roots []Root
	var missing error
	for _, c := range choices {
		root, err := r.check(m, c)
		if err != nil {
			// The default place of the home root may be missing if another root was
			// chosen: the owner has then said where the data is.
			if c.origin == OriginDefault && abi.CodeOf(err) == abi.CodeRootMissing && len(choices) > 1 {
				missing = err
				continue
			}
			return nil, err
		}
		roots = append(roots, root)
	}
	if len(roots) == 0 {
		if missing != nil {
			return nil, missing
		}
		return nil, noFolder(m)
	}
	return roots, nil
}

// ownKey replaces the home root's name in given by the manifest's spelling.
func ownKey(m *abi.Manifest, given map[string]string) map[string]string {
	if _, as := given[m.ConnectorKey]; as {
		return given
	}
	out := maps.Clone(given)
	for name, path := range given {
		if abi.SameConnector(name, m.ConnectorKey) {
			delete(out, name)
			out[m.ConnectorKey] = path
		}
	}
	return out
}

// choose lists the chosen roots, and the home root's default.
func (r *Resolver) choose(m *abi.Manifest, given map[string]string) []choice {
	var choices []choice
	paths := m.Requirements.LocalPaths
	if paths == nil {
		paths = &abi.LocalPaths{}
	}
	if c, ok := r.pick(m.ConnectorKey, paths.HomeEnvOverride, given); ok {
		choices = append(choices, c)
	} else if paths.HomeDefault != "" {
		choices = append(choices, choice{m.ConnectorKey, r.underHome(paths.HomeDefault), OriginDefault})
	}
	for i, p := range paths.Paths {
		if !placeable(p) {
			continue
		}
		if c, ok := r.pick(rootName(m, i), p.EnvOverride, given); ok {
			choices = append(choices, c)
		}
	}
	return choices
}

// pick returns the operator's choice for a root, else its variable's.
func (r *Resolver) pick(name, variable string, given map[string]string) (choice, bool) {
	if path, ok := given[name]; ok {
		return choice{name, path, OriginFlag}, true
	}
	if variable != "" && r.Getenv != nil {
		if path := r.Getenv(variable); path != "" {
			return choice{name, path, variable}, true
		}
	}
	return choice{}, false
}

// underHome returns "" if the home folder is unknown or the manifest's path leaves it,
// since a manifest is not trusted.
func (r *Resolver) underHome(relative string) string {
	relative = filepath.FromSlash(relative)
	if r.Home == "" || !filepath.IsLocal(relative) {
		return ""
	}
	return filepath.Join(r.Home, relative)
}

// rootNames lists the root names of m: the connector's key, and every further path that an
// owner can place elsewhere.
func rootNames(m *abi.Manifest) []string {
	all := []string{m.ConnectorKey}
	if paths := m.Requirements.LocalPaths; paths != nil {
		for i, p := range paths.Paths {
			if placeable(p) {
				all = append(all, rootName(m, i))
			}
		}
	}
	return all
}

// placeable reports whether an owner can place the path separately: it has a variable
// or a name of its own. The other paths are below the home root.
func placeable(p abi.LocalPath) bool { return p.EnvOverride != "" || p.Name != "" }

// rootName returns the name of a further path. The name becomes a mount point and
// comes from an untrusted manifest: if it is not a plain word, or an earlier root has
// it, the path's position in the list replaces it.
func rootName(m *abi.Manifest, i int) string {
	paths := m.Requirements.LocalPaths.Paths
	name := paths[i].RootName()
	taken := name == m.ConnectorKey ||
		slices.ContainsFunc(paths[:i], func(p abi.LocalPath) bool { return placeable(p) && p.RootName() == name })
	if !plain(name) || taken {
		return fmt.Sprintf("path_%d", i+1)
	}
	return name
}

func plain(name string) bool {
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

func sortedKeys(m map[string]string) []string {
	all := make([]string, 0, len(m))
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
