package db

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// Open opens the database at o.Path, makes it when it is missing (file 0600 in a
// folder 0700), and brings its schema up to date. Errors: storage.newer_version
// when a newer pdpp-host wrote it, storage.migration when its schema's history
// differs from this program's, storage.corrupt, storage.locked, storage.unavailable,
// storage.unsafe when others can change it, those of o.Accept and of o.Ready. Nothing is changed in
// a file that is refused. A group's right to write to the folder or the file is taken away.
func Open(ctx context.Context, o Options) (*DB, error) {
	if postgres.Is(o.Path) {
		return openServer(ctx, o)
	}
	d, err := accepted(ctx, o)
	if err != nil {
		return nil, err
	}
	return d.openFile(ctx, d.migrate, d.opts.Ready)
}

// OpenAsItIs is Open for somebody who changes nothing of the schema, nor what it is ready for: a
// database of an older version is refused with storage.older_version. Without an error it returns
// nil where a server's database holds no store.
func OpenAsItIs(ctx context.Context, o Options) (*DB, error) {
	if postgres.Is(o.Path) {
		return openServerAsItIs(ctx, o)
	}
	d, err := accepted(ctx, o)
	if err != nil {
		return nil, err
	}
	return d.openFile(ctx, func(ctx context.Context) error {
		current, err := d.current(ctx, d.write)
		if err == nil && !current {
			err = older(d.Path)
		}
		return err
	}, func(context.Context, *DB) error { return nil })
}

// accepted is the database of the file at o.Path, which is not open so far: it is made when it is
// missing, and is ours.
func accepted(ctx context.Context, o Options) (*DB, error) {
	path, err := prepareFile(o.Path)
	if err != nil {
		return nil, err
	}
	d := unopened(path, o)
	return d, d.inspect(ctx)
}

// CodeOlder is the code of a database that whoever only reads does not bring up to date.
const CodeOlder abi.Code = "storage.older_version"

// older refuses a database that has to be brought up to date before this program reads it.
func older(where string) error {
	return abi.NewError(CodeOlder, "the store was written by an older pdpp-host, and reading does not change it",
		"bring it up to date with: pdpp-host store migrate (serve, and each command that changes something, do the same)").WithDetail(where)
}

// openFile opens the file, which fit makes fit for this program, and ready completes.
func (d *DB) openFile(ctx context.Context, fit func(context.Context) error, ready func(context.Context, *DB) error) (_ *DB, err error) {
	if d.write, err = d.pool(1, d.dsn("WAL", d.writerPragmas()...)); err != nil {
		return nil, err
	}
	if err := fit(ctx); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	if d.Read, err = d.pool(readConnections, d.dsn("", d.busyPragma(), "query_only(1)", pragma("cache_size", -readerCacheKiB))); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	d.writer = startWriter(d)
	if err := ready(ctx, d); err != nil {
		_ = d.Close()
		return nil, err
	}
	d.foldLeft()
	return d, nil
}
