package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func nobodyLives(string) bool { return false }

// contents are the sums of a store's tables.
func contents(t *testing.T, s *Store) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := s.db.Snapshot(t.Context(), func(q bun.IDB) error {
		for _, table := range copyTables {
			columns, err := columnsOf(t.Context(), q, table.name)
			if err != nil {
				return err
			}
			slices.Sort(columns)
			n, sum, err := fingerprint(t.Context(), q, table.query(columns, nil), len(columns))
			if err != nil {
				return err
			}
			sums[table.name] = fmt.Sprintf("%d rows, %x", n, sum[:8])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

// copied copies the case's store into a file, where no run goes on, and holds the copy to
// it: what every behaviour leaves goes over whole (FL-01.2).
func (x *exercise) copied() {
	x.Helper()
	to := filepath.Join(x.TempDir(), "copy.sqlite")
	_, err := Copy(x.Context(), CopyOptions{From: pgtest.Place(x.T, x.s.Path(), migrated), To: to, Now: x.clock.Now, Alive: nobodyLives})
	if abi.CodeOf(err) == CodeCopyRefused {
		return // a device's run goes on
	}
	x.ok(err)
	s, err := Open(x.Context(), Options{Path: to, Now: x.clock.Now, unsynced: true})
	x.ok(err)
	defer func() { _ = s.Close() }()
	x.same(contents(x.T, s), contents(x.T, x.s))
	if r, err := s.Check(x.Context()); err != nil || len(r.Problems) > 0 {
		x.Errorf("the copy: got %v, %v, want a sound store", r, err)
	}
	if differ, err := s.CheckEvidence(x.Context()); err != nil || len(differ) > 0 {
		x.Errorf("the copy's evidence: got %v, %v, want none that differs", differ, err)
	}
}

// filled is a file with a connection of n records, some of them deleted.
func filled(t *testing.T, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "from.sqlite")
	blank.Store(t, path, migrated)
	s, err := Open(t.Context(), Options{Path: path, Now: time.Now, unsynced: true})
	if err != nil {
		t.Fatal(err)
	}
	x := &exercise{T: t, s: s, clock: newClock()}
	w := x.begin("c")
	for i := 0; i < n; {
		b := w.NewBatch()
		for ; i < n && b.Len() < 1000; i++ {
			b.Add(0, fmt.Appendf(nil, "%08d", i), crashData(i), []byte("2026-01-02T03:04:05Z"), i%10 == 0)
		}
		x.ok(w.Write(t.Context(), b))
	}
	x.finish(w)
	x.ok(s.PutCredentials(t.Context(), x.connection("c").ID, map[string][]byte{"token": {0, 1, 255}}))
	x.ok(s.Close())
	return path
}

// FL-01.2: a file goes to PostgreSQL and back, byte for byte, and each end works as a
// store: the numbers that tables give themselves go on.
func TestCopyToPostgresAndBack(t *testing.T) {
	t.Parallel()
	path, dsn := filled(t, 12_000), pgtest.Database(t, migrated)
	back := filepath.Join(t.TempDir(), "back.sqlite")
	x := &exercise{T: t, clock: newClock(), runs: 100}
	for _, way := range [][2]string{{path, dsn}, {dsn, back}} {
		done, err := Copy(t.Context(), CopyOptions{From: way[0], To: way[1], Now: time.Now, Alive: nobodyLives})
		x.ok(err)
		x.same(done.Records, 12_000)
	}
	var sums []map[string]string
	for _, at := range []string{path, dsn, back} {
		s, err := Open(t.Context(), Options{Path: at, Now: x.clock.Now})
		x.ok(err)
		sums = append(sums, contents(t, s))
		x.s = s
		w := x.begin("c")
		x.put(w, 0, "new=1")
		x.finish(w)
		x.sound()
		x.ok(s.Close())
	}
	x.same(sums[1], sums[0])
	x.same(sums[2], sums[0])
}

// A copy is refused that would mix two stores, or read one that somebody writes to.
func TestCopyIsRefused(t *testing.T) {
	t.Parallel()
	from, other := filled(t, 10), filled(t, 20)
	ctx := t.Context()
	refuses := func(why string, o CopyOptions, want abi.Code) {
		t.Helper()
		o.Now = time.Now
		if _, err := Copy(ctx, o); abi.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %s", why, err, want)
		}
	}
	to := filepath.Join(t.TempDir(), "to.sqlite")
	refuses("onto itself", CopyOptions{From: from, To: from}, CodeCopyRefused)
	refuses("no source", CopyOptions{From: filepath.Join(t.TempDir(), "none.sqlite"), To: to}, CodeCopyRefused)
	refuses("another store", CopyOptions{From: from, To: other}, CodeCopyRefused)
	s, err := Open(ctx, Options{Path: from, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	x := &exercise{T: t, s: s, clock: newClock(), runs: 100}
	w := x.begin("c")
	refuses("while a run goes on", CopyOptions{From: from, To: to}, CodeCopyRefused)
	w.Abandon()
	if _, err := s.Serve(ctx, "h", time.Hour, nobodyLives); err != nil {
		t.Fatal(err)
	}
	refuses("while a server is there", CopyOptions{From: from, To: to, Alive: func(holder string) bool { return holder == "h" }}, CodeCopyRefused)
	_, err = Copy(ctx, CopyOptions{From: from, To: to, Now: time.Now, Alive: func(holder string) bool { return holder == "h" }, Process: func(holder string) string { return "process " + holder + "7" }})
	if err == nil || !strings.Contains(err.Error(), "it is process h7") {
		t.Errorf("while a server is there: got %v, want its process named", err)
	}
	x.ok(s.StopServing(ctx, "h"))
	x.ok(s.Close())
	if _, err := os.Stat(to); err == nil {
		t.Error("a copy that was refused left an empty store")
	}
	if s, err = Open(ctx, Options{Path: to, Now: time.Now}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Serve(ctx, "h", time.Hour, nobodyLives); err != nil {
		t.Fatal(err)
	}
	refuses("while a server has the target open", CopyOptions{From: from, To: to, Alive: func(holder string) bool { return holder == "h" }}, CodeCopyRefused)
	x.ok(s.StopServing(ctx, "h"))
	x.ok(s.Close())
	refuses("onto the same database", CopyOptions{From: "postgres://a@127.0.0.1:1/x", To: "postgresql://b:c@127.0.0.1:1/x?sslmode=disable"}, CodeCopyRefused)
	if _, err := Copy(ctx, CopyOptions{From: from, To: to, Now: time.Now, Alive: nobodyLives}); err != nil {
		t.Error(err)
	}
	refuses("a second time", CopyOptions{From: from, To: to, Alive: nobodyLives}, CodeCopyRefused)
}

// A copy that was interrupted before the source changed is not gone on with.
func TestCopyOfAChangedSourceDiffers(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]string{"file": filepath.Join(t.TempDir(), "to.sqlite"), "PostgreSQL": pgtest.Database(t, nil)} { // not one that is used again: its mark stays
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := &exercise{T: t, clock: newClock(), runs: 100}
			o := CopyOptions{From: filled(t, 10), To: to, Now: time.Now, Alive: nobodyLives}
			_, err := Copy(t.Context(), o)
			x.ok(err)
			target, err := db.Open(t.Context(), db.Options{Path: to, Now: time.Now})
			x.ok(err)
			x.ok(target.Alone(t.Context(), "leave it unfinished", func(t *db.Tx) error { return t.BeginCopy() }))
			x.ok(target.Close())
			x.s, err = Open(t.Context(), Options{Path: o.From, Now: x.clock.Now})
			x.ok(err)
			w := x.begin("c")
			x.put(w, 0, "00000001=changed")
			x.finish(w)
			x.ok(x.s.Close())
			if _, err := Copy(t.Context(), o); abi.CodeOf(err) != CodeCopyDiffers {
				t.Errorf("got %v, want %s", err, CodeCopyDiffers)
			}
		})
	}
}

const copyChildEnv = "PDPP_STORAGE_COPY_CHILD"

// copyChild copies until it is killed.
func copyChild(ways string) {
	from, to, _ := strings.Cut(ways, "|")
	if _, err := Copy(context.Background(), CopyOptions{From: from, To: to, Now: time.Now, Alive: nobodyLives}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// A copy that is killed opens as no store, and the next one goes on from there; the end is
// the source's equal.
func TestCopyIsKilled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from := filled(t, 40_000)
	for name, target := range map[string]func(t *testing.T) string{
		"a file":     func(t *testing.T) string { t.Helper(); return filepath.Join(t.TempDir(), "to.sqlite") },
		"PostgreSQL": func(t *testing.T) string { t.Helper(); return pgtest.Database(t, migrated) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Its own: while a copy locks its source, another one waits no longer than for any store.
			own := filepath.Join(t.TempDir(), "from.sqlite")
			text, err := os.ReadFile(from)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(own, text, 0o600); err != nil {
				t.Fatal(err)
			}
			killCopies(t, self, own, target(t))
		})
	}
}

func killCopies(t *testing.T, self, from, to string) {
	t.Helper()
	halves := 0
	for range 6 {
		cmd := osexec.CommandContext(t.Context(), self) //nolint:gosec // the test itself
		cmd.Env = append(os.Environ(), copyChildEnv+"="+from+"|"+to)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Duration(50+rand.IntN(400))*time.Millisecond, func() { _ = cmd.Process.Kill() }) //nolint:gosec // any moment will do
		_ = cmd.Wait()
		s, err := Open(t.Context(), Options{Path: to, Now: time.Now})
		switch {
		case err != nil && abi.CodeOf(err) == CodeCopyUnfinished:
			halves++
		case err != nil:
			t.Fatalf("got %v, want a store or %s", err, CodeCopyUnfinished)
		default:
			if st, err := s.Stats(t.Context()); err != nil || st.Records+st.Tombstones != 0 && st.Records+st.Tombstones != 40_000 {
				t.Fatalf("a store of %+v opens, %v, want all or nothing", st, err)
			}
			_ = s.Close()
		}
	}
	t.Logf("%d of 6 kills left a half copy", halves)
	if _, err := Copy(t.Context(), CopyOptions{From: from, To: to, Now: time.Now, Alive: nobodyLives}); err != nil && abi.CodeOf(err) != CodeCopyRefused {
		t.Fatal(err)
	}
	var sums []map[string]string
	for _, at := range []string{from, to} {
		s, err := Open(t.Context(), Options{Path: at, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, contents(t, s))
		_ = s.Close()
	}
	for table, want := range sums[0] {
		if sums[1][table] != want {
			t.Errorf("%s: got %s, want %s", table, sums[1][table], want)
		}
	}
}

// Every table of a host's store is copied, or said here not to be.
func TestCopyTakesEveryTable(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	var names []string
	if err := s.db.Read.NewRaw("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").Scan(t.Context(), &names); err != nil {
		t.Fatal(err)
	}
	known := []string{
		"counters", "schema_migrations", "serving", "clock", // each store's own
		"lanes", "outbox", "outbox_payloads", "outbox_streams", "confirmed_states", "work_units", "observed_streams", // a collector's
		// The read state, which is made of the records.
		"read_position", "read_streams", "read_rows", "read_order", "read_blobs", "read_links", "read_days", "read_changes", "read_past", "read_fts", "read_fts_config", "read_fts_data", "read_fts_docsize", "read_fts_idx",
	}
	for _, table := range copyTables {
		known = append(known, table.name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			t.Errorf("got a table %s that no copy takes along, want it among copyTables or here", name)
		}
	}
}
