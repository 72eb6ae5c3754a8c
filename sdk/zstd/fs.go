package zstd

import (
	"errors"
	"io"
	"io/fs"
	"strings"
)

// Suffix is how the name of a compressed file ends.
const Suffix = ".zst"

// FS shows the files of Base whose names end in Suffix unpacked, under their names, and all
// others as they are. A file's size is that of its content, so the first look at a file
// unpacks it once, and a seek backwards begins anew. A damaged file ends where the damage
// begins; Fault says so.
type FS struct {
	Base   fs.FS
	Window int64 // of the Reader

	r    Reader
	last measure
}

// measure is what one look at a file found.
type measure struct {
	name  string
	info  fs.FileInfo // of the compressed file
	size  int64       // of the content, up to the damage
	fault *Error
}

// Open implements fs.FS.
func (f *FS) Open(name string) (fs.File, error) {
	file, err := f.Base.Open(name)
	if err != nil || !strings.HasSuffix(name, Suffix) {
		return file, err
	}
	m, err := f.measure(name, file)
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return &unpacked{fsys: f, file: file, measure: *m}, nil
}

// Stat implements fs.StatFS.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	if !strings.HasSuffix(name, Suffix) {
		return fs.Stat(f.Base, name)
	}
	file, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Stat()
}

// Fault returns why the file that was looked at last ends where it does, nil at its end. Errors
// of reading it are not faults: Open and Stat return them.
func (f *FS) Fault() *Error { return f.last.fault }

// measure unpacks the file once, unless it is the one that was looked at last.
func (f *FS) measure(name string, file fs.File) (*measure, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if l := &f.last; l.name == name && l.info.Size() == info.Size() && l.info.ModTime().Equal(info.ModTime()) {
		return l, nil
	}
	f.last = measure{}
	m := measure{name: name, info: info}
	f.r.Window = f.Window
	f.r.Reset(file)
	m.size, err = io.Copy(io.Discard, &f.r)
	if err != nil {
		e, ok := err.(*Error) //nolint:errorlint // a Reader returns it as it is, and TinyGo pays for errors.As
		if !ok || !e.Damage() {
			return nil, err
		}
		m.fault = e
	}
	if err := rewind(file); err != nil {
		return nil, err
	}
	f.last = m
	return &f.last, nil
}

func rewind(file fs.File) error {
	seeker, ok := file.(io.Seeker)
	if !ok {
		return fs.ErrInvalid
	}
	_, err := seeker.Seek(0, io.SeekStart)
	return err
}

// unpacked is an open file of an FS.
type unpacked struct {
	measure

	fsys *FS
	file fs.File
	r    *Reader // nil until the first byte is read
	at   int64
}

func (u *unpacked) Stat() (fs.FileInfo, error) { return contentInfo{u.info, u.size}, nil }

func (u *unpacked) Close() error { return u.file.Close() }

func (u *unpacked) Read(p []byte) (int, error) {
	if u.at >= u.size {
		return 0, io.EOF
	}
	if u.r == nil {
		u.r = &Reader{Window: u.fsys.Window}
		u.r.Reset(u.file)
	}
	n, err := u.r.Read(p[:min(int64(len(p)), u.size-u.at)])
	u.at += int64(n)
	return n, err
}

// Seek implements io.Seeker, from the start alone.
func (u *unpacked) Seek(offset int64, whence int) (int64, error) {
	if whence != io.SeekStart || offset < 0 {
		return 0, fs.ErrInvalid
	}
	if offset < u.at {
		if err := rewind(u.file); err != nil {
			return 0, err
		}
		if u.at = 0; u.r != nil {
			u.r.Reset(u.file)
		}
	}
	_, err := io.CopyN(io.Discard, u, offset-u.at)
	if errors.Is(err, io.EOF) {
		u.at, err = offset, nil // behind the end, as in any file
	}
	return offset, err
}

// contentInfo is what a compressed file's content would be listed as.
type contentInfo struct {
	fs.FileInfo

	size int64
}

func (i contentInfo) Size() int64 { return i.size }
