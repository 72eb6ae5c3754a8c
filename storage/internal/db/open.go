package db

import (
	"context"

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
	path, err := prepareFile(o.Path)
	if err != nil {
		return nil, err
	}
	d := unopened(path, o)
	if err := d.inspect(ctx); err != nil {
		return nil, err
	}
	if d.write, err = d.pool(1, d.dsn("WAL", d.writerPragmas()...)); err != nil {
		return nil, err
	}
	if err := d.migrate(ctx); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	if d.Read, err = d.pool(readConnections, d.dsn("", d.busyPragma(), "query_only(1)", pragma("cache_size", -readerCacheKiB))); err != nil {
		_ = d.write.Close()
		return nil, err
	}
	d.writer = startWriter(d)
	if err := d.opts.Ready(ctx, d); err != nil {
		_ = d.Close()
		return nil, err
	}
	d.foldLeft()
	return d, nil
}
