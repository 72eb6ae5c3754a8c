package storage

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// InspectLane reads whose outbox the file at path is and how it stands at now,
// and changes nothing: it makes no file, runs no migration and takes no lock that
// a run would wait for. A missing or empty file is storage.lane_missing, one of
// a host storage.lane_mismatch; other errors as of Open.
func InspectLane(ctx context.Context, path string, now time.Time) (LaneInfo, OutboxCounts, error) {
	full, err := inspectable(path)
	if err != nil {
		return LaneInfo{}, OutboxCounts{}, err
	}
	s := &Store{path: full, logger: slog.New(slog.DiscardHandler), opts: Options{busyTimeout: defaultBusyTimeout}}
	quiet, before := s.quiet()
	info, counts, err := s.inspectLane(ctx, micros(now), quiet)
	if still, after := s.quiet(); quiet && (!still || !after.Equal(before)) {
		// Somebody began to write while it was read as if nobody could.
		info, counts, err = s.inspectLane(ctx, micros(now), false)
	}
	return info, counts, s.fail("inspect", err)
}

func inspectable(path string) (string, error) {
	unavailable := func(err error) error {
		return abi.NewError(abi.CodeStoreUnavailable, "the outbox cannot be read", "check its path and its mode").WithDetail(path).Wrap(err)
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return "", unavailable(err)
	}
	info, err := os.Stat(full)
	switch {
	case path == "", errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && info.Size() == 0:
		return "", abi.NewError(CodeLaneMissing, "there is no outbox yet", "run the collector once, or name its file with --queue").WithDetail(full)
	case err != nil:
		return "", unavailable(err)
	case !info.Mode().IsRegular():
		return "", unavailable(errors.New("not a regular file"))
	case info.Size() < smallestFile:
		return "", notADatabase().WithDetail(full)
	}
	return full, nil
}

// quiet reports whether the file has no log beside it, so that all there is of
// it is in it and nobody writes; and when it was changed last.
func (s *Store) quiet() (bool, time.Time) {
	var changed time.Time
	if info, err := os.Stat(s.path); err == nil {
		changed = info.ModTime()
	}
	log, err := os.Stat(s.path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0, changed
}

// inspectLane reads the file: as one that nobody writes, for which SQLite makes
// no file beside it, or through the log of who writes it.
func (s *Store) inspectLane(ctx context.Context, nowUS int64, quiet bool) (LaneInfo, OutboxCounts, error) {
	if _, err := os.Stat(s.path + "-shm"); !quiet && errors.Is(err, fs.ErrNotExist) {
		return s.inspectCopy(ctx, nowUS)
	}
	dsn := s.dsn("", s.busyPragma(), "query_only(1)") + "&mode=ro"
	if quiet {
		dsn += "&immutable=1"
	}
	db, err := s.pool(1, dsn)
	if err != nil {
		return LaneInfo{}, OutboxCounts{}, err
	}
	defer func() { _ = db.Close() }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return LaneInfo{}, OutboxCounts{}, err
	}
	steps, err := s.pending(ctx, conn)
	var lane *laneRow
	if known, e := migrations(); err == nil && e == nil && len(known)-len(steps) >= outboxStep {
		lane, err = laneOf(ctx, conn)
	}
	if closed := conn.Close(); err == nil {
		err = closed
	}
	if err == nil && lane == nil {
		err = mismatch(s.path, "the file is no collector's outbox", "name another file with --queue")
	}
	if err != nil {
		return LaneInfo{}, OutboxCounts{}, err
	}
	counts, err := s.countedAt(ctx, db, nowUS)
	if err != nil {
		return LaneInfo{}, OutboxCounts{}, err
	}
	info, err := laneInfo(ctx, db, lane)
	return info, counts, err
}

// inspectCopy reads a file with a log whose index is missing, for which SQLite
// would make one beside it. No process has the file open then, so a copy is
// whole.
func (s *Store) inspectCopy(ctx context.Context, nowUS int64) (info LaneInfo, counts OutboxCounts, err error) {
	dir, err := os.MkdirTemp("", "pdpp-outbox-")
	if err != nil {
		return info, counts, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c := *s
	c.path = filepath.Join(dir, "outbox.sqlite")
	for _, end := range []string{"", "-wal"} {
		if err := copyFile(c.path+end, s.path+end); err != nil {
			return info, counts, err
		}
	}
	if err := os.WriteFile(c.path+"-shm", nil, 0o600); err != nil { // filled in when it is opened
		return info, counts, err
	}
	return c.inspectLane(ctx, nowUS, false)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
