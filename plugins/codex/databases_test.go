package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// AC-07: the list of threads is read wherever it is: in the folder of newer versions, of another form, or
// under another name.
func TestThreadsElsewhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"sqlite/state_5.sqlite", "sqlite/state_6.sqlite", "state_12.sqlite", "state_5 (1).sqlite", "sqlite/threads.db"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
			db := h.databaseAt(name)
			h.thread(db, sessionA, "Add a login form")
			first := h.collect()
			if got := field(first, streamSessions, sessionA, "title"); got != "Add a login form" || trial.Reasons(first) != "" || first.File(rootHome, name) != abi.FileRead {
				t.Errorf("got the title %q, %q, and the file is %q, want its title, no word, and %q", got, trial.Reasons(first), first.File(rootHome, name), abi.FileRead)
			}
			if got := field(first, streamCoverage, "coverage:state_db", "status"); got != "collected" {
				t.Errorf("the threads are %q, want collected", got)
			}
			h.exec(db, "UPDATE threads SET title = 'Login form, done'")
			if got := field(h.again(first), streamSessions, sessionA, "title"); got != "Login form, done" {
				t.Errorf("got the title %q, want the new one", got)
			}
		})
	}
}

// AC-06: of two lists of threads the row counts that was changed last, and one that cannot be read hides the
// sessions of the other one no more than it must.
func TestTwoListsOfThreads(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	h.write(rolloutName(sessionB), metaLine(sessionB)+message(1, "user", "one"))
	old, now := h.database(), h.databaseAt("sqlite/"+stateDB)
	for _, id := range []string{sessionA, sessionB} {
		h.thread(old, id, "old")
		h.thread(now, id, "new")
	}
	h.exec(old, "UPDATE threads SET updated_at = updated_at + 1 WHERE id = ?", sessionB)
	first := h.collect()
	if a, b := field(first, streamSessions, sessionA, "title"), field(first, streamSessions, sessionB, "title"); a != "new" || b != "old" {
		t.Errorf("got the titles %q and %q, want that of the row that was changed last: new, old", a, b)
	}
	_, _ = old.Close(), now.Close()
	good, err := os.ReadFile(filepath.Join(h.dir, "sqlite", stateDB))
	if err != nil {
		t.Fatal(err)
	}
	h.remove("sqlite/" + stateDB + "-wal")
	h.write("sqlite/"+stateDB, string(good[:100]))
	res := h.collect()
	if got := field(res, streamSessions, sessionA, "title"); got != "old" || trial.Reasons(res) != badThreads.Reason || res.File(rootHome, "sqlite/"+stateDB) != abi.FileDamaged {
		t.Errorf("got the title %q, %q, and the file is %q, want old, %q and %q", got, trial.Reasons(res), res.File(rootHome, "sqlite/"+stateDB), badThreads.Reason, abi.FileDamaged)
	}
	h.write(rolloutName("0199a54c-1f2e-7d40-8a6b-d0e1f2a3b4c6"), metaLine("0199a54c-1f2e-7d40-8a6b-d0e1f2a3b4c6")+message(1, "user", "one"))
	if res = h.collect(); len(res.Records(streamSessions)) != 2 {
		t.Errorf("got %d sessions, want 2: the row of the third may be in the list that cannot be read", len(res.Records(streamSessions)))
	}
}

// AC-02: a database without a list of threads is none of the connector's, and neither are the logs.
func TestOtherDatabases(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	h.exec(h.databaseAt("sqlite/codex-dev.db"), "DROP TABLE threads")
	h.thread(h.databaseAt("logs_1.sqlite"), sessionA, "of the logs")
	h.write("sqlite/notes.sqlite", "no database")
	res := h.collect()
	if got := field(res, streamSessions, sessionA, "title"); got != "<nil>" || trial.Reasons(res) != "" {
		t.Errorf("got the title %q and %q, want no title and no word", got, trial.Reasons(res))
	}
	if got := field(res, streamCoverage, "coverage:state_db", "status"); got != "missing" {
		t.Errorf("the threads are %q, want missing", got)
	}
}
