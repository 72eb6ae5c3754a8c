package profile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// name is what a profile may be called: no name leaves the folder.
var name = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

const (
	locks    = ".locks"               // the folder of the locks, which no profile is called
	sessions = ".sessions"            // and that of the sessions
	largest  = 1 << 20                // bytes of one
	private  = 0o700                  // nobody else reads what a browser is signed in to
	again    = 100 * time.Millisecond // between two looks at a lock that another run holds
	lockMode = 0o600
)

// links are what a browser leaves to find itself again. The first one leads to the name of its
// host and its number. A browser looks itself whether another one of this host still runs; it
// gives way to those of other host names, such as a container that is gone.
var links = []string{"SingletonLock", "SingletonCookie", "SingletonSocket"}

// remade are the folders and files of a profile that a browser makes again: its caches, and what it
// notes of the pages that it was on. A form of method GET puts what was typed into their addresses.
var remade = []string{
	"Crashpad", "GrShaderCache", "GraphiteDawnCache", "ShaderCache", "component_crx_cache", "extensions_crx_cache", "BrowserMetrics",
	"Default/Cache", "Default/Code Cache", "Default/GPUCache", "Default/DawnCache", "Default/DawnGraphiteCache", "Default/DawnWebGPUCache",
	"Default/Sessions", "Default/Session Storage", "Default/History", "Default/History-journal", "Default/Visited Links", "Default/Favicons", "Default/Favicons-journal",
	"Default/Top Sites", "Default/Top Sites-journal", "Default/Shortcuts", "Default/Shortcuts-journal", "Default/Network Action Predictor", "Default/Network Action Predictor-journal",
	"segmentation_platform", "Default/Segmentation Platform",
}

// Held is a profile that this process alone uses, until Release.
type Held struct {
	Path string // absolute

	root *os.Root // of the profile
	lock *os.File
}

// Hold takes the profile of a name in dir, and makes both where they are missing. While
// another run has it, Hold waits as long as ctx and wait allow.
func Hold(ctx context.Context, dir, profile string, wait time.Duration) (held *Held, err error) {
	if !name.MatchString(profile) {
		return nil, abi.NewError(abi.CodeBrowserProfile, "a profile cannot be called so", "use 1 to 64 letters, digits, _ and -")
	}
	if err := os.MkdirAll(dir, private); err != nil {
		return nil, refused(dir, "cannot be made").Wrap(err)
	}
	all, err := os.OpenRoot(dir)
	if err != nil {
		return nil, refused(dir, "cannot be opened").Wrap(err)
	}
	defer all.Close()
	if info, err := all.Stat("."); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0 {
		return nil, refused(dir, "can be written by others").Wrap(err)
	}
	h := &Held{Path: filepath.Join(dir, profile)}
	if h.lock, err = lockFile(all, profile); err != nil {
		return nil, refused(dir, "takes no lock").Wrap(err)
	}
	defer func() {
		if err != nil {
			_ = h.Release()
		}
	}()
	if err := h.take(ctx, wait); err != nil {
		return nil, err
	}
	if h.root, err = folder(all, profile); err != nil {
		return nil, refused(h.Path, "is no private folder").Wrap(err)
	}
	if err := h.unlink(); err != nil {
		return nil, err
	}
	if h.idle() {
		_ = h.Prune() // a host that was killed has left it; the browser starts with it as well
	}
	if err := h.prefer(); err != nil {
		return nil, refused(h.Path, "cannot be written").Wrap(err)
	}
	return h, nil
}

// unlink removes the links of a browser that ran under another host name: nobody but the
// holder of the lock runs one here, and no browser of this host takes them for its own.
func (h *Held) unlink() error {
	host, err := os.Hostname()
	to, linkErr := h.root.Readlink(links[0])
	if err != nil || linkErr == nil && strings.HasPrefix(to, host+"-") {
		return nil //nolint:nilerr // without a name it is the browser that decides
	}
	for _, l := range links {
		if err := h.root.Remove(l); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return refused(h.Path, "cannot be written").Wrap(err)
		}
	}
	return nil
}

// idle reports whether the browser that used the profile last is gone. One that somebody else has
// started there is left alone.
func (h *Held) idle() bool {
	to, err := h.root.Readlink(links[0])
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	pid, numeric := strconv.Atoi(to[strings.LastIndexByte(to, '-')+1:])
	return err == nil && numeric == nil && !alive(pid)
}

// Release gives the profile back.
func (h *Held) Release() error {
	var err error
	if h.root != nil {
		err = h.root.Close()
	}
	return errors.Join(err, h.lock.Close())
}

// Remove removes the profile of a name in dir, with all that its sites have left there. It waits
// for a run that uses it as long as wait allows.
func Remove(ctx context.Context, dir, profile string, wait time.Duration) (err error) {
	_, missing := os.Lstat(filepath.Join(dir, profile))
	_, signedOut := os.Lstat(filepath.Join(dir, sessions, profile))
	_, seen := os.Lstat(filepath.Join(dir, captures, profile))
	if errors.Is(missing, fs.ErrNotExist) && errors.Is(signedOut, fs.ErrNotExist) && errors.Is(seen, fs.ErrNotExist) {
		return nil
	}
	h, err := Hold(ctx, dir, profile, wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Release()) }()
	all, err := os.OpenRoot(dir)
	if err == nil {
		err = errors.Join(h.Keep(nil), all.RemoveAll(profile), all.RemoveAll(filepath.Join(captures, profile)), all.Close())
	}
	if err != nil {
		return refused(h.Path, "cannot be removed").Wrap(err)
	}
	return nil
}

// Keep keeps what ends with a browser and is to be there in the next one, sealed by the caller;
// nil, or more than a site has reason for: nothing. It is beside the profile, where its browser does not find it.
func (h *Held) Keep(sealed []byte) (err error) {
	dir, name, err := h.kept()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	if len(sealed) == 0 || len(sealed) > largest {
		for _, gone := range []string{name, name + freshEnd} {
			if e := dir.Remove(gone); !errors.Is(e, fs.ErrNotExist) {
				err = errors.Join(err, e)
			}
		}
		return err
	}
	return replace(dir, name, sealed)
}

// replace writes a file whole, or leaves the one that is there.
func replace(dir *os.Root, name string, data []byte) error {
	fresh := name + freshEnd
	f, err := dir.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, lockMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return dir.Rename(fresh, name)
}

// freshEnd ends the name of a file that takes the place of another.
const freshEnd = ".new"

// Kept returns what Keep has kept; nil: nothing.
func (h *Held) Kept() (sealed []byte, err error) {
	dir, name, err := h.kept()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	info, err := dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, refused(h.Path, "has a session that is none")
	case info.Size() > largest: // of an older program
		return nil, nil
	}
	return dir.ReadFile(name)
}

// kept opens the folder of the sessions, and returns the name of the profile's there.
func (h *Held) kept() (*os.Root, string, error) {
	all, err := os.OpenRoot(filepath.Dir(h.Path))
	if err != nil {
		return nil, "", err
	}
	dir, err := folder(all, sessions)
	return dir, filepath.Base(h.Path), errors.Join(err, all.Close())
}

// Prune removes what a browser makes again. No browser runs on the profile.
func (h *Held) Prune() error {
	var errs []error
	for _, c := range remade {
		errs = append(errs, h.root.RemoveAll(filepath.FromSlash(c)))
	}
	return errors.Join(errs...)
}

// Size returns how many bytes the files of the profile have.
func (h *Held) Size() (size int64, err error) {
	err = fs.WalkDir(h.root.FS(), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			size += info.Size()
		}
		return err
	})
	return size, err
}

// take waits for the lock.
func (h *Held) take(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, abi.NewError(abi.CodeBrowserProfileBusy, "another run uses the browser profile "+filepath.Base(h.Path), "try it again when that run has ended"))
	defer cancel()
	for {
		switch free, err := TryLock(h.lock); {
		case err != nil:
			return refused(h.Path, "cannot be locked").Wrap(err)
		case free:
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(again):
		}
	}
}

// lockFile opens the lock of a profile. It is not in the profile, which can be removed.
func lockFile(all *os.Root, profile string) (*os.File, error) {
	dir, err := folder(all, locks)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.OpenFile(profile, os.O_RDWR|os.O_CREATE, lockMode)
}

// folder opens a folder that nobody else may look into, and makes it where it is missing.
func folder(in *os.Root, name string) (*os.Root, error) {
	if err := in.Mkdir(name, private); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	info, err := in.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("it is a link or a file")}
	}
	if info.Mode().Perm() != private {
		if err := in.Chmod(name, private); err != nil {
			return nil, err
		}
	}
	return in.OpenRoot(name)
}

func refused(path, why string) *abi.Error {
	return abi.NewError(abi.CodeBrowserProfile, path+" "+why, "look at its owner and mode; browser.profiles_dir names another folder")
}
