package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

const (
	sessionA = "0199a213-81a0-7c3e-9b1f-2f5c6a7b8c9d"
	sessionB = "0199a54c-1f2e-7d40-8a6b-d0e1f2a3b4c5"
)

var schemas = trial.SchemasOf(manifest)

// home is a home folder of Codex on disk. Its files' times move with every write.
type home struct {
	t     *testing.T
	dir   string
	clock time.Time
	slice int64 // of the connector
	most  int   // of threads
	rules int
}

func newHome(t *testing.T) *home {
	return &home{t: t, dir: t.TempDir(), clock: sdktest.Epoch.Add(-24 * time.Hour)}
}

func (h *home) write(name, text string) {
	h.t.Helper()
	p := filepath.Join(h.dir, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
		h.t.Fatal(err)
	}
	h.clock = h.clock.Add(time.Second)
	h.touch(name, h.clock)
}

func (h *home) touch(name string, at time.Time) {
	h.t.Helper()
	if err := os.Chtimes(filepath.Join(h.dir, name), at, at); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) add(name, text string) {
	h.t.Helper()
	old, err := os.ReadFile(filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	h.write(name, string(old)+text)
}

func (h *home) remove(name string) {
	h.t.Helper()
	if err := os.RemoveAll(filepath.Join(h.dir, name)); err != nil {
		h.t.Fatal(err)
	}
}

func (h *home) collect(change ...trial.Change) *sdktest.Result {
	h.t.Helper()
	o := sdktest.Options{Roots: map[string]fs.FS{"codex": os.DirFS(h.dir)}}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(h.t, connector{slice: h.slice, threads: h.most, rules: h.rules}, o)
	schemas.Sound(h.t, res)
	return res
}

func (h *home) again(res *sdktest.Result, change ...trial.Change) *sdktest.Result {
	h.t.Helper()
	next := res.SecondRun(h.t, func(o *sdktest.Options) {
		for _, c := range change {
			c(o)
		}
	})
	schemas.Sound(h.t, next)
	return next
}

// database opens the database of threads. It is closed when the test ends, so that the
// rows stay in the log.
func (h *home) database() *sql.DB { return h.databaseAt(stateDB) }

func (h *home) databaseAt(name string) *sql.DB {
	h.t.Helper()
	if err := os.MkdirAll(filepath.Dir(filepath.Join(h.dir, name)), 0o755); err != nil {
		h.t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.dir, name))
	if err != nil {
		h.t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	h.t.Cleanup(func() { _ = db.Close() })
	for _, stmt := range []string{
		"PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0",
		`CREATE TABLE threads (
    id TEXT PRIMARY KEY,
    rollout_path TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    source TEXT NOT NULL,
    model_provider TEXT NOT NULL,
    cwd TEXT NOT NULL,
    title TEXT NOT NULL,
    sandbox_policy TEXT NOT NULL,
    approval_mode TEXT NOT NULL,
    tokens_used INTEGER NOT NULL DEFAULT 0,
    archived INTEGER NOT NULL DEFAULT 0,
    git_sha TEXT,
    git_branch TEXT,
    git_origin_url TEXT
)`,
	} {
		h.exec(db, stmt)
	}
	return db
}

func (h *home) exec(db *sql.DB, stmt string, args ...any) {
	h.t.Helper()
	if _, err := db.Exec(stmt, args...); err != nil {
		h.t.Fatalf("%s: %v", stmt, err)
	}
}

func (h *home) thread(db *sql.DB, id, title string) {
	h.t.Helper()
	h.exec(db, `INSERT INTO threads (id, rollout_path, created_at, updated_at, source, model_provider, cwd, title, sandbox_policy,
		approval_mode, tokens_used, git_origin_url) VALUES (?, ?, 1767225600, 1767229200, 'cli', 'openai', '/home/sam/app', ?,
		'{"type":"workspace-write"}', 'on-request', 4250, 'https://sam:tok3n@example.com/app.git')`,
		id, "/home/sam/.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-"+id+".jsonl", title)
}

// A rollout as Codex writes it, one line each.

func at(second int) string {
	return time.Date(2026, 1, 1, 10, 0, second, 100e6, time.UTC).Format("2006-01-02T15:04:05.000Z")
}

func metaLine(id string) string {
	return fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":%q,"timestamp":%q,"cwd":"/home/sam/code/app","originator":"codex_cli_rs","cli_version":"0.61.0","instructions":null,"source":"cli","model_provider":"openai","git":{"commit_hash":"a1b2c3d4","branch":"main","repository_url":"https://x-access-token:ghs_abc@github.com/sam/app.git"}}}`,
		at(0), id, at(0)) + "\n"
}

func itemLine(second int, payload string) string {
	return fmt.Sprintf(`{"timestamp":%q,"type":"response_item","payload":%s}`, at(second), payload) + "\n"
}

func message(second int, role, text string) string {
	part := "output_text"
	if role == "user" {
		part = "input_text"
	}
	return itemLine(second, fmt.Sprintf(`{"type":"message","role":%q,"content":[{"type":%q,"text":%q}]}`, role, part, text))
}

func callLine(second int, id string) string {
	return itemLine(second, fmt.Sprintf(`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"ls\"]}","call_id":%q}`, id))
}

func outputLine(second int, id, text string) string {
	return itemLine(second, fmt.Sprintf(`{"type":"function_call_output","call_id":%q,"output":%q}`, id, text))
}

func rolloutName(id string) string {
	return "sessions/2026/01/01/rollout-2026-01-01T10-00-00-" + id + ".jsonl"
}

func field(res *sdktest.Result, stream, key, name string) string {
	rec, ok := res.Record(stream, key)
	if !ok {
		return "(no record)"
	}
	return fmt.Sprint(rec.Fields[name])
}

func keys(res *sdktest.Result, stream string) string {
	list := strings.Join(res.Keys(stream), " ")
	return strings.ReplaceAll(strings.ReplaceAll(list, sessionA, "A"), sessionB, "B")
}

// activity is every record of the streams that follow rollouts.
func activity(res *sdktest.Result) int {
	return len(res.Records(streamSessions)) + len(res.Records(streamMessages)) + len(res.Records(streamCalls))
}

func sha256Hex(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
