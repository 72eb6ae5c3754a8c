package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// FS implements sys.FS over a root. The embedded UnimplementedFS answers
// ENOSYS where this type does not say EROFS. It is used by one guest at a time.
type FS struct {
	sys.UnimplementedFS
	root *os.Root
}

var _ sys.FS = (*FS)(nil)

// New returns the read-only file system of root, which stays the caller's to
// close, after the guest is gone.
func New(root *os.Root) *FS { return &FS{root: root} }

const writeFlags = sys.O_RDWR | sys.O_WRONLY | sys.O_APPEND | sys.O_CREAT | sys.O_EXCL | sys.O_TRUNC

// OpenFile opens a regular file or a folder for reading.
func (f *FS) OpenFile(name string, flag sys.Oflag, _ fs.FileMode) (sys.File, sys.Errno) {
	p, wantDir, errno := local(name)
	if errno != 0 {
		return nil, errno
	}
	if p == "." {
		return f.openDir(p)
	}
	wantDir = wantDir || flag&sys.O_DIRECTORY != 0
	stat := f.root.Stat
	if flag&sys.O_NOFOLLOW != 0 {
		stat = f.root.Lstat
	}
	// The mode is looked at before the file is opened, because opening a device
	// or a named pipe already acts on it; and again after, because the file may
	// have been replaced in between.
	info, err := stat(p)
	if err != nil {
		return nil, f.missing(p, err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, sys.ELOOP
	case info.IsDir():
		// libc asks for a folder with every right there is; only the flags that
		// would create or change one are refused.
		if flag&(sys.O_CREAT|sys.O_TRUNC|sys.O_APPEND) != 0 {
			return nil, sys.EROFS
		}
		return f.openDir(p)
	case wantDir:
		return nil, sys.ENOTDIR
	case flag&writeFlags != 0:
		return nil, sys.EROFS
	case !info.Mode().IsRegular():
		return nil, sys.EACCES
	}
	file, err := f.root.OpenFile(p, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, toErrno(err)
	}
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, sys.EACCES
	}
	return &regular{file: file}, 0
}

func (f *FS) openDir(p string) (sys.File, sys.Errno) {
	file, err := f.root.OpenFile(p, os.O_RDONLY|openFlags, 0)
	if err != nil {
		if p == "." {
			// wazero panics on anything else for the mount's own folder.
			return nil, sys.ENOENT
		}
		return nil, toErrno(err)
	}
	info, err := file.Stat()
	if err != nil || !info.IsDir() {
		_ = file.Close()
		return nil, sys.ENOTDIR
	}
	return &dir{file: file}, 0
}

// Stat follows links inside the root.
func (f *FS) Stat(name string) (wasys.Stat_t, sys.Errno) { return f.stat(name, f.root.Stat) }

// Lstat does not follow the last link.
func (f *FS) Lstat(name string) (wasys.Stat_t, sys.Errno) { return f.stat(name, f.root.Lstat) }

func (f *FS) stat(name string, stat func(string) (fs.FileInfo, error)) (wasys.Stat_t, sys.Errno) {
	p, wantDir, errno := local(name)
	if errno != 0 {
		return wasys.Stat_t{}, errno
	}
	info, err := stat(p)
	if err != nil {
		return wasys.Stat_t{}, f.missing(p, err)
	}
	if wantDir && !info.IsDir() {
		return wasys.Stat_t{}, sys.ENOTDIR
	}
	st := wasys.NewStat_t(info)
	st.Mode = shown(st.Mode)
	return st, 0
}

// shown is the mode that a guest sees. WASI has no named pipes, and a guest
// takes a type it does not know for a regular file; as a device it is left
// alone.
func shown(m fs.FileMode) fs.FileMode {
	if m&(fs.ModeNamedPipe|fs.ModeIrregular) != 0 {
		m = m&^(fs.ModeNamedPipe|fs.ModeIrregular) | fs.ModeDevice | fs.ModeCharDevice
	}
	return m
}

// Readlink returns where a link points, also when that is outside.
func (f *FS) Readlink(name string) (string, sys.Errno) {
	p, _, errno := local(name)
	if errno != 0 {
		return "", errno
	}
	to, err := f.root.Readlink(p)
	if err != nil {
		return "", f.missing(p, err)
	}
	return spell(to), 0
}

// Mkdir and all that follow refuse: the mount is read-only.
func (*FS) Mkdir(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Chmod refuses.
func (*FS) Chmod(string, fs.FileMode) sys.Errno { return sys.EROFS }

// Rename refuses.
func (*FS) Rename(string, string) sys.Errno { return sys.EROFS }

// Rmdir refuses.
func (*FS) Rmdir(string) sys.Errno { return sys.EROFS }

// Unlink refuses.
func (*FS) Unlink(string) sys.Errno { return sys.EROFS }

// Link refuses.
func (*FS) Link(string, string) sys.Errno { return sys.EROFS }

// Symlink refuses.
func (*FS) Symlink(string, string) sys.Errno { return sys.EROFS }

// Utimens refuses.
func (*FS) Utimens(string, int64, int64) sys.Errno { return sys.EROFS }

// local turns a guest's path into one below the root. The *os.Root would
// refuse an escape too; this is the first wall, and tells EPERM from ENOENT.
func local(name string) (p string, wantDir bool, errno sys.Errno) {
	wantDir = strings.HasSuffix(name, "/")
	if strings.IndexByte(name, 0) >= 0 {
		return "", false, sys.EINVAL
	}
	// wazero joins a folder's name and a path below it with a slash, which
	// leaves a leading one below the mount itself.
	p = path.Clean(strings.TrimLeft(name, "/"))
	// Invariant 6: a guest reads nothing outside its granted roots.
	if !fs.ValidPath(p) {
		return "", false, sys.EPERM
	}
	return p, wantDir, 0
}

// toErrno maps an error of *os.Root. One without a number of the operating
// system is its refusal to leave the root.
func toErrno(err error) sys.Errno {
	var n syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.Is(err, fs.ErrNotExist):
		return sys.ENOENT
	case errors.Is(err, fs.ErrClosed):
		return sys.EBADF
	case errors.As(err, &n):
		return sys.UnwrapOSError(err)
	default:
		return sys.EPERM
	}
}
