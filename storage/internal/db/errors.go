package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// primary returns the primary result code behind err, 0 when err is not the
// database's. The low byte of an extended code is its primary code.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// Fail turns a database error into the project's error; what names the
// operation. An error that has a code already, and a context's end, pass
// unchanged.
func (d *DB) Fail(what string, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*abi.Error](err); ok {
		return err
	}
	silent := d.pg != nil && postgres.Silent(err) // the time to connect has ended, and not the caller's
	if (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) && !silent {
		return err
	}
	if d.pg != nil {
		return d.pg.fault(what, err)
	}
	if textRefused(err) {
		return postgres.TextRefused()
	}
	return storeError(d.Path, what, err)
}

// failed reports whether err is the database's own.
func (d *DB) failed(err error) bool {
	if d.pg != nil {
		return postgres.Failed(err)
	}
	return primary(err) != 0
}

// lost reports whether the connection to a server ended. A file has none.
func (d *DB) lost(err error) bool { return d.pg != nil && postgres.Lost(err) }

// Conflicts reports whether a row was refused because of another: its key is there already,
// or what it refers to is not.
func (d *DB) Conflicts(err error) bool {
	return d.pg != nil && postgres.Conflicts(err) || primary(err) == lib.SQLITE_CONSTRAINT
}

// storeError maps a database error to its code. Messages of SQLite name tables
// and files, never a row's values, but they stay in the wrapped chain only.
func storeError(path, what string, err error) *abi.Error {
	var e *abi.Error
	switch primary(err) {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		who := "another process"
		if pid := lockHolder(path); pid > 0 {
			who = fmt.Sprintf("process %d", pid)
		}
		e = abi.NewError(abi.CodeStoreLocked, "the store is locked by "+who,
			"wait until that process is done, or end it; then run again")
	case lib.SQLITE_FULL:
		e = diskFull()
	case lib.SQLITE_CORRUPT:
		e = abi.NewError(abi.CodeStoreCorrupt, "the store is damaged",
			"restore the file from a backup; `pdpp-host doctor` shows what is damaged")
	case lib.SQLITE_NOTADB:
		e = notADatabase()
	case lib.SQLITE_READONLY, lib.SQLITE_PERM, lib.SQLITE_CANTOPEN:
		cause := folderRefuses(filepath.Dir(path))
		if readOnly(cause) {
			return readOnlyFolder(path, cause).Wrap(err)
		}
		if outOfSpace(cause) {
			e = diskFull()
			break
		}
		if tooManyFiles(cause) {
			e = noMoreFiles()
			break
		}
		if primary(err) == lib.SQLITE_CANTOPEN {
			e = abi.NewError(abi.CodeStoreUnavailable, "the store cannot be opened",
				"check that the folder exists and that you may read and write it")
			break
		}
		e = abi.NewError(abi.CodeStoreUnavailable, "the store cannot be written to",
			"check the owner and the mode of the file and its folder")
	case lib.SQLITE_IOERR:
		// SQLite says so of an index file that finds no room, too.
		if outOfSpace(folderRefuses(filepath.Dir(path))) {
			e = diskFull()
			break
		}
		e = abi.NewError(abi.CodeStoreUnavailable, "the disk failed under the store",
			"check the disk and its file system; what was committed is kept")
	default:
		e = abi.NewError(abi.CodeStoreUnavailable, "the store failed",
			"run again; `pdpp-host doctor` checks the store")
	}
	return e.WithDetail(path + ", " + what).Wrap(err)
}

// fault describes an error of the server.
func (p *server) fault(what string, err error) error {
	e := postgres.Describe(err)
	if postgres.Waited(err) {
		e = abi.NewError(abi.CodeStoreLocked, "the store is locked by "+p.lockHolder(),
			"wait until that process is done, or end it; then run again")
	}
	return e.WithDetail(p.db.Path + ", " + what).Wrap(err)
}

// lockHolder names the session that has the write lock.
func (p *server) lockHolder() string {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	var pid int
	var name, client string
	err := p.db.Read.QueryRowContext(ctx, `SELECT a.pid, a.application_name, coalesce(host(a.client_addr), '')
FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid JOIN pg_database AS d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ? AND l.objid = ? AND d.datname = current_database() LIMIT 1`,
		lockClass, p.lockKey).Scan(&pid, &name, &client)
	if err != nil {
		return "another session"
	}
	if client != "" {
		client = " from " + client
	}
	return fmt.Sprintf("%s%s (backend %d)", name, client, pid)
}

func diskFull() *abi.Error {
	return abi.NewError(abi.CodeStoreFull, "no space left for the store",
		"free disk space where the data folder lies, then run again: what was committed is kept")
}

// probeBytes is more than the files take that SQLite makes beside an open store.
const probeBytes = 64 << 10

// folderRefuses returns why no file can be made in dir, nil when one can be or
// when it is not known. It is asked only after something failed: SQLite needs
// its log and index files beside the store even to read it.
func folderRefuses(dir string) error {
	probe, err := os.CreateTemp(dir, ".probe-*")
	if err == nil {
		_, err = probe.Write(make([]byte, probeBytes))
		_ = errors.Join(probe.Close(), os.Remove(probe.Name())) // the error at hand is told either way
	}
	if readOnly(err) || outOfSpace(err) || tooManyFiles(err) {
		return err
	}
	return nil
}

// tooManyFiles reports whether err says that this process, or the machine, may open no more files.
func tooManyFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

func noMoreFiles() *abi.Error {
	return abi.NewError(abi.CodeStoreUnavailable, "this process may open no more files, so the store cannot be opened",
		"raise the limit of open files: `ulimit -n 1024`, or LimitNOFILE= of the service; the store itself is not at fault")
}

// outOfSpace reports whether err says that a disk, or its owner's share of it, is
// full.
func outOfSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// readOnly reports whether err says that a place takes no writing.
func readOnly(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, fs.ErrPermission)
}

func readOnlyFolder(path string, cause error) *abi.Error {
	if foreign := ownedByAnother(filepath.Dir(path)); foreign != "" && !errors.Is(cause, syscall.EROFS) {
		return abi.NewError(abi.CodeStoreUnavailable, "the store's folder belongs to another user, and this one may not use it",
			"run pdpp-host as that user, give the folder to this one with chown, or name another with --data-dir").WithDetail(foreign)
	}
	if pe, ok := errors.AsType[*fs.PathError](cause); ok {
		cause = pe.Err
	}
	return abi.NewError(abi.CodeStoreUnavailable, "the store's folder is read-only",
		"copy the data folder to a disk that can be written and name it with --data-dir, or make it writable for you").
		WithDetail(filepath.Dir(path) + ": " + cause.Error())
}

func notADatabase() *abi.Error {
	return abi.NewError(abi.CodeStoreCorrupt, "the file is not a database, or its header is damaged",
		"check data_dir and storage.dsn, or restore the file from a backup")
}

// foreign says that the file is a database of something else.
func foreign(path string) *abi.Error {
	return abi.NewError(abi.CodeStoreUnavailable, "the file is a database of another program",
		"check data_dir and storage.dsn").WithDetail(path)
}

var errClosed = abi.NewError(abi.CodeStoreUnavailable, "the store is closed", "")
