package archive

import (
	"io"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Entry is one file in an archive.
type Entry struct {
	Name string
	Size int64 // unpacked, as the archive says
	// Problem says why the entry cannot be read; nil when it can.
	Problem *abi.Error
}

// format is one of the two formats behind a Reader.
type format interface {
	// next returns the next file, io.EOF after the last. The packed size is -1 when the
	// format does not have it. Folders and a format's own entries are left out.
	next() (e Entry, packed int64, err error)
	// open returns the content of the entry that next returned.
	open() (io.Reader, error)
	// done is how much of the archive's file was passed.
	done() int64
}

// Reader walks the entries of one archive and reads the one at hand.
type Reader struct {
	file    fs.File
	size    int64
	limits  Limits
	format  format
	names   seen
	entries int64
	total   int64 // unpacked so far

	entry   Entry
	packed  int64
	content io.Reader // of entry; nil: not opened yet
	left    int64     // of entry.Size
	failed  error     // what ended the reading of entry
	err     error
}

// Open opens the archive of that name: a zip or a gzip with a tar in it, as its first
// bytes show. The error has one of this package's codes.
func Open(fsys fs.FS, name string, l Limits) (*Reader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, asError(err)
	}
	r := &Reader{file: file, limits: l.withDefaults()}
	if err := r.open(); err != nil {
		_ = file.Close()
		return nil, asError(err)
	}
	return r, nil
}

func (r *Reader) open() error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	file, ok := r.file.(io.ReadSeeker)
	if !ok || !info.Mode().IsRegular() {
		return unsupported("it is no file that can be read at any place")
	}
	at := &seeker{file: file}
	r.size = info.Size()
	var head [4]byte
	if n, err := at.ReadAt(head[:], 0); n < len(head) && err != io.EOF { //nolint:errorlint // io.EOF is never wrapped
		return err
	}
	switch {
	case head[0] == 0x1f && head[1] == 0x8b:
		r.format, err = openTar(at, r.size, r.limits)
	case r.size == 0:
		return truncated("the file is empty")
	default:
		r.format, err = openZip(at, r.size, head, r.limits)
	}
	return err
}

// Next goes on to the next entry, and reports whether there is one. It skips folders.
// After false, Err tells the end of the archive from a failure.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	r.content, r.failed = nil, nil
	if r.entry, r.packed, r.err = r.format.next(); r.err != nil {
		r.err = asError(r.err)
		return false
	}
	if r.entries++; r.entries > r.limits.Entries {
		r.err = tooLarge("it has too many entries")
		return false
	}
	e := &r.entry
	e.Name, r.left = shown(e.Name), e.Size
	if e.Problem != nil {
		return true
	}
	switch e.Problem = r.nameProblem(e.Name); {
	case e.Problem != nil:
	case e.Size > r.limits.EntryBytes:
		e.Problem = tooLarge("an entry unpacks to too much")
	case r.packed >= 0 && !r.limits.within(r.packed, e.Size):
		e.Problem = tooLarge("an entry unpacks to far more than it takes")
	}
	return true
}

// Entry returns the entry at hand.
func (r *Reader) Entry() Entry { return r.entry }

// Err returns the failure that ended Next before the end of the archive, nil at its end.
func (r *Reader) Err() error {
	if r.err == io.EOF { //nolint:errorlint // io.EOF is never wrapped
		return nil
	}
	return r.err
}

// Read reads the content of the entry at hand. An error other than io.EOF has one of this
// package's codes and concerns this entry; Next may go on.
func (r *Reader) Read(p []byte) (int, error) {
	if r.failed == nil {
		n, err := r.read(p)
		r.failed = err
		return n, err
	}
	return 0, r.failed
}

func (r *Reader) read(p []byte) (int, error) {
	switch {
	case r.err != nil:
		return 0, r.err
	case r.entry.Problem != nil:
		return 0, r.entry.Problem
	case r.content == nil:
		content, err := r.format.open()
		if err != nil {
			return 0, asError(err)
		}
		r.content = content
	}
	n, err := r.content.Read(p)
	r.left -= int64(n)
	r.total += int64(n)
	switch {
	case r.left < 0:
		return 0, corrupt("an entry unpacks to more than it says")
	case r.total > r.limits.TotalBytes:
		return 0, tooLarge("it unpacks to too much")
	case err == io.EOF && r.left > 0: //nolint:errorlint // io.EOF is never wrapped
		return n, truncated("an entry is shorter than it says")
	case err != nil:
		return n, asError(err)
	}
	return n, nil
}

// Progress returns how much of the archive's file was passed, and its size.
func (r *Reader) Progress() (done, size int64) { return r.format.done(), r.size }

// Close closes the file.
func (r *Reader) Close() { _ = r.file.Close() }
