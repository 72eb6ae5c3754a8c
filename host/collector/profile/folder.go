package profile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	profileSuffix = ".env"
	// EnvProfileDir names the folder of the profiles.
	EnvProfileDir = "PDPP_LOCAL_COLLECTOR_PROFILE_DIR"
	maxProfile    = 64 << 10
)

// Folder is a folder of profiles, a file each. The folder is its owner's alone
// (0700), and so is each file (0600): one that others can read is refused,
// because the credential in it is no secret any more.
type Folder struct{ Dir string }

// FolderOf returns the folder that the machine keeps profiles in.
func FolderOf(e Env) (*Folder, error) {
	if dir := e.get(EnvProfileDir); dir != "" {
		full, err := filepath.Abs(dir)
		if err != nil {
			return nil, unusable("the folder of the profiles cannot be found", dir, err)
		}
		return &Folder{Dir: full}, nil
	}
	base := e.base("XDG_CONFIG_HOME", ".config")
	if base == "" {
		return nil, unusable("there is no home folder to keep profiles in", EnvProfileDir, nil)
	}
	return &Folder{Dir: filepath.Join(base, "pdpp", "collectors")}, nil
}

// Path returns the file of a profile.
func (d *Folder) Path(name string) string { return filepath.Join(d.Dir, name+profileSuffix) }

// List reads every profile. A profile that cannot be read becomes an error beside those that
// can.
func (d *Folder) List() ([]*Profile, error) {
	entries, err := os.ReadDir(d.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable("the folder of the profiles cannot be read", d.Dir, err)
	}
	if err := private(d.Dir); err != nil {
		return nil, err
	}
	var list []*Profile
	var broken []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), profileSuffix)
		if !ok || !profileName.MatchString(name) {
			continue
		}
		p, err := d.Load(name)
		if err != nil {
			broken = append(broken, err)
			continue
		}
		list = append(list, p)
	}
	return list, errors.Join(broken...)
}

// Load reads one profile by its name.
func (d *Folder) Load(name string) (*Profile, error) {
	if !profileName.MatchString(name) {
		return nil, invalidProfile("", "its name may hold letters, digits, '.', '-' and '_' only")
	}
	path := d.Path(name)
	if err := private(d.Dir); err != nil {
		return nil, err
	}
	if err := private(path); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, unusable("the profile cannot be read", path, err)
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxProfile+1))
	if err != nil {
		return nil, unusable("the profile cannot be read", path, err)
	}
	if len(text) > maxProfile {
		return nil, invalidProfile(name, "it is too large for a profile")
	}
	return Parse(name, string(text))
}

// Find returns the one profile of a source instance. None, and more than one, is
// an error: no other lane may be taken for it (HL-23.11). A profile that cannot
// be read may be the one, so it is told instead.
func (d *Folder) Find(source string) (*Profile, error) {
	list, broken := d.List()
	var found []*Profile
	for _, p := range list {
		if p.SourceInstanceID == source {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, p := range found {
			names[i] = p.Name + profileSuffix
		}
		return nil, abi.NewError(CodeAmbiguous, "more than one profile is of this source instance",
			"delete the ones that are not in use from "+d.Dir).WithDetail(strings.Join(names, ", "))
	case broken != nil:
		return nil, broken
	}
	return nil, abi.NewError(CodeMissing, "no profile of this source instance is on this machine",
		"run it on the machine that was enrolled, or enroll this one: pdpp-local-collector setup --base-url ADDRESS").WithDetail(source)
}

// Remove deletes a profile's file.
func (d *Folder) Remove(name string) error {
	if err := os.Remove(d.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return unusable("the profile cannot be deleted", d.Path(name), err)
	}
	return nil
}

// profileName bounds names to what is one file of the folder.
var profileName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// private refuses a file or folder that anybody but its owner can read or write.
func private(path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return abi.NewError(CodeMissing, "there is no such profile", "enroll this device: pdpp-local-collector setup --base-url ADDRESS").WithDetail(path)
		}
		return unusable("the profile cannot be read", path, err)
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return unusable("the profile is not a regular file", path, nil)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 { // there a mode says nothing of others
		mode := "600"
		if info.IsDir() {
			mode = "700"
		}
		return abi.NewError(CodeOpen, "others on this machine can read the credential",
			"chmod "+mode+" "+path+"   and, when others may have read it, set it up again").WithDetail(path)
	}
	return nil
}

func unusable(what, path string, err error) error {
	return abi.NewError(CodeUnusable, what, "check that the folder exists, and that it is yours").WithDetail(path).Wrap(err)
}
