package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// check checks a chosen folder: it exists, is a folder, can be opened, and may be
// granted. It resolves links first, so that the checked folder is the mounted one.
func (r *Resolver) check(m *abi.Manifest, c choice) (Root, error) {
	if c.path == "" {
		if c.origin == OriginDefault {
			return Root{}, abi.NewError(abi.CodeRootMissing, fmt.Sprintf("the default folder for root %q is unknown", c.name),
				howToName(m, c.name)).WithDetail("the home folder is not known, or the manifest names none below it")
		}
		return Root{}, invalid(c, "is empty", howToName(m, c.name))
	}
	path, err := r.absolute(c.path)
	if err != nil {
		return Root{}, invalid(c, "cannot be made absolute", howToName(m, c.name)).Wrap(err)
	}
	c.path = path
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Root{}, missingFolder(m, c).Wrap(err)
	}
	if err != nil {
		return Root{}, unreadable(c, err)
	}
	st, err := os.Stat(target)
	switch {
	case err != nil:
		return Root{}, unreadable(c, err)
	case !st.IsDir():
		return Root{}, invalid(c, "is not a folder", "name the folder that holds the files")
	}
	f, err := os.Open(target)
	if err != nil {
		return Root{}, unreadable(c, err)
	}
	_, err = f.Readdirnames(1)
	empty := errors.Is(err, io.EOF)
	_ = f.Close()
	// Invariant 6: a guest reads its own source and nothing else of the host's.
	if target == filepath.VolumeName(target)+string(filepath.Separator) {
		return Root{}, invalid(c, "is the whole file system", "name the folder that the connector is to read")
	}
	for _, private := range r.Private {
		if overlap(target, private) {
			return Root{}, invalid(c, "overlaps the host's own data",
				"name a folder that neither holds nor lies in "+private)
		}
	}
	return Root{Name: c.name, Path: target, Origin: c.origin, Empty: empty, Secrets: r.secretsIn(target)}, nil
}

// unreadable is the refusal of a folder that is there and cannot be listed. Where its permissions are
// why, it is neither missing nor empty, and the words say whom it has to let in.
func unreadable(c choice, err error) *abi.Error {
	if errors.Is(err, fs.ErrPermission) {
		return invalid(c, "does not let this host's user in",
			"let that user list it, such as with chmod u+rx, and pass through the folders above it; or run the host as a user who may").Wrap(err)
	}
	return invalid(c, "cannot be read", "see whether its disk is sound, and whether a link to it leads in circles").Wrap(err)
}

func (r *Resolver) absolute(path string) (string, error) {
	if path == "~" || strings.HasPrefix(path, "~/") {
		if r.Home == "" {
			return "", errors.New("the home folder is unknown")
		}
		path = filepath.Join(r.Home, path[1:])
	}
	return filepath.Abs(path)
}

// overlap reports whether one folder equals or contains the other. If private does not
// exist yet, its path is compared, starting at its nearest existing folder.
func overlap(folder, private string) bool {
	if private == "" {
		return false
	}
	private = resolved(private)
	return contains(folder, private) || contains(private, folder)
}

func resolved(path string) string {
	rest := ""
	for dir := filepath.Clean(path); ; {
		if target, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(target, rest)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
		dir = up
	}
}

// contains compares paths, and then the folders themselves, because one folder may have
// several paths, for instance on a file system that ignores case.
func contains(path, folder string) bool {
	if rel, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(rel) {
		return true
	}
	is, err := os.Stat(folder)
	if err != nil {
		return false
	}
	for dir := path; ; dir = filepath.Dir(dir) {
		if st, err := os.Stat(dir); err == nil && os.SameFile(st, is) {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

func missingFolder(m *abi.Manifest, c choice) *abi.Error {
	return abi.NewError(abi.CodeRootMissing, fmt.Sprintf("the folder for root %q does not exist", c.name), hintFor(m, c)).
		WithDetail(chosenBy(c))
}

func invalid(c choice, problem, hint string) *abi.Error {
	return abi.NewError(abi.CodeRootInvalid, fmt.Sprintf("the folder for root %q %s", c.name, problem), hint).WithDetail(chosenBy(c))
}

func chosenBy(c choice) string {
	switch {
	case c.path == "":
		return "from " + c.origin
	case c.origin == OriginDefault:
		return c.path + ", the default"
	default:
		return c.path + ", from " + c.origin
	}
}

// hintFor returns the advice for a missing folder, which depends on who chose it.
func hintFor(m *abi.Manifest, c choice) string {
	paths := m.Requirements.LocalPaths
	if c.origin == OriginDefault || paths == nil || paths.HomeDefault == "" || c.name != m.ConnectorKey {
		return howToName(m, c.name)
	}
	choice := "leave --root out"
	if c.origin != OriginFlag {
		choice = "unset " + c.origin
	}
	return fmt.Sprintf("the connector reads ~/%s by default; %s, or name a folder that exists", paths.HomeDefault, choice)
}

func howToName(m *abi.Manifest, name string) string {
	hint := fmt.Sprintf("name a folder that exists with --root %s=PATH", name)
	if paths := m.Requirements.LocalPaths; paths != nil && name == m.ConnectorKey && paths.HomeEnvOverride != "" {
		hint += " or " + paths.HomeEnvOverride
	}
	return hint
}

func noFolder(m *abi.Manifest) error {
	return abi.NewError(abi.CodeRootMissing, fmt.Sprintf("no folder is known for root %q", m.ConnectorKey), howToName(m, m.ConnectorKey)).
		WithDetail("the manifest names no default")
}
