package pgtest

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// again marks a test process that Again started.
const again = "PDPP_TESTS_ON_POSTGRES"

// Running reports whether this is a process that Again started.
func Running() bool { return os.Getenv(again) != "" }

// Again runs the tests of the calling package once more, in a process in which Place makes
// databases of files; but for the ones named, by patterns of whole names. -short leaves it out.
func Again(t *testing.T, without ...string) {
	t.Helper()
	if Running() {
		t.Skip("runs the others")
	}
	if testing.Short() {
		t.Skip("runs every test a second time")
	}
	_ = Database(t, nil) // says so where there is none
	args := []string{"-test.skip=^(" + strings.Join(without, "|") + ")$", "-test.timeout=30m"}
	run := exec.CommandContext(t.Context(), os.Args[0], args...) //nolint:gosec // the test itself
	run.Env = append(os.Environ(), again+"=1")
	if out, err := run.CombinedOutput(); err != nil {
		t.Errorf("on PostgreSQL: %v\n%s", err, out)
	}
}

var places struct {
	sync.Mutex
	byPath, byName map[string]string
}

// Place returns the address of the store that a test calls path: path itself, or, in a
// process of Again, a database of that test. The address that a store shows, which leaves
// things out, names the same one.
func Place(t testing.TB, path string, migrate func(dsn string) error) string {
	t.Helper()
	if !Running() || path == "" {
		return path
	}
	places.Lock()
	defer places.Unlock()
	if places.byPath == nil {
		places.byPath, places.byName = map[string]string{}, map[string]string{}
	}
	if strings.Contains(path, "://") {
		if dsn, ok := places.byName[database(path)]; ok {
			return dsn
		}
		return path
	}
	if places.byPath[path] == "" {
		dsn := Database(t, migrate)
		places.byPath[path], places.byName[database(dsn)] = dsn, dsn
	}
	return places.byPath[path]
}

// Anew is Place for a test that needs many stores, one after another: one database of each
// name, which is emptied each time.
func Anew(t testing.TB, path string, migrate func(dsn string) error, name ...string) string {
	t.Helper()
	if !Running() {
		return path
	}
	at := Place(t, strings.Join(append([]string{t.Name()}, name...), " "), migrate)
	if err := Run(at, empty); err != nil {
		t.Fatal(err)
	}
	return at
}

// OnFile leaves a test out where Place makes databases: what it is about is a file.
func OnFile(t testing.TB) {
	t.Helper()
	if Running() {
		t.Skip("about a file")
	}
}

func database(dsn string) string {
	address, _, _ := strings.Cut(dsn, "?")
	return address[strings.LastIndexByte(address, '/'):]
}
