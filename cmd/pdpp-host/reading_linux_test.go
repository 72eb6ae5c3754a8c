package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/storage"
)

// readingCommands are the commands that only read the store, with what each is given beside given.
var readingCommands = map[string][]string{
	"audit": nil, "clients list": nil, "connections credential list": {"mine"}, "connections files": {"mine"}, "connections list": nil, "connections show": nil,
	"devices list": nil, "devices show": {"dev_1"}, "doctor": nil, "grants list": nil, "grants look": {"req_1"}, "grants reads": {"gr_1"}, "grants requests": nil,
	"grants show": {"gr_1"}, "mcp": {"--grant", "gr_1"}, "notifications list": nil, "owner passkeys": nil, "owner sessions": nil, "questions list": nil, "questions show": {"mine"},
	"records export": nil, "records get": nil, "records list": nil, "records search": nil, "runs captures": {"mine"}, "runs list": nil, "runs show": nil, "status": nil,
	"store copy": {"--to", "copy.sqlite"}, "tokens list": nil,
}

// otherCommands are the commands that change something, or that look at no store.
var otherCommands = []string{
	"clients remove", "completion bash", "completion fish", "completion powershell", "completion zsh", "config show", "connections add", "connections credential remove",
	"connections credential set", "connections remove", "connections rename", "connections revoke", "connections schedule", "connections set", "connections sign-in", "connections sign-out",
	"debug governor", "debug health", "devices accept", "devices invite", "devices revoke", "grants approve", "grants ask", "grants code", "grants credential-file", "grants deny",
	"grants limit", "grants review", "grants revoke", "help", "metrics names", "notifications add", "notifications remove", "notifications settings", "notifications test",
	"owner end-session", "owner made", "owner remove-passkey", "owner reset", "plugin", "plugins", "questions answer", "questions decline", "records delete", "records restore", "run", "serve",
	"store compact", "store migrate", "tokens approve", "tokens create", "tokens revoke", "version",
}

// A command that only reads brings no store up to date: it refuses an older one by a word of its own, and
// names the command that does. Each command is known to be one that reads, or not.
func TestReadingCommandsMigrateNothing(t *testing.T) {
	t.Parallel()
	dir := ofRecords(t)
	path := filepath.Join(dir, "pdpp.sqlite")
	store, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{"DROP TABLE passkeys", "DELETE FROM schema_migrations WHERE version = 82"} {
		if _, err := store.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	says := func(args ...string) (int, string) {
		a, said := newApp(), new(bytes.Buffer)
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		a.Home, a.In, a.Printer.Err = dir, nothing, said
		a.PrintTo(out)
		status := a.main(append(args, "--data-dir", dir))
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return status, said.String() + string(text)
	}
	refuses := func(name string, args ...string) {
		t.Helper()
		status, said := says(args...)
		want := exitcode.Refused
		if name == "doctor" {
			want = exitcode.Internal
		}
		if status != want || !strings.Contains(said, "older pdpp-host") || !strings.Contains(said, " store migrate (") {
			t.Errorf("%s: got %d and %q, want %d and an older store, with the command that brings it up to date", name, status, said, want)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
			t.Fatalf("%s: the store was changed, %v, want it as it was", name, err)
		}
	}
	for _, name := range []string{"connections schedule mine", "notifications settings", "plugins verify"} { // which change something if told to
		refuses(name, strings.Fields(name)...)
	}
	known := slices.Clone(otherCommands)
	for _, c := range leaves(newApp().root()) {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		first, _, _ := strings.Cut(name, " ")
		more, reads := readingCommands[name]
		if !reads {
			if !slices.Contains(known, name) && !slices.Contains(known, first) {
				t.Errorf("got the command %q in neither list, want it in one", name)
			}
			continue
		}
		refuses(name, slices.Concat(strings.Fields(name), given[name], more)...)
	}
	if status, said := says("store", "migrate"); status != exitcode.OK {
		t.Errorf("store migrate: got %d and %q, want it to end well", status, said)
	}
	if status, said := says("runs", "list"); status != exitcode.OK {
		t.Errorf("runs list after it: got %d and %q, want it to end well", status, said)
	}
	s, err := storage.OpenToRead(t.Context(), storage.Options{Path: path, Now: newApp().Now})
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Errorf("brought up to date: got %v, want a store that is read", err)
	}
}
