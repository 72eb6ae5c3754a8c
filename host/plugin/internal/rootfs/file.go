package rootfs

import (
	"errors"
	"hash/fnv"
	"io"
	"os"

	"github.com/tetratelabs/wazero/experimental/sys"
	wasys "github.com/tetratelabs/wazero/sys"
)

// fileOffset is another name of int64, because go vet takes a method Seek(int64, int)
// for an io.Seeker with wrong results; wazero's interface is not one.
type fileOffset = int64

// regular is an open regular file.
type regular struct {
	sys.UnimplementedFile
	file  *os.File
	path  string
	watch Watcher // nil: nothing is told

	size  int64  // when it was opened
	at    int64  // of the next Read
	taken *int64 // the watcher's count of bytes, or nil if it has none
	seen  cover
	whole bool // and told
}

// count follows a read at an offset.
func (f *regular) count(off int64, b []byte) {
	if f.taken != nil {
		*f.taken += int64(len(b))
	}
	if f.whole || f.watch == nil {
		return
	}
	f.seen.add(off, b)
	if f.whole = f.seen.has(f.size); f.whole {
		f.watch.Ended(f.path)
	}
}

func (f *regular) Stat() (wasys.Stat_t, sys.Errno) { return statFile(f.file) }

func (f *regular) Dev() (uint64, sys.Errno) {
	st, errno := statFile(f.file)
	return st.Dev, errno
}

func (f *regular) Ino() (wasys.Inode, sys.Errno) {
	st, errno := statFile(f.file)
	return st.Ino, errno
}

func (f *regular) IsDir() (bool, sys.Errno) { return false, 0 }

func (f *regular) IsAppend() bool { return false }

// SetAppend refuses append mode, because the file is read-only.
func (f *regular) SetAppend(on bool) sys.Errno {
	if on {
		return sys.EROFS
	}
	return 0
}

func (f *regular) Read(b []byte) (int, sys.Errno) {
	n, err := f.file.Read(b)
	f.count(f.at, b[:max(n, 0)])
	f.at += int64(n)
	return n, readErrno(err)
}

func (f *regular) Pread(b []byte, off int64) (int, sys.Errno) {
	if off < 0 {
		return 0, sys.EINVAL
	}
	n, err := f.file.ReadAt(b, off)
	f.count(off, b[:max(n, 0)])
	return n, readErrno(err)
}

func (f *regular) Seek(offset fileOffset, whence int) (int64, sys.Errno) {
	if whence < io.SeekStart || whence > io.SeekEnd {
		return 0, sys.EINVAL
	}
	n, err := f.file.Seek(offset, whence)
	if err == nil {
		f.at = n
	}
	return n, toErrno(err)
}

func (f *regular) Readdir(int) ([]sys.Dirent, sys.Errno) { return nil, sys.ENOTDIR }

func (*regular) Write([]byte) (int, sys.Errno) { return 0, sys.EBADF }

func (*regular) Pwrite([]byte, int64) (int, sys.Errno) { return 0, sys.EBADF }

func (*regular) Truncate(int64) sys.Errno { return sys.EROFS }

func (*regular) Utimens(int64, int64) sys.Errno { return sys.EROFS }

func (f *regular) Close() sys.Errno { return toErrno(f.file.Close()) }

// dir is an open folder.
type dir struct {
	sys.DirFile
	root  *os.Root
	path  string
	file  *os.File
	watch Watcher
}

func (d *dir) Stat() (wasys.Stat_t, sys.Errno) { return statFile(d.file) }

func (d *dir) Dev() (uint64, sys.Errno) {
	st, errno := statFile(d.file)
	return st.Dev, errno
}

func (d *dir) Ino() (wasys.Inode, sys.Errno) {
	st, errno := statFile(d.file)
	return st.Ino, errno
}

// Seek rewinds a listing; other positions are not supported.
func (d *dir) Seek(offset fileOffset, whence int) (int64, sys.Errno) {
	if offset != 0 || whence != io.SeekStart {
		return 0, sys.EINVAL
	}
	_, err := d.file.Seek(0, io.SeekStart)
	return 0, toErrno(err)
}

// Readdir lists up to n entries, with the types that the folder itself records: a link
// is a link, whatever its target. It makes no system call for each entry, so inode
// numbers are derived from the names: libc requests the status of each entry without
// one, and ends the listing at the first entry without a status. Shown makes the names.
func (d *dir) Readdir(n int) ([]sys.Dirent, sys.Errno) {
	entries, err := d.file.ReadDir(n)
	if err != nil && !errors.Is(err, io.EOF) && len(entries) == 0 {
		return nil, toErrno(err)
	}
	out, files := make([]sys.Dirent, len(entries)), 0
	for i, e := range entries {
		out[i] = sys.Dirent{Name: Shown(d.root, d.path, e), Ino: inode(e.Name()), Type: visibleMode(e.Type())}
		if e.Type().IsRegular() {
			files++
		}
	}
	if d.watch != nil {
		d.watch.Listed(files)
	}
	return out, 0
}

// inode returns a number above 0 that is stable for a name.
func inode(name string) wasys.Inode {
	h := fnv.New64a()
	_, _ = io.WriteString(h, name)
	return h.Sum64() | 1
}

func (*dir) Sync() sys.Errno { return 0 }

func (*dir) Datasync() sys.Errno { return 0 }

func (*dir) Utimens(int64, int64) sys.Errno { return sys.EROFS }

func (d *dir) Close() sys.Errno { return toErrno(d.file.Close()) }

func statFile(f *os.File) (wasys.Stat_t, sys.Errno) {
	info, err := f.Stat()
	if err != nil {
		return wasys.Stat_t{}, toErrno(err)
	}
	return wasys.NewStat_t(info), 0
}

func readErrno(err error) sys.Errno {
	if errors.Is(err, io.EOF) {
		return 0
	}
	return toErrno(err)
}
