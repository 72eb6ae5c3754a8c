package storage

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// server makes an exercise over a database of its own, and returns its address.
func server(t *testing.T) (*exercise, string) {
	t.Helper()
	dsn := pgtest.Database(t, migrated)
	return host(t, dsn, Options{}), dsn
}

// host is one more host of the database.
func host(t *testing.T, dsn string, o Options) *exercise {
	t.Helper()
	x := &exercise{T: t, clock: newClock()}
	o.Path, o.Now = dsn, x.clock.Now
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	x.s = s
	return x
}

// hold has a transaction of the host write and stay open until the returned function is called.
func (x *exercise) hold(write func(*db.Tx) error) (release func() error) {
	x.Helper()
	held, end, done := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- x.s.db.Alone(context.Background(), "hold", func(t *db.Tx) error {
			held <- write(t)
			<-end
			return nil
		})
	}()
	x.ok(<-held)
	return func() error { close(end); return <-done }
}

func (x *exercise) ask(query string) (n int64) {
	x.Helper()
	x.ok(x.s.db.Read.NewRaw(query).Scan(x.Context(), &n))
	return n
}

const waiters = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"

// FL-02: a host's transaction is open, and has given numbers; another host's batch waits
// for it, so that a reader of "everything after N" sees the first numbers first.
func TestServerMissesNoLateCommit(t *testing.T) {
	t.Parallel()
	x, dsn := server(t)
	y := host(t, dsn, Options{})
	y.runs = 100
	late, soon := x.begin("late"), y.begin("soon")
	x.put(late, 0, "a=1", "b=2")
	x.ok(late.Flush(x.Context()))
	release := x.hold(func(tx *db.Tx) error {
		_, err := tx.DB.ExecContext(tx.Ctx, "UPDATE counters SET value = value + 1 WHERE name = 'change'; UPDATE records SET seq = 3, data = '9' WHERE seq = 1; UPDATE streams SET last_seq = 3 WHERE last_seq = 2")
		return err
	})
	y.put(soon, 0, "c=3")
	flushed := make(chan error, 1)
	go func() { flushed <- soon.Flush(context.Background()) }()
	for x.ask(waiters) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nobody waits")
		}
	}
	if n := x.ask("SELECT coalesce(max(seq), 0) FROM records"); n != 2 {
		t.Errorf("change %d can be seen while an earlier one cannot, want 2 the last", n)
	}
	x.ok(release())
	x.ok(<-flushed)
	for name, want := range map[string]string{"late": "2:b=2 3:a=9", "soon": "4:c=3"} {
		list, err := y.s.Changes(t.Context(), name, 0, 0)
		y.ok(err)
		var got []string
		for _, r := range list {
			got = append(got, show(r))
		}
		y.same(strings.Join(got, " "), want)
	}
}

// FL-02: while two hosts write, a reader that goes on from the last number it saw gets
// every number, each once.
func TestServerReaderSeesEveryNumber(t *testing.T) {
	t.Parallel()
	const batches, rows = 20, 50
	x, dsn := server(t)
	y := host(t, dsn, Options{})
	y.runs = 100
	done := make(chan error, 2)
	for _, w := range []*RunWriter{x.begin("one"), y.begin("two")} {
		go func() {
			for i := range batches {
				b := w.NewBatch()
				for j := range rows {
					b.Add(0, fmt.Appendf(nil, "k%d", i*rows+j), []byte("{}"), []byte("t"), false)
				}
				if err := errors.Join(w.Write(context.Background(), b), w.Flush(context.Background())); err != nil {
					done <- err
					return
				}
			}
			done <- w.Finish(context.Background(), Outcome{Status: "succeeded"})
		}()
	}
	for last, ended := int64(0), 0; last < 2*batches*rows; {
		var page []int64
		x.ok(x.s.db.Read.NewRaw("SELECT seq FROM records WHERE seq > ? ORDER BY seq LIMIT 500", last).Scan(t.Context(), &page))
		for _, seq := range page {
			if seq != last+1 {
				t.Fatalf("got change %d, want the one behind %d", seq, last)
			}
			last = seq
		}
		select {
		case err := <-done:
			if x.ok(err); ended == 2 {
				t.Fatalf("%d changes, want %d", last, 2*batches*rows)
			}
			ended++
		default:
		}
	}
}

// A wait for another host's transaction is bounded, and the error names who has the lock.
func TestServerLockNamesItsHolder(t *testing.T) {
	t.Parallel()
	x, dsn := server(t)
	y := host(t, dsn, Options{busyTimeout: 30 * time.Millisecond})
	release := x.hold(func(*db.Tx) error { return nil })
	_, err := y.s.EnsureConnection(t.Context(), "c", "demo")
	x.code(err, abi.CodeStoreLocked)
	if want := fmt.Sprintf("pdpp-host %d on ", os.Getpid()); !strings.Contains(err.Error(), want) {
		t.Errorf("got %q, want %q in it", err, want)
	}
	x.ok(release())
	_, err = y.s.EnsureConnection(t.Context(), "c", "demo")
	x.ok(err)
}

// Another host's transaction does not keep Close.
func TestServerCloseDoesNotWait(t *testing.T) {
	t.Parallel()
	x, dsn := server(t)
	y := host(t, dsn, Options{busyTimeout: time.Hour})
	w := y.begin("c")
	release := x.hold(func(*db.Tx) error { return nil })
	y.put(w, 0, "k=1")
	done := make(chan error, 1)
	go func() { done <- w.Flush(context.Background()) }()
	for x.ask(waiters) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nobody waits")
		}
	}
	go func() { _ = y.s.Close() }()
	x.code(<-done, abi.CodeStoreUnavailable)
	x.ok(release())
}

const endOthers = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"

// Connections that the server ended between two transactions are made again; one that ends
// within a transaction fails it whole.
func TestServerConnectionsAreLost(t *testing.T) {
	t.Parallel()
	x, dsn := server(t)
	w := x.begin("c")
	x.put(w, 0, "a=1")
	x.ok(w.Flush(t.Context()))
	x.ok(pgtest.Run(dsn, endOthers))
	x.put(w, 0, "b=2")
	x.ok(w.Flush(t.Context()))
	x.same(x.list("c", "a"), "1:a=1 2:b=2")
	err := x.s.db.Alone(t.Context(), "write", func(tx *db.Tx) error {
		if _, err := tx.DB.ExecContext(tx.Ctx, "UPDATE counters SET value = 77"); err != nil {
			return err
		}
		if err := pgtest.Run(dsn, endOthers); err != nil {
			return err
		}
		_, err := tx.DB.ExecContext(tx.Ctx, "UPDATE counters SET value = 78")
		return err
	})
	x.code(err, abi.CodeStoreUnavailable)
	x.same(x.ask("SELECT value FROM counters"), 2)
	x.put(w, 0, "c=3")
	x.finish(w)
	x.same(x.list("c", "a"), "1:a=1 2:b=2 3:c=3")
	x.sound()
}

// FL-04: no session holds a prepared statement, and a text that the server cannot hold is
// refused without harm to anything beside it.
func TestServerTraps(t *testing.T) {
	t.Parallel()
	x, _ := server(t)
	w := x.begin("c")
	for i := range 100 {
		x.put(w, 0, fmt.Sprintf("k%d=1", i))
		x.ok(w.Event(t.Context(), Event{Type: "run.progress_reported", Data: fmt.Appendf(nil, `{"n":%d,"q":"a'b\\u0000?"}`, i)}))
	}
	x.ok(w.Flush(t.Context()))
	x.same(x.ask("SELECT count(*) FROM pg_prepared_statements"), 0)
	x.ok(x.s.db.Alone(t.Context(), "count", func(tx *db.Tx) error {
		var n int64
		err := tx.DB.QueryRowContext(tx.Ctx, "SELECT count(*) FROM pg_prepared_statements").Scan(&n)
		x.same(n, 0)
		return err
	}))
	for _, name := range []string{"a\x00b", "a\xffb"} {
		_, err := x.s.EnsureConnection(t.Context(), name, "demo")
		x.code(err, abi.CodeStoreText)
	}
	x.finish(w)
	// JSON stays as it is written, byte for byte.
	const odd = `{"b":1.0,"a":1.00,"a":2,"n":12345678901234567890123,"u":"\u0000"}`
	w = x.begin("c")
	x.put(w, 1, "odd="+odd, "odd="+odd)
	x.finish(w)
	r, err := x.s.Record(t.Context(), "c", "b", "odd")
	x.ok(err)
	x.same(string(r.Data), odd)
	x.same(w.Counts()[1], StreamCounts{New: 1, Unchanged: 1})
	x.sound()
}

// FL-05: a store of a newer program, of another history, or of another program is refused;
// many that open an empty database at once make its schema once.
func TestServerSchemas(t *testing.T) {
	t.Parallel()
	open := func(dsn string) error {
		s, err := Open(t.Context(), Options{Path: dsn, Now: time.Now})
		if err == nil {
			err = s.Close()
		}
		return err
	}
	for change, want := range map[string]abi.Code{
		"INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 1)": abi.CodeStoreNewer,
		"UPDATE schema_migrations SET checksum = 'edited'":             abi.CodeStoreMigration,
		"DROP TABLE schema_migrations":                                 abi.CodeStoreUnavailable,
		"ALTER TABLE schema_migrations DROP COLUMN checksum":           abi.CodeStoreUnavailable,
	} {
		dsn := pgtest.Database(t, nil)
		if err := errors.Join(open(dsn), pgtest.Run(dsn, change)); err != nil {
			t.Fatal(err)
		}
		if err := open(dsn); abi.CodeOf(err) != want {
			t.Errorf("%s: got %v, want %s", change, err, want)
		}
	}
	dsn := pgtest.Database(t, nil)
	errs := make(chan error)
	for range 4 {
		go func() { errs <- open(dsn) }()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// FL-05: a program of the version before goes on while a newer one brings the store up to
// date by a step that only expands; it is not started again then.
func TestOlderProgramGoesOnBesideAStep(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil)
	s, err := Open(t.Context(), Options{Path: dsn, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	x := &exercise{T: t, s: s, clock: newClock()}
	w := x.begin("c")
	x.put(w, 0, "k1=1")
	x.ok(w.Flush(t.Context()))
	x.ok(pgtest.Run(dsn, `BEGIN; ALTER TABLE records ADD COLUMN later text; ALTER TABLE runs ADD COLUMN later bigint NOT NULL DEFAULT 0;
CREATE TABLE laters (id bigint PRIMARY KEY); CREATE INDEX records_later ON records (later);
INSERT INTO schema_migrations VALUES (9999, 'later', 'x', 1); COMMIT`))
	x.put(w, 0, "k1=2", "k2=1", "-k1")
	x.finish(w)
	w = x.begin("c")
	x.put(w, 0, "k3=1")
	x.finish(w)
	x.same(x.list("c", "a"), "4:-k1 3:k2=1 5:k3=1")
	x.sound()
	x.ok(s.Close())
	if _, err := Open(t.Context(), Options{Path: dsn, Now: time.Now}); abi.CodeOf(err) != abi.CodeStoreNewer {
		t.Errorf("got %v, want %s", err, abi.CodeStoreNewer)
	}
}

// A database that holds no store yet is read as an empty one, and stays empty.
func TestServerIsReadBeforeItIsMade(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, nil)
	s, err := OpenToRead(t.Context(), Options{Path: dsn, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Connections(t.Context())
	if err := errors.Join(err, s.Close()); err != nil || len(all) != 0 {
		t.Errorf("got %v, %v, want no connection", all, err)
	}
	if err := pgtest.Run(dsn, "DO $$ BEGIN ASSERT to_regclass('connections') IS NULL; END $$"); err != nil {
		t.Error("a table was made:", err)
	}
}

// FL-04: two hosts work behind pgbouncer in transaction mode, which gives each transaction
// another session.
func TestServerBehindPgbouncer(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Pooled(t, pgtest.Database(t, migrated))
	x, y := host(t, dsn, Options{}), host(t, dsn, Options{})
	y.runs = 100
	one, two := x.begin("one"), y.begin("two")
	for i := range 20 {
		x.put(one, 0, fmt.Sprintf("k%d=1", i), "k0=2", "-gone")
		y.put(two, 0, fmt.Sprintf("k%d=1", i), fmt.Sprintf("-k%d", i))
		x.ok(one.Flush(t.Context()))
		y.ok(two.Flush(t.Context()))
	}
	x.finish(one)
	y.finish(two)
	x.same(one.Counts()[0], StreamCounts{New: 20, Changed: 1, Unchanged: 38, Deleted: 1})
	x.same(two.Counts()[0], StreamCounts{New: 20, Deleted: 20})
	x.sound()
	y.sound()
}

// A store is not copied onto itself, by whatever way its address leads to the server: the
// databases are asked, and not their names.
func TestServerIsNotCopiedToItself(t *testing.T) {
	t.Parallel()
	x, dsn := server(t)
	way, err := url.Parse(dsn)
	x.ok(err)
	q := way.Query()
	socket := filepath.Join(shortDir(t), "s")
	x.ok(os.Symlink(q.Get("host"), socket))
	q.Set("host", socket)
	way.RawQuery = q.Encode()
	_, err = Copy(t.Context(), CopyOptions{From: dsn, To: way.String(), Now: time.Now, Alive: nobodyLives})
	if abi.CodeOf(err) != CodeCopyRefused || !strings.Contains(err.Error(), "to itself") {
		t.Errorf("a copy from %s to %s: got %v, want %s: a store cannot be copied to itself", dsn, way, err, CodeCopyRefused)
	}
	// Another schema of the database is another store.
	x.ok(pgtest.Run(dsn, "CREATE SCHEMA another"))
	q.Set("search_path", "another")
	way.RawQuery = q.Encode()
	if _, err = Copy(t.Context(), CopyOptions{From: dsn, To: way.String(), Now: time.Now, Alive: nobodyLives}); err != nil {
		t.Errorf("a copy into another schema: got %v, want no error", err)
	}
}
