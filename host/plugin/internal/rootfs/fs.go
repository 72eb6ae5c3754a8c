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

// FS implements sys.FS over a root. The embedded UnimplementedFS returns ENOSYS for
// methods that do not return EROFS here. One guest at a time uses it.
type FS struct {
	sys.UnimplementedFS
	root  *os.Root
	watch Watcher
}

var _ sys.FS = (*FS)(nil)

// Watcher is told what a guest does in a folder. Its methods are called one at a time.
type Watcher interface {
	// Listed: a listing returned so many regular files.
	Listed(files int)
	// Opened: a regular file was opened. How many bytes are read of it is added to what it
	// returns, which may be nil.
	Opened(path string, info fs.FileInfo) *int64
	// Ended: all bytes that a regular file had when it was opened were read.
	Ended(path string)
}

// New returns the read-only file system of root. The caller closes root, after the
// guest has ended. watch may be nil.
func New(root *os.Root, watch Watcher) *FS { return &FS{root: root, watch: watch} }

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
	// The mode is checked before the file is opened, because opening a device or a
	// named pipe already has an effect; and again after, because the file may have
	// been replaced meanwhile.
	info, err := stat(p)
	if err != nil {
		return nil, f.errnoOf(p, err)
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, sys.ELOOP
	case info.IsDir():
		// libc opens a folder with all rights; only the flags that would create or
		// change one are refused.
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
	file, err := f.root.OpenFile(p, os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		return nil, toErrno(err)
	}
	if info, err = file.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = file.Close()
		return nil, sys.EACCES
	}
	opened := &regular{file: file, path: p, size: info.Size(), watch: f.watch}
	if f.watch != nil {
		opened.taken = f.watch.Opened(p, info)
	}
	return opened, 0
}

func (f *FS) openDir(p string) (sys.File, sys.Errno) {
	file, err := f.root.OpenFile(p, os.O_RDONLY|OpenFlags, 0)
	if err != nil {
		if p == "." {
			// For the mount's own folder wazero panics on any other error.
			return nil, sys.ENOENT
		}
		return nil, toErrno(err)
	}
	info, err := file.Stat()
	if err != nil || !info.IsDir() {
		_ = file.Close()
		return nil, sys.ENOTDIR
	}
	return &dir{root: f.root, path: p, file: file, watch: f.watch}, 0
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
		return wasys.Stat_t{}, f.errnoOf(p, err)
	}
	if wantDir && !info.IsDir() {
		return wasys.Stat_t{}, sys.ENOTDIR
	}
	st := wasys.NewStat_t(info)
	st.Mode = visibleMode(st.Mode)
	return st, 0
}

// visibleMode returns the mode for a guest. WASI has no named pipes, and a guest takes an
// unknown type for a regular file; it leaves a device alone.
func visibleMode(m fs.FileMode) fs.FileMode {
	if m&(fs.ModeNamedPipe|fs.ModeIrregular) != 0 {
		m = m&^(fs.ModeNamedPipe|fs.ModeIrregular) | fs.ModeDevice | fs.ModeCharDevice
	}
	return m
}

// Readlink returns the target of a link, even one outside the root.
func (f *FS) Readlink(name string) (string, sys.Errno) {
	p, _, errno := local(name)
	if errno != 0 {
		return "", errno
	}
	to, err := f.root.Readlink(p)
	if err != nil {
		return "", f.errnoOf(p, err)
	}
	return Spell(to), 0
}

// Mkdir and the following methods refuse: the mount is read-only.
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

// local turns a guest's path into one below the root. The *os.Root would refuse an
// escape too; this first wall also distinguishes EPERM from ENOENT.
func local(name string) (p string, wantDir bool, errno sys.Errno) {
	wantDir = strings.HasSuffix(name, "/")
	if strings.IndexByte(name, 0) >= 0 {
		return "", false, sys.EINVAL
	}
	// wazero joins a folder's name and a path below it with a slash, which leaves a
	// leading slash below the mount itself.
	p = path.Clean(strings.TrimLeft(name, "/"))
	// Invariant 6: a guest reads nothing outside its granted roots.
	if !fs.ValidPath(p) {
		return "", false, sys.EPERM
	}
	return p, wantDir, 0
}

// toErrno maps an error of *os.Root. An error without a number of the operating system
// is its refusal to leave the root.
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
