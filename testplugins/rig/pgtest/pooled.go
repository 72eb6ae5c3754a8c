package pgtest

import (
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// pooling is a pgbouncer in transaction mode: a client has a session of the server from
// the begin of a transaction to its end, and another one for the next.
const pooling = `[databases]
* = host=%s user=store
[pgbouncer]
listen_addr =
unix_socket_dir = %s
auth_type = any
pool_mode = transaction
default_pool_size = 4
ignore_startup_parameters = default_transaction_read_only
`

// Pooled returns an address of the same database through pgbouncer. Where none is
// installed the test is left out.
func Pooled(t *testing.T, dsn string) string {
	t.Helper()
	bin, err := exec.LookPath("pgbouncer")
	if err != nil {
		bin = "/usr/sbin/pgbouncer"
		if _, err := os.Stat(bin); err != nil {
			t.Skip("NOT TESTED BEHIND PGBOUNCER: none is installed (Debian: apt-get install pgbouncer)")
		}
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/tmp", "pdpp-pgb-") //nolint:usetesting // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	settings := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(settings, fmt.Appendf(nil, pooling, u.Query().Get("host"), dir), 0o644); err != nil { //nolint:gosec // another user reads it
		t.Fatal(err)
	}
	run := exec.Command(bin, settings) //nolint:noctx,gosec // ends with the test
	if run.SysProcAttr, err = plainUser(dir); err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = run.Process.Kill(); _ = run.Wait() })
	u.RawQuery = url.Values{"host": {dir}, "port": {"6432"}}.Encode()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) { //nolint:forbidigo // another process's work
		if err = Run(u.String(), "SELECT 1"); err == nil {
			return u.String()
		}
		if time.Now().After(end) {
			t.Fatal("pgbouncer does not start: ", err)
		}
	}
}
