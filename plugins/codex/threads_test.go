package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// The table of threads is joined to sessions, while Codex has it open and everything is
// still in the write-ahead log.
func TestThreadsAreJoined(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	db := h.database()
	h.thread(db, sessionA, "Add a login form")
	h.thread(db, sessionB, "Only in the table")
	first := h.collect()
	for _, c := range []struct{ id, field, want string }{
		{sessionA, "title", "Add a login form"}, {sessionA, "archived", "false"}, {sessionA, "tokens_used", "4250"},
		{sessionA, "sandbox_policy", `{"type":"workspace-write"}`}, {sessionA, "approval_mode", "on-request"}, {sessionA, "cwd", "/home/sam/code/app"},
		{sessionA, "message_count", "1"}, {sessionA, "first_user_message", "<nil>"}, {sessionA, "repository_url", "https://github.com/sam/app.git"},
		{sessionB, "title", "Only in the table"}, {sessionB, "message_count", "<nil>"}, {sessionB, "started_at", "2026-01-01T00:00:00.000Z"},
		{sessionB, "last_event_at", "2026-01-01T01:00:00.000Z"}, {sessionB, "cwd", "/home/sam/app"}, {sessionB, "repository_url", "https://example.com/app.git"},
		{sessionB, "rollout_relative_path", "sessions/2026/01/01/rollout-2026-01-01T00-00-00-" + sessionB + ".jsonl"},
	} {
		if got := field(first, streamSessions, c.id, c.field); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.id, c.field, got, c.want)
		}
	}
	if second := h.again(first); len(second.All) != 0 {
		t.Fatalf("%v, want len(second.All) = 0", second.All)
	}
	// A row that changed emits its session, joined with the rollout.
	h.exec(db, "UPDATE threads SET title = 'Login form, done', archived = 1, updated_at = updated_at + 60 WHERE id = ?", sessionA)
	h.exec(db, "UPDATE threads SET updated_at = updated_at + 60 WHERE id = ?", sessionB)
	second := h.again(first)
	if keys(second, streamSessions) != "A" || activity(second) != 1 || field(second, streamSessions, sessionA, "title") != "Login form, done" ||
		field(second, streamSessions, sessionA, "archived") != "true" || field(second, streamSessions, sessionA, "originator") != "codex_cli_rs" ||
		field(second, streamSessions, sessionA, "message_count") != "1" {
		t.Fatalf("%+v, want the session with its new title, archived", second.All)
	}
	// Later versions of Codex add columns.
	h.exec(db, "ALTER TABLE threads ADD COLUMN first_user_message TEXT NOT NULL DEFAULT ''")
	h.exec(db, "UPDATE threads SET first_user_message = 'Please add a form' WHERE id = ?", sessionB)
	third := h.again(second)
	if keys(third, streamSessions) != "B" || field(third, streamSessions, sessionB, "first_user_message") != "Please add a form" {
		t.Fatalf("%v, want keys(third, streamSessions) = B and field(third, streamSessions, sessionB, \"first_user_message\") = Please add a form", third.All)
	}
	h.exec(db, "PRAGMA wal_checkpoint(TRUNCATE)")
	if fourth := h.again(third); len(fourth.All) != 0 {
		t.Fatalf("%v, want len(fourth.All) = 0", fourth.All)
	}
}

// While the table cannot be read, no session is emitted without its row; afterwards all
// that waited are emitted.
func TestUnreadableThreadsHoldSessionsBack(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	db := h.database()
	h.thread(db, sessionA, "A title")
	first := h.collect()
	_ = db.Close()
	good, err := os.ReadFile(filepath.Join(h.dir, stateDB))
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]string{"no database": "nothing of the kind", "damaged": string(good[:100]) + strings.Repeat("\xff", len(good)-100)} {
		h.write(stateDB, bad)
		h.add(rolloutName(sessionA), message(9, "user", "two"))
		second := h.again(first)
		if len(second.Records(streamSessions)) != 0 || keys(second, streamMessages) != "A:3" || trial.Reasons(second) != badThreads.Reason {
			t.Fatalf("%s: %s %v, want len(second.Records(streamSessions)) = 0, keys(second, streamMessages) = A:3 and trial.Reasons(second) = %s", name, trial.Reasons(second), second.All, badThreads.Reason)
		}
		h.write(stateDB, string(good))
		third := h.again(second)
		if field(third, streamSessions, sessionA, "title") != "A title" || field(third, streamSessions, sessionA, "message_count") != "2" || len(third.Records(streamMessages)) != 0 {
			t.Fatalf("%s: %v, want field(third, streamSessions, sessionA, \"title\") = A title, field(third, streamSessions, sessionA, \"message_count\") = 2 and len(third.Records(streamMessages)) = 0", name, third.All)
		}
		first = third
		h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
		first = h.again(first)
	}
	// In the middle of a transaction the file alone is not consistent.
	h.write(stateDB+"-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and more")
	h.add(rolloutName(sessionA), message(9, "user", "two"))
	if second := h.again(first); len(second.Records(streamSessions)) != 0 || trial.Reasons(second) != noThreads.Reason {
		t.Fatalf("%v, want len(second.Records(streamSessions)) = 0 and trial.Reasons(second) = %v", second.All, noThreads.Reason)
	}
}

func TestManyThreads(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := h.database()
	h.exec(db, "BEGIN")
	for i := range 700 {
		h.thread(db, fmt.Sprintf("0199a213-0000-7000-8000-%012d", i), strings.Repeat("long title ", i%200))
	}
	h.exec(db, "COMMIT")
	first := h.collect()
	if n := len(first.Records(streamSessions)); n != 700 {
		t.Fatalf("%v, want 700", n)
	}
	if second := h.again(first); len(second.All) != 0 {
		t.Fatalf("%v, want 0", len(second.All))
	}
}

// A document behind a link is not gone: neither when its folder was moved and a link left in its
// place, nor while the link's target is away. A file that was deleted beside it is gone.
func TestDocumentsBehindLinksStay(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(h.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	h.write("kept/one.md", "text")
	for _, name := range []string{"skills/in/moved/SKILL.md", "skills/old/SKILL.md", "prompts/old.md", "rules/moved/a.md", "rules/old.md", "skills/SKILL.md"} {
		h.write(name, "text")
	}
	for _, name := range []string{"skills/away/SKILL.md", "prompts/away.md", "rules/away.md", "AGENTS.md"} {
		h.write(name, "text")
		h.remove(name)
		link(filepath.Join(h.dir, "kept/one.md"), name)
	}
	first := h.collect()
	for _, name := range []string{"skills/away/SKILL.md", "prompts/away.md", "AGENTS.md"} { // AC-02
		if got := first.File(rootHome, name); got == abi.FileKnown {
			t.Errorf("%s, which is behind a link: got %q, want that it was read", name, got)
		}
	}
	for _, name := range []string{"skills/in/moved", "rules/moved"} {
		to := filepath.Join(h.dir, "kept", strings.ReplaceAll(name, "/", "-"))
		if err := os.Rename(filepath.Join(h.dir, name), to); err != nil {
			t.Fatal(err)
		}
		link(to, name)
	}
	for _, name := range []string{"skills/old", "skills/SKILL.md", "prompts/old.md", "rules/old.md", "kept/one.md"} {
		h.remove(name)
	}
	link("nowhere", "skills/SKILL.md")
	next := h.again(first)
	var gone []string
	for _, stream := range []string{streamSkills, streamPrompts, streamRules} {
		gone = append(gone, next.Gone(stream)...)
	}
	if got, want := strings.Join(gone, " "), "skills:old prompts:old.md rules:old.md:0"; got != want {
		t.Errorf("%q deleted, want %q", got, want)
	}
	if got := next.File(rootHome, "skills/SKILL.md"); got != abi.FileKnown { // AC-02
		t.Errorf("a link that leads nowhere: got %q, want %q", got, abi.FileKnown)
	}
	for _, s := range next.Skips {
		if s.Reason != "link_not_followed" {
			t.Errorf("got %+v, want nothing but link_not_followed: no later run reads what is behind them", s)
		}
	}
	if len(next.Skips) == 0 {
		t.Error("got no word, want link_not_followed")
	}
}

func TestDocumentsRulesAndInventories(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("AGENTS.md", "# Working here\n\n- Keep it simple.\n- Write tests\n  for every fix.\n\nAsk before deleting.\n\n```sh\n- not a rule\n\nmake\n```\n1. First\n2) Second\n")
	h.write("rules/default.rules", "# allowed\nprefix_rule(\n    pattern = [\"git\", \"status\"],  # look\n    decision = \"allow\",\n)\n\nprefix_rule(pattern=[\"ls\", \"a#b(\"], decision=\"allow\")\n")
	h.write("prompts/review.md", "---\ndescription: \"Review a change\"\nargument-hint: [x]\n---\n\nReview $1 carefully.\n")
	h.write("prompts/plain.md", "No header.\r\nTwo lines.\n")
	h.write("prompts/notes.txt", "no prompt")
	h.write("skills/testing/SKILL.md", "---\nname: Test writer\ndescription: Writes tests\n---\nSteps.\n")
	h.write("skills/.system/deep/SKILL.md", "Body")
	h.write("skills/testing/data.bin", "x")
	h.write("config.toml", "model = \"m\"\n")
	h.write("history.jsonl", "{}\n")
	h.write("shell-snapshots/one.sh", "export A=1\n")
	h.write("cache/x", "y")
	h.write("memories/m.md", "m")
	h.write("auth.json", "{}")
	h.write("surprise.db", "z")
	first := h.collect()
	if got := strings.Join(first.Keys(streamRules), " "); got != "rules:default:0 rules:default:4 rules:AGENTS.md:0 rules:AGENTS.md:1 rules:AGENTS.md:2 rules:AGENTS.md:3 rules:AGENTS.md:4 rules:AGENTS.md:5" {
		t.Fatalf("%v, want rules:default:0 rules:default:4 rules:AGENTS.md:0 rules:AGENTS.md:1 rules:AGENTS.md:2 rules:AGENTS.md:3 rules:AGENTS.md:4 rules:AGENTS.md:5", got)
	}
	for _, c := range []struct{ stream, key, field, want string }{
		{streamRules, "rules:default:0", "rule_text", "prefix_rule(\n    pattern = [\"git\", \"status\"],  # look\n    decision = \"allow\",\n)"},
		{streamRules, "rules:default:4", "rule_text", `prefix_rule(pattern=["ls", "a#b("], decision="allow")`},
		{streamRules, "rules:AGENTS.md:1", "rule_text", "Write tests\nfor every fix."}, {streamRules, "rules:AGENTS.md:5", "rule_text", "Second"},
		{streamPrompts, "prompts:review.md", "description", "Review a change"}, {streamPrompts, "prompts:review.md", "content", "Review $1 carefully.\n"},
		{streamPrompts, "prompts:review.md", "name", "review"}, {streamPrompts, "prompts:plain.md", "content", "No header.\nTwo lines.\n"},
		{streamSkills, "skills:testing", "name", "Test writer"}, {streamSkills, "skills:.system/deep", "name", "deep"},
		{streamConfig, "config:" + sha256Hex("codex:config.toml"), "size_bytes", "12"}, {streamCache, "cache:" + sha256Hex("codex:cache"), "size_bytes", "<nil>"},
		{streamSnapshots, "shell_snapshots:" + sha256Hex("codex:shell-snapshots/one.sh"), "relative_path", "shell-snapshots/one.sh"},
		{streamHistory, "history:" + sha256Hex("codex:history.jsonl"), "type", "file"},
		{streamCoverage, "coverage:memories", "status", "inventory_only"}, {streamCoverage, "coverage:context_mode", "status", "missing"},
		{streamCoverage, "coverage:auth", "status", "excluded"}, {streamCoverage, "coverage:history", "status", "inventory_only"},
		{streamCoverage, "coverage:other", "status", "unaccounted"}, {streamCoverage, "coverage:session_index", "status", "missing"},
	} {
		if got := field(first, c.stream, c.key, c.field); got != c.want {
			t.Errorf("%s %s %s: %q, want %q", c.stream, c.key, c.field, got, c.want)
		}
	}
	if !strings.Contains(field(first, streamCoverage, "coverage:other", "reason"), "surprise.db") {
		t.Error("an unknown store is not named")
	}
	for _, name := range []string{"prompts/review.md", "config.toml", "AGENTS.md", "skills/testing/SKILL.md"} {
		h.touch(name, h.clock.Add(time.Hour))
	}
	h.add("history.jsonl", "{}\n{}\n")
	if second := h.again(first); len(second.All) != 0 {
		t.Fatalf("touched files emitted %v, want len(second.All) = 0", second.All)
	}
	// RT-07.1: the record of a vanished file becomes a tombstone.
	h.remove("prompts/plain.md")
	h.remove("skills")
	h.remove("shell-snapshots/one.sh")
	h.write("AGENTS.md", "- Keep it simple!\n")
	second := h.again(first)
	if len(second.Gone(streamPrompts)) != 1 || len(second.Gone(streamSkills)) != 2 || len(second.Gone(streamSnapshots)) != 1 ||
		len(second.Gone(streamRules)) != 5 || strings.Join(second.Keys(streamRules), "") != "rules:AGENTS.md:0" {
		t.Fatalf("%+v, want the end of 1 prompt, 2 skills, 1 snapshot and 5 rules", second.All)
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Fatalf("%v, want len(third.All) = 0", third.All)
	}
}

// Invariant 5: the credentials are not even opened, and no record shows a token.
func TestCredentialsAreNotTouched(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write("auth.json", `{"OPENAI_API_KEY":"sk-secret"}`)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	db := h.database()
	h.thread(db, sessionA, "t")
	if err := os.Chmod(filepath.Join(h.dir, "auth.json"), 0); err != nil {
		t.Fatal(err)
	}
	watch := &opens{FS: os.DirFS(h.dir)}
	res := h.collect(func(o *sdktest.Options) { o.Roots["codex"] = watch })
	for _, name := range watch.names {
		if strings.Contains(name, "auth") {
			t.Errorf("%s was opened, want no auth in it", name)
		}
	}
	for _, c := range res.Calls {
		for _, secret := range []string{"sk-secret", "ghs_abc", "tok3n"} {
			if strings.Contains(c.Payload, secret) {
				t.Errorf("%s carries %s", c.Name, secret)
			}
		}
	}
}

func TestEmptyAndMissingHome(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	res := h.collect()
	if activity(res) != 0 || trial.Reasons(res) != nothing.Reason || lacking(res) != "" || field(res, streamCoverage, "coverage:sessions", "status") != "missing" {
		t.Fatalf("%+v, reports %+v, want nothing_found alone", res.All, res.Skips)
	}
	h.write("prompts/a.md", "say it\n")
	if found := h.again(res); trial.Reasons(found) != "" {
		t.Fatalf("%v, want trial.Reasons(found) = \"\"", found.Skips)
	}
	none := sdktest.Collect(t, connector{}, sdktest.Options{})
	if none.Done.Status != abi.DoneFailed || none.Done.Error.Code != "codex_home_missing" {
		t.Fatalf("%+v, want none.Done.Status = %v and none.Done.Error.Code = codex_home_missing", none.Done, abi.DoneFailed)
	}
}

// AC-02, AC-05 and AC-06: of a damaged database the rows are joined that can be read, a session whose row may be
// lost keeps its record, and the file is damaged. Tables that nobody knows are told by name.
func TestDamagedThreads(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := h.database()
	h.exec(db, "CREATE TABLE jobs (id TEXT PRIMARY KEY)")
	h.exec(db, "CREATE TABLE dreams (id TEXT PRIMARY KEY)")
	const n = 60
	id := func(i int) string { return fmt.Sprintf("0199a213-0000-7000-8000-%012d", i) }
	h.exec(db, "BEGIN")
	for i := range n {
		h.thread(db, id(i), fmt.Sprint("title ", i, strings.Repeat(" and more", 30)))
	}
	h.exec(db, "COMMIT")
	h.exec(db, "PRAGMA wal_checkpoint(TRUNCATE)")
	h.write(rolloutName(id(30)), metaLine(id(30))+message(1, "user", "one"))
	first := h.collect()
	if got := first.File(rootHome, stateDB); got != abi.FileRead {
		t.Errorf("the whole database is %q, want %q", got, abi.FileRead)
	}
	if got := first.Items(streamSessions).Unknown; len(got) != 1 || got[0].Name != "table dreams" {
		t.Errorf("got the unknown names %v, want table dreams", got)
	}
	_ = db.Close()
	whole, err := os.ReadFile(filepath.Join(h.dir, stateDB))
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(string(whole), "title 30 ") / 4096 * 4096
	h.write(stateDB, string(whole[:at])+strings.Repeat("\x00", 4096)+string(whole[at+4096:]))
	h.add(rolloutName(id(30)), message(9, "user", "two"))
	fresh := h.collect()
	if got := len(fresh.Records(streamSessions)); got < n-20 || got >= n || trial.Reasons(fresh) != badThreads.Reason {
		t.Errorf("got %d sessions and %s, want those of the other pages and %s", got, trial.Reasons(fresh), badThreads.Reason)
	}
	if got := fresh.File(rootHome, stateDB); got != abi.FileDamaged {
		t.Errorf("the damaged database is %q, want %q", got, abi.FileDamaged)
	}
	second := h.again(first)
	if len(second.Records(streamSessions)) != 0 || len(second.Records(streamMessages)) != 1 {
		t.Errorf("got %v, want the message and no session without its title", second.All)
	}
	h.write(stateDB, string(whole))
	if third := h.again(second); field(third, streamSessions, id(30), "message_count") != "2" || trial.Reasons(third) != "" {
		t.Errorf("got %v, want the session with its title once the database is whole", third.All)
	}
}

// AC-02: rows beyond what is remembered, and rows without an id, are counted.
func TestThreadsThatAreNotRemembered(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := h.database()
	for i := range 5 {
		h.thread(db, fmt.Sprint("thread ", i), "a title")
	}
	h.exec(db, "UPDATE threads SET id = NULL WHERE id = 'thread 0'")
	h.most = 3
	res := h.collect()
	if len(res.Records(streamSessions)) != 3 || trial.Reasons(res) != manyThreads.Reason || res.File(rootHome, stateDB) != abi.FileKnown {
		t.Errorf("got %d sessions, %s, and the file is %q, want 3, %s and %q", len(res.Records(streamSessions)), trial.Reasons(res), res.File(rootHome, stateDB), manyThreads.Reason, abi.FileKnown)
	}
	if got := res.Items(streamSessions).Unknown; len(got) != 1 || got[0].Name != "thread without an id" {
		t.Errorf("got the unknown names %v, want the thread without an id", got)
	}
}

// changing is a folder whose database another program has written to when it is opened again.
type changing struct {
	fs.FS

	opened *int
}

func (c changing) Open(name string) (fs.File, error) {
	if name == stateDB {
		if *c.opened++; *c.opened%2 == 0 {
			name += ".next"
		}
	}
	return c.FS.Open(name)
}

// AC-02: a database that changes while it is read is neither read nor damaged.
func TestThreadsThatChange(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	db := h.database()
	h.thread(db, sessionA, "a title")
	h.exec(db, "PRAGMA wal_checkpoint(TRUNCATE)")
	_ = db.Close()
	whole, err := os.ReadFile(filepath.Join(h.dir, stateDB))
	if err != nil {
		t.Fatal(err)
	}
	for name, last := range map[string]byte{"whole": 0, "damaged": 0xff} {
		whole[len(whole)-1] ^= last
		h.write(stateDB, string(whole))
		next := append([]byte{}, whole...)
		next[27]++ // the counter of changes
		h.write(stateDB+".next", string(next))
		read := openThreads(changing{os.DirFS(h.dir), new(int)}, 10)
		if read.problem != threadsUnreadable || read.rows != nil {
			t.Errorf("%s: got %q and %d rows, want %q", name, read.problem, len(read.rows), threadsUnreadable)
		}
		read.close()
	}
}
