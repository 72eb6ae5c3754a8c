package db

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
	"github.com/pdpp-host/pdpp-host/storage/internal/schema"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

var update = flag.Bool("update", false, "write the lists of what the steps make")

// The lists of what the steps make are those of the steps: a new step is written into them by
// go test ./storage/internal/db -run IsListed -args -update.
func TestSchemaIsListed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	d := unopened(filepath.Join(t.TempDir(), "pdpp.sqlite"), Options{})
	pool, err := d.pool(1, d.dsn(""))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	steps, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(ctx, migrationsTable); err != nil {
		t.Fatal(err)
	}
	made := schema.Objects{}
	for _, m := range steps {
		if _, err := pool.ExecContext(ctx, m.sql); err != nil {
			t.Fatalf("step %d: %v", m.version, err)
		}
		has, err := schema.InFile(ctx, pool)
		if err != nil {
			t.Fatal(err)
		}
		now(made, has)
	}
	listed(t, made, "file.txt")
}

// The same of a server.
func TestServerSchemaIsListed(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address, err := postgres.Parse(pgtest.Database(t, func(string) error { return nil }))
	if err != nil {
		t.Fatal(err)
	}
	d := unopened(address.String(), Options{})
	d.pg = &server{db: d, address: address}
	pool := d.pg.pool(1, false)
	defer func() { _ = pool.Close() }()
	steps, err := stepsOf(postgresSteps)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pool.ExecContext(ctx, migrationsTable); err != nil {
		t.Fatal(err)
	}
	made := schema.Objects{}
	for _, m := range steps {
		if _, err := pool.ExecContext(ctx, m.sql); err != nil {
			t.Fatalf("step %d: %v", m.version, err)
		}
		var tables []string
		if err := pool.NewRaw("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace").Scan(ctx, &tables); err != nil {
			t.Fatal(err)
		}
		has, err := schema.OnServer(ctx, pool, tables)
		if err != nil {
			t.Fatal(err)
		}
		now(made, has)
	}
	listed(t, made, "server.txt")
}

// now has the objects be those of the newest schema.
func now(made schema.Objects, has []string) {
	for what := range made {
		made[what] = false
	}
	for _, what := range has {
		made[what] = true
	}
}

// listed compares what the steps made with its list, or writes the list.
func listed(t *testing.T, made schema.Objects, file string) {
	t.Helper()
	var lines []string
	for what, now := range made {
		lines = append(lines, map[bool]string{true: "now ", false: "once "}[now]+what+"\n")
	}
	slices.Sort(lines)
	text := strings.Join(lines, "")
	file = filepath.Join("..", "schema", file)
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	list, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(list) {
		t.Errorf("%s: got %d objects that differ from the %d of the list", file, len(lines), bytes.Count(list, []byte{'\n'}))
	}
}
