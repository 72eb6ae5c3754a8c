package db

import (
	"database/sql"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"

	"github.com/pdpp-host/pdpp-host/abi"
)

func (d *DB) pool(connections int, dsn string) (*bun.DB, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, d.Fail("open", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return bun.NewDB(db, sqliteDialect{sqlitedialect.New()}), nil
}

// dsn names the file as a URI, so that no character of the path is taken for a
// parameter, with the pragmas that every connection starts with. The driver
// sorts pragmas by name, and the journal mode fixes the page size of an empty
// file, so the mode is a parameter of its own, which comes last.
func (d *DB) dsn(journal string, pragmas ...string) string {
	p := filepath.ToSlash(d.Path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	q := url.Values{"_pragma": pragmas}
	if journal != "" {
		q.Set("_journal_mode", journal)
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: q.Encode()}).String()
}

func (d *DB) busyPragma() string { return pragma("busy_timeout", d.opts.BusyTimeout.Milliseconds()) }

func (d *DB) writerPragmas() []string {
	list := []string{
		d.busyPragma(), pragma("page_size", pageSize), "synchronous(FULL)", "foreign_keys(1)", "temp_store(MEMORY)",
		"secure_delete(1)", // what is deleted is overwritten, in pages that are freed, too
		pragma("cache_size", -writerCacheKiB), pragma("wal_autocheckpoint", int64(d.opts.Checkpoint)),
		pragma("journal_size_limit", autoCheckpoint*pageSize),
	}
	if d.opts.Unsynced {
		list = append(list, "synchronous(OFF)") // sorted behind FULL
	}
	if d.opts.MaxPages > 0 {
		list = append(list, pragma("max_page_count", int64(d.opts.MaxPages)))
	}
	return list
}

func pragma(name string, value int64) string { return name + "(" + strconv.FormatInt(value, 10) + ")" }

// creating keeps two stores of one process apart while the file is made: a
// process that closes a file loses the locks it holds on it elsewhere. For the
// same reason nothing here opens a file that exists.
var creating sync.Mutex

// prepareFile makes the folder and the file with their modes before SQLite
// does; the log and index files beside it take the file's mode.
func prepareFile(path string) (string, error) {
	creating.Lock()
	defer creating.Unlock()
	unavailable := func(message string, err error) error {
		if readOnly(err) && !errors.Is(err, fs.ErrNotExist) {
			return readOnlyFolder(path, err).Wrap(err)
		}
		if tooManyFiles(err) {
			return noMoreFiles().WithDetail(path).Wrap(err)
		}
		return abi.NewError(abi.CodeStoreUnavailable, message, "check data_dir and the mode of its folders").
			WithDetail(path).Wrap(err)
	}
	if path == "" {
		return "", abi.NewError(abi.CodeStoreUnavailable, "the store has no path", "set data_dir or storage.dsn")
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", unavailable("the store's path is unusable", err)
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		return "", unavailable("the store's folder cannot be made", err)
	}
	if err := checkOwners(full); err != nil {
		return "", err
	}
	info, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f, err := os.OpenFile(full, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrExist) {
			return full, nil // another process was quicker
		}
		if err != nil {
			return "", unavailable("the store cannot be made", err)
		}
		return full, f.Close()
	case err != nil:
		return "", unavailable("the store cannot be read", err)
	case !info.Mode().IsRegular():
		return "", unavailable("the store is not a regular file", nil)
	}
	if n := info.Size(); n > 0 && n < smallestFile {
		return "", notADatabase().WithDetail(full)
	}
	if info.Mode().Perm()&0o077 != 0 {
		// Personal data: nobody else reads it. Best effort, since the file may
		// be another user's and still be writable for us.
		_ = os.Chmod(full, 0o600)
	}
	return full, nil
}

// checkOwners is checkOwner of the folder, the file, and what lies beside it.
func checkOwners(full string) error {
	for _, own := range []string{filepath.Dir(full), full, full + "-wal", full + "-shm"} {
		if info, err := os.Stat(own); err == nil {
			if err := checkOwner(own, info); err != nil {
				return err
			}
		}
	}
	return nil
}
