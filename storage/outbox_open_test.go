package storage

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// tree is the names and contents of a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(text)
	}
	return out
}

// A file belongs to one source instance, and nothing is changed in one that is
// refused.
func TestALaneIsOpenedForItsOwn(t *testing.T) {
	t.Parallel()
	x := newLane(t)
	x.ok(x.s.Close())
	host := emptyStore(t)
	used := emptyStore(t)
	s := mustOpen(t, Options{Path: used})
	_, err := s.EnsureConnection(t.Context(), "c", "c")
	x.ok(err)
	x.ok(s.Close())
	for name, c := range map[string]struct {
		path string
		lane *Lane
		code abi.Code
	}{
		"another source":     {x.path, &Lane{SourceInstanceID: "src2", ConnectorID: "demo"}, CodeLaneMismatch},
		"another connector":  {x.path, &Lane{SourceInstanceID: "src1", ConnectorID: "other"}, CodeLaneMismatch},
		"as a host's":        {x.path, nil, CodeLaneMismatch},
		"a host's in use":    {used, &Lane{SourceInstanceID: "src1", ConnectorID: "demo"}, CodeLaneMismatch},
		"without identity":   {x.path, &Lane{ConnectorID: "demo"}, CodeLaneMismatch},
		"without connector":  {x.path, &Lane{SourceInstanceID: "src1"}, CodeLaneMismatch},
		"its own":            {x.path, &Lane{SourceInstanceID: "src1", ConnectorID: "demo"}, ""},
		"a host's, not used": {host, &Lane{SourceInstanceID: "src1", ConnectorID: "demo"}, ""},
	} {
		before := tree(t, filepath.Dir(c.path))
		s, err := openLane(t.Context(), Options{Path: c.path, Now: time.Now}, c.lane)
		if c.code != "" {
			x.code(err, c.code)
			x.same(tree(t, filepath.Dir(c.path)), before)
			continue
		}
		if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
			continue
		}
		x.ok(s.Close())
	}
	_, err = Open(t.Context(), Options{Path: host, Now: time.Now})
	x.code(err, CodeLaneMismatch) // it is a lane's now
}

// The first to open a fresh file has it.
func TestALaneIsTakenOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "x.sqlite")
	errs := make(chan error)
	for _, id := range []string{"src1", "src2", "src1", "src2"} {
		go func() {
			s, err := OpenOutbox(t.Context(), Options{Path: path, Now: time.Now}, Lane{SourceInstanceID: id, ConnectorID: "demo"})
			if err == nil {
				err = s.Close()
			}
			errs <- err
		}()
	}
	refused := 0
	for range 4 {
		if err := <-errs; abi.CodeOf(err) == CodeLaneMismatch && err != nil {
			refused++
		} else if err != nil {
			t.Error(err)
		}
	}
	if refused != 2 {
		t.Errorf("got %d of 4 refused, want 2", refused)
	}
}

// A claim names its holder and how long it lasts.
func TestClaimNeedsHolderAndLease(t *testing.T) {
	t.Parallel()
	y, ctx := newLane(t), t.Context()
	_, err := y.s.Claim(ctx, ClaimRequest{Lease: time.Minute})
	y.code(err, abi.CodeInternal)
	_, err = y.s.Claim(ctx, ClaimRequest{Holder: "h"})
	y.code(err, abi.CodeInternal)
}

// To look at a lane changes nothing: not a file that is missing, nor one that
// is closed, in use, or left by a process that was killed.
func TestInspectLaneChangesNothing(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	x := newLane(t)
	now := x.clock.Now()
	dir := filepath.Dir(x.path)
	inspect := func(path string) (string, OutboxCounts) {
		t.Helper()
		before := tree(t, dir)
		info, counts, err := InspectLane(ctx, path, now)
		x.ok(err)
		after := tree(t, dir)
		for _, shared := range []map[string]string{before, after} {
			delete(shared, "lane.sqlite-shm") // in memory between processes
			delete(shared, "killed.sqlite-shm")
		}
		x.same(len(after), len(before))
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s: got it changed, want it as it was", name)
			}
		}
		return info.SourceInstanceID + " " + info.ConnectorID, counts
	}
	x.batches(2)
	who, counts := inspect(x.path) // in use
	x.same([]any{who, counts.Pending, counts.LifecycleState}, []any{"src1 demo", 2, LaneDraining})
	x.same(*counts.CoverageObserved, false)
	// Copies of what a killed process leaves, with the log's index and without.
	for _, name := range []string{"killed.sqlite", "copied.sqlite"} {
		for _, end := range []string{"", "-wal", "-shm"} {
			text, err := os.ReadFile(x.path + end)
			x.ok(err)
			if name+end != "copied.sqlite-shm" {
				x.ok(os.WriteFile(filepath.Join(dir, name+end), text, 0o600))
			}
		}
		_, counts = inspect(filepath.Join(dir, name))
		x.same(counts.Pending, 2)
	}
	x.ok(x.s.Close())
	_, counts = inspect(x.path) // closed
	x.same(counts.Pending, 2)
	if _, err := os.Stat(x.path + "-wal"); err == nil {
		t.Error("a log was made")
	}

	empty := filepath.Join(dir, "empty")
	x.ok(os.WriteFile(empty, nil, 0o600))
	short := filepath.Join(dir, "short")
	x.ok(os.WriteFile(short, []byte("x"), 0o600))
	newer := emptyStore(t)
	rawSQL(t, newer, "INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 1)")
	other := filepath.Join(dir, "other.db")
	rawSQL(t, other, "CREATE TABLE notes (x)")
	for path, want := range map[string]abi.Code{
		filepath.Join(dir, "none", "x"): CodeLaneMissing, "": CodeLaneMissing, empty: CodeLaneMissing, dir: abi.CodeStoreUnavailable,
		short: abi.CodeStoreCorrupt, emptyStore(t): CodeLaneMismatch, newer: abi.CodeStoreNewer, other: abi.CodeStoreUnavailable,
	} {
		_, _, err := InspectLane(ctx, path, now)
		x.code(err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("a folder was made")
	}
}

// A file of a schema before lanes is no lane, and is not migrated.
func TestInspectLaneBeforeLanes(t *testing.T) {
	t.Parallel()
	x := over(t, Options{})
	path := x.s.Path()
	x.ok(x.s.Close())
	rawSQL(t, path, "DELETE FROM schema_migrations WHERE version >= 8")
	before := tree(t, filepath.Dir(path))
	_, _, err := InspectLane(t.Context(), path, time.Now())
	x.code(err, CodeLaneMismatch)
	x.same(tree(t, filepath.Dir(path)), before)
}

// openLane opens the lane's outbox, or with nil a host's own store.
func openLane(ctx context.Context, o Options, lane *Lane) (io.Closer, error) {
	if lane == nil {
		return Open(ctx, o)
	}
	return OpenOutbox(ctx, o, *lane)
}
