package archive

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Entry is one file in an archive.
type Entry struct {
	Name string
	Size int64 // unpacked, as the archive says; -1 where it does not
	// Modified is the time that the archive has for it, without its zone; zero without one.
	Modified time.Time
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
	lost    error     // why a zip is read without its directory
	at      io.ReaderAt
	front   int64 // where the zip at hand begins, when another one stands in front of it
	behind  int64 // where one begins that lacks its end, behind the one at hand
	passed  int64
	err     error
}

// Open opens the archive of that name: a zip, a tar, or a gzip with a tar or a file in it, as its
// first bytes show. The file in a gzip has the gzip's name without its ending. The error has one of this package's codes.
func Open(fsys fs.FS, name string, l Limits) (*Reader, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, asError(err)
	}
	r := &Reader{file: file, limits: l.withDefaults()}
	if err := r.open(name); err != nil {
		_ = file.Close()
		return nil, asError(err)
	}
	return r, nil
}

func (r *Reader) open(name string) error {
	info, err := r.file.Stat()
	if err != nil {
		return err
	}
	file, ok := r.file.(io.ReadSeeker)
	if !ok || !info.Mode().IsRegular() {
		return unsupported("it is no file that can be read at any place")
	}
	at := &seeker{file: file}
	r.at = at
	r.size = info.Size()
	var head [4]byte
	if n, err := at.ReadAt(head[:], 0); n < len(head) && err != io.EOF { //nolint:errorlint // io.EOF is never wrapped
		return err
	}
	switch {
	case head[0] == 0x1f && head[1] == 0x8b:
		r.format, err = openGzip(at, r.size, gunzipped(path.Base(name)), r.limits)
	case r.size == 0:
		return truncated("the file is empty")
	default:
		r.format, err = openZip(at, r.size, head, r.limits)
		if isNoZip(err) {
			if t := openTar(at, r.size, r.limits); t != nil {
				r.format, err = t, nil
			}
		}
		if err != nil && u32(head[:]) == localSignature && mayBeSalvaged(err) {
			r.lost, r.format, err = asError(err), newSalvage(at, 0, r.size, r.limits), nil
		}
		if z, ok := r.format.(*zipFile); ok && err == nil {
			err = r.neighbours(z, head)
		}
	}
	return err
}

// gunzipped is the name of a gzip without its ending.
func gunzipped(name string) string {
	if end := len(name) - len(".gz"); end > 0 && strings.EqualFold(name[end:], ".gz") {
		return name[:end]
	}
	return name
}

func isNoZip(err error) bool { return err != nil && abi.CodeOf(err) == CodeNotArchive }

// mayBeSalvaged reports whether the entries of a zip may be whole although its directory is not.
// One whose entries overlap was made to be read twice, and is not read on.
func mayBeSalvaged(err error) bool {
	code := abi.CodeOf(asError(err))
	return err != errOverlap && (code == CodeTruncated || code == CodeCorrupt) //nolint:errorlint // it is that very value
}

// Next goes on to the next entry, and reports whether there is one. It skips folders.
// After false, Err tells the end of the archive from a failure.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	r.content, r.failed = nil, nil
	e := &r.entry
	for {
		if *e, r.packed, r.err = r.format.next(); r.err != nil && !r.salvage() {
			return false
		} else if r.err != nil {
			r.err = nil
			continue
		}
		if r.entries++; r.entries > r.limits.Entries {
			r.err = tooLarge("it has too many entries")
			return false
		}
		e.Name, r.left = shown(e.Name), e.Size
		if r.isZip() {
			if e.Name = slashed(e.Name); strings.HasSuffix(e.Name, "/") {
				continue // a folder
			}
		}
		if r.lost == nil || !r.names.has(e.Name) { // else the directory had it
			break
		}
	}
	if e.Problem != nil {
		r.names.add(e.Name)
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

// isZip reports whether the entries at hand are a zip's.
func (r *Reader) isZip() bool {
	switch r.format.(type) {
	case *zipFile, *salvage:
		return true
	}
	return false
}

// isLoose reports whether the entries are files of a folder, whose names are paths as its system has them.
func (r *Reader) isLoose() bool {
	_, loose := r.format.(*loose)
	return loose
}

// salvage goes on without a zip's directory, where that is at fault, and reports whether it does.
func (r *Reader) salvage() bool {
	if r.err == io.EOF { //nolint:errorlint // io.EOF is never wrapped
		if r.joined() {
			return true
		}
		if r.lost != nil {
			r.err = behindFault(r.lost, r.format.done())
		}
		return false
	}
	z, ok := r.format.(*zipFile)
	if !ok || !mayBeSalvaged(r.err) {
		r.err = asError(r.err)
		return false
	}
	r.lost, r.format = asError(r.err), newSalvage(z.file, z.base, z.from, r.limits)
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
	unsized := r.entry.Size < 0
	switch {
	case r.left < 0 && !unsized:
		return 0, corrupt("an entry unpacks to more than it says")
	case r.total > r.limits.TotalBytes:
		return 0, tooLarge("it unpacks to too much")
	case err == io.EOF && r.left > 0 && !unsized: //nolint:errorlint // io.EOF is never wrapped
		return n, truncated("an entry is shorter than it says")
	case err != nil:
		return n, asError(err)
	}
	return n, nil
}

// Progress returns how much of the archive's file was passed, and its size.
func (r *Reader) Progress() (done, size int64) { return max(r.passed, r.format.done()), r.size }

// Close closes the file.
func (r *Reader) Close() {
	if l, ok := r.format.(*loose); ok {
		l.close()
		return
	}
	_ = r.file.Close()
}
