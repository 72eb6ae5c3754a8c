//go:build linux

package crash

import (
	"errors"
	"flag"
	"math/rand/v2"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

var dsn = flag.String("dsn", "", "an empty PostgreSQL database on this machine, which is emptied for each kill; none: the test starts a server")

// TestCrashPostgres is TestCrash with the store on PostgreSQL, whose sessions are ended and
// whose backends are killed besides. FL-01: what is durable survives on both.
func TestCrashPostgres(t *testing.T) { crash(t, startServer(t)) }

// startServer returns a server with an empty database.
func startServer(t *testing.T) server {
	t.Helper()
	address := *dsn
	if address == "" {
		address = pgtest.Durable(t, nil)
	}
	s := server{t, address}
	if s.query("", "SELECT 1 FROM pg_tables WHERE schemaname = 'public' LIMIT 1") != "" {
		t.Fatal("-dsn: the database has tables, want an empty one: all in it is lost")
	}
	return s
}

// server is a store on PostgreSQL.
type server struct {
	t   *testing.T
	dsn string
}

func (s server) env() []string   { return []string{"PDPP_STORAGE_DSN=" + s.dsn} }
func (server) victims() []string { return []string{"host", "worker", "session", "backend"} }

// others are the sessions of the hosts.
const others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"

func (s server) fresh(string) {
	s.query("", "SELECT pg_terminate_backend(pid) "+others+"; DROP SCHEMA public CASCADE; CREATE SCHEMA public")
}

// integrity compares a stream's counts with its records, and the records with the change
// sequence: a torn commit would leave one without the other.
func (server) integrity() string {
	return `SELECT CASE WHEN (SELECT count(*) FROM streams s WHERE s.live + s.deleted <> (SELECT count(*) FROM records r WHERE r.stream_id = s.id)) = 0
AND (SELECT coalesce(max(seq), 0) FROM records) <= (SELECT value FROM counters WHERE name = 'change') THEN 'ok' ELSE 'torn' END`
}

// strike ends every session of the host, or kills one of its backends, upon which the
// server ends all sessions and starts again from its log.
func (s server) strike(victim string) bool {
	if victim == "session" {
		return s.query("", "SELECT pg_terminate_backend(pid) "+others) != ""
	}
	pids := strings.Split(strings.TrimSuffix(s.query("", "SELECT pid "+others), "\x1e"), "\x1e")
	pid, err := strconv.Atoi(pids[rand.IntN(len(pids))])
	return err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// query waits for a server that starts again.
func (s server) query(_, query string) string {
	s.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		out, err := s.ask(query)
		if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "42P01" {
			return "" // killed before the first migration was durable
		}
		if err == nil {
			return out
		}
		if time.Now().After(end) {
			s.t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond) //nolint:forbidigo // another process's work
	}
}

func (s server) ask(query string) (string, error) {
	conn, err := pgconn.Connect(s.t.Context(), s.dsn)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(s.t.Context()) }()
	results, err := conn.Exec(s.t.Context(), query).ReadAll()
	var out strings.Builder
	for _, r := range results {
		for _, row := range r.Rows {
			for i, v := range row {
				if i > 0 {
					out.WriteByte(0x1f)
				}
				out.Write(v)
			}
			out.WriteByte(0x1e)
		}
	}
	return out.String(), err
}
