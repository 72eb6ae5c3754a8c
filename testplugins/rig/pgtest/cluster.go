package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Required is the environment variable that makes a missing PostgreSQL fail the tests:
// "required". Else they are left out, and say so.
const Required = "PDPP_TEST_POSTGRES"

// cluster is the process's own server.
type cluster struct {
	dir    string
	err    error
	inform *os.File // the watchdog ends the server when this end of the pipe closes

	mu    sync.Mutex
	made  int
	empty []string // databases with the schema, and nothing in them
}

// Two servers at most: one that syncs the disk, and one that does not.
var quick, durable = sync.OnceValue(func() *cluster { return start("off") }), sync.OnceValue(func() *cluster { return start("on") })

// Database returns the address of a database of the test's own. migrate makes its schema;
// one that another test left is emptied and used again. nil: it has no schema, and goes.
func Database(t testing.TB, migrate func(dsn string) error) string {
	return quick().database(t, migrate)
}

// Durable is Database on a server that syncs the disk before it confirms a commit.
func Durable(t testing.TB, migrate func(dsn string) error) string {
	return durable().database(t, migrate)
}

func (c *cluster) database(t testing.TB, migrate func(dsn string) error) string {
	t.Helper()
	if c.err != nil {
		if os.Getenv(Required) == "required" {
			t.Fatalf("%s=required, and there is no PostgreSQL for the tests: %v", Required, c.err)
		}
		t.Skipf("NOT TESTED ON POSTGRESQL: %v; install PostgreSQL 13 or newer (Debian: apt-get install postgresql)", c.err)
	}
	name, err := c.take(migrate)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if migrate != nil && Run(c.dsn(name), empty) == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.empty = append(c.empty, name)
		} else if err := c.run("DROP DATABASE " + name + " WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return c.dsn(name)
}

// take returns a database that nobody else uses: with the schema, one that is left, which
// is quicker than a new one.
func (c *cluster) take(migrate func(dsn string) error) (string, error) {
	c.mu.Lock()
	if n := len(c.empty); migrate != nil && n > 0 {
		defer c.mu.Unlock()
		name := c.empty[n-1]
		c.empty = c.empty[:n-1]
		return name, nil
	}
	c.made++
	name := fmt.Sprintf("test_%d", c.made)
	c.mu.Unlock()
	err := c.run("CREATE DATABASE " + name)
	if err == nil && migrate != nil {
		err = migrate(c.dsn(name))
	}
	return name, err
}

// empty ends the sessions of a database, and takes all rows out of it but the counters'.
const empty = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid();
SET session_replication_role = replica;
DO $$ DECLARE r record; BEGIN
  FOR r IN SELECT quote_ident(relname) AS name, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'S')
    AND relname <> 'schema_migrations' LOOP
    IF r.relkind = 'S' THEN EXECUTE 'ALTER SEQUENCE ' || r.name || ' RESTART'; ELSE EXECUTE 'DELETE FROM ' || r.name; END IF;
  END LOOP;
END $$;
INSERT INTO counters (name, value) VALUES ('change', 0)`

func (c *cluster) dsn(database string) string {
	return (&url.URL{Scheme: "postgres", User: url.User("store"), Path: "/" + database, RawQuery: url.Values{"host": {c.dir}}.Encode()}).String()
}

func (c *cluster) run(statement string) error { return Run(c.dsn("postgres"), statement) }

// Run executes statements on a database, on a connection of their own.
func Run(dsn string, statements ...string) error {
	ctx := context.Background()
	conn, err := pgconn.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	for _, q := range statements {
		if err == nil {
			_, err = conn.Exec(ctx, q).ReadAll()
		}
	}
	return errors.Join(err, conn.Close(ctx))
}

func start(fsync string) *cluster {
	c := &cluster{}
	c.err = c.start(fsync)
	return c
}

// watchdog starts the server and waits for the end of its input, which is the end of the
// test process, whatever ended that.
const watchdog = `"$1/postgres" -D "$2" -k "$2" -c listen_addresses= -c fsync="$3" -c full_page_writes="$3" -c autovacuum="$3" \
  -c max_connections=300 -c shared_buffers=128MB -c max_wal_size=2GB </dev/null >"$2/log" 2>&1 &
read -r _
kill -QUIT $!
wait
rm -rf "$2"`

func (c *cluster) start(fsync string) error {
	bin, err := binaries()
	if err != nil {
		return err
	}
	// A socket's path has at most 107 bytes, and the plain user has to reach it.
	if c.dir, err = os.MkdirTemp("/tmp", "pdpp-pg-"); err != nil {
		return err
	}
	plain, err := plainUser(c.dir)
	if err != nil {
		return err
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", c.dir, "-U", "store", "--encoding=UTF8", "--locale=C", "--auth=trust", "--no-sync") //nolint:noctx,gosec // of this tree's tests
	initdb.SysProcAttr, initdb.Dir = plain, c.dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("initdb: %w: %s", err, bytes.TrimSpace(out)), os.RemoveAll(c.dir))
	}
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	run := exec.Command("/bin/sh", "-c", watchdog, "watchdog", bin, c.dir, fsync) //nolint:noctx,gosec // lives as long as the process
	run.SysProcAttr, run.Dir, run.Stdin = plain, c.dir, in
	if err := run.Start(); err != nil {
		return err
	}
	c.inform = out
	deadline := time.Now().Add(2 * time.Minute)
	for {
		err := c.run("SELECT 1")
		if err == nil {
			return in.Close()
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			return fmt.Errorf("the server does not start: %w: %s", err, log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// binaries returns the folder of the newest server that is installed.
func binaries() (string, error) {
	var folders []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			folders = append(folders, filepath.Dir(path))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil { //nolint:noctx // a moment
		folders = append(folders, strings.TrimSpace(string(out)))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(debian)
	for _, folder := range append(folders, debian...) {
		if _, err := os.Stat(filepath.Join(folder, "initdb")); err == nil {
			return folder, nil
		}
	}
	return "", errors.New("no PostgreSQL is installed: no initdb beside postgres on the PATH, in pg_config --bindir or in /usr/lib/postgresql/*/bin")
}
