package sqlitefile

import (
	"errors"
	"io"
	"io/fs"
)

// Live is a database in a folder, opened with the write-ahead log beside it while another
// program may be writing both.
type Live struct {
	*DB

	fsys   fs.FS
	name   string
	limits Limits
	files  []fs.File
}

// OpenLive opens the database name of fsys. It fails with CodeCorrupt when a rollback journal
// shows that a transaction is under way, and else as Open or the file system does.
func OpenLive(fsys fs.FS, name string, limits Limits) (*Live, error) {
	if hot(fsys, name) {
		return nil, corrupt("a rollback journal is hot")
	}
	l := &Live{fsys: fsys, name: name, limits: limits}
	file, err := l.open(name)
	if err == nil {
		var log io.ReadSeeker
		if log, err = l.open(name + "-wal"); err == nil || errors.Is(err, fs.ErrNotExist) {
			l.DB, err = Open(file, log, limits)
		}
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// open opens a file, to be closed by Close; nil with an error.
func (l *Live) open(name string) (io.ReadSeeker, error) {
	f, err := l.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	l.files = append(l.files, f)
	s, ok := f.(io.ReadSeeker)
	if !ok {
		return nil, fs.ErrInvalid
	}
	return s, nil
}

// hot reports whether a rollback journal shows that the database is in the middle of a
// transaction.
func hot(fsys fs.FS, name string) bool {
	f, err := fsys.Open(name + "-journal")
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // only read
	var head [8]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
}

// Still reports whether no writer has committed or checkpointed since the database was
// opened: its rows are then those of one moment.
func (l *Live) Still() bool {
	again, err := OpenLive(l.fsys, l.name, l.limits)
	if err != nil {
		return false
	}
	defer again.Close()
	return again.Stamp() == l.Stamp()
}

// Close closes the files.
func (l *Live) Close() {
	for _, f := range l.files {
		_ = f.Close() // only read
	}
	l.files = nil
}
