package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/storage"
)

// given are the arguments with which commands have something to print over the store of ofRecords. The
// others are given none.
var given = map[string][]string{
	"records list": {"mine", "repositories"}, "records get": {"mine", "repositories", "a"}, "records search": {"all", "word"}, "records export": {"mine", "repositories"},
	"records delete": {"mine", "repositories", "a", "--yes"}, "connections show": {"mine"}, "connections schedule": {"mine", "--manual"}, "connections set": {"mine", "--set", "x=y"},
	"connections rename": {"mine", "other"}, "connections remove": {"mine", "--yes"}, "runs show": {"run_1"}, "tokens create": {"script"},
	"grants ask": {"An app"}, "debug health": {}, "completion bash": {}, "completion zsh": {}, "completion fish": {},
}

// waits are the commands that go on until they are ended, ask somebody, write a folder, or print what they
// read: by their last word.
var waits = []string{"serve", "mcp", "dev", "new", "run", "reset", "governor", "health"}

// printed are commands that have something to print over that store.
var printed = []string{"audit", "config show", "connections list", "connections show", "doctor", "grants ask", "grants list", "plugins list", "records export", "records get",
	"records list", "records search", "runs list", "runs show", "status", "tokens create", "tokens list", "version"}

// leaves are the commands that do something.
func leaves(c *cobra.Command) (all []*cobra.Command) {
	if c.HasSubCommands() {
		for _, below := range c.Commands() {
			all = append(all, leaves(below)...)
		}
		return all
	}
	return []*cobra.Command{c}
}

// ofRecords makes a store with a connection, a run and a record.
func ofRecords(t *testing.T) (dir string) {
	t.Helper()
	dir = failedRun(t, abi.ReasonRuntimeError, storage.RunError{Code: string(abi.CodeStoreFull)})
	store, err := storage.Open(t.Context(), storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	conn, err := store.Connection(t.Context(), "mine")
	if err != nil {
		t.Fatal(err)
	}
	w, err := store.BeginRun(t.Context(), storage.NewRun{
		RunID: "run_2", ConnectionID: conn.ID, Connector: "github", Version: "1", ModuleSHA256: "abc", Mode: abi.ModeIncremental,
		Bookmark: storage.BookmarkIncremental, Holder: "h", Streams: []string{"repositories"}, LeaseTTL: time.Minute,
	})
	if err != nil {
		t.Fatal(err)
	}
	b := w.NewBatch()
	b.Add(0, []byte("a"), []byte(`{"id":"a","name":"word","full_name":"word","description":"word"}`), []byte("2026-01-02T03:04:05Z"), false)
	const acts = "\u202e\u009b2J\x1b]52;c;AAAA\x07\r\u3164"
	b.Add(0, []byte("b"+acts), fmt.Appendf(nil, `{"id":"b","name":"word %s","full_name":"word","description":"word"}`, strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`, "\r", `\r`).Replace(acts)), []byte("2026-01-02T03:04:05Z"), false)
	if err := w.Write(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(t.Context(), storage.Outcome{Status: "succeeded"}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// does runs a command over a copy of a data folder.
func does(t *testing.T, dir string, to *os.File, args ...string) (status int, said string) {
	t.Helper()
	data := t.TempDir()
	if err := os.CopyFS(data, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	nothing, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	a, errs := newApp(), new(bytes.Buffer)
	a.Home, a.In, a.Printer.Err = data, nothing, errs
	a.PrintTo(to)
	status = a.main(append(args, "--data-dir", data))
	return status, errs.String()
}

// A command whose output cannot be written fails with a code of its own, in text and as JSON; so does its help.
func TestNoCommandEndsWellUnwritten(t *testing.T) {
	t.Parallel()
	dir := ofRecords(t)
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	tell := func(want []string, args ...string) {
		status, said := does(t, dir, full, args...)
		if status == exitcode.OK || !slices.ContainsFunc(want, func(code string) bool { return strings.Contains(said, code) }) {
			t.Errorf("%q: got %d and %q, want a failure with one of %q", args, status, said, want)
		}
	}
	unwritten := []string{string(output.CodeUnwritten)}
	all := leaves(newApp().root())
	for _, c := range all {
		_, name, _ := strings.Cut(c.CommandPath(), " ")
		words := strings.Fields(name)
		tell(unwritten, append(slices.Clone(words), "--help")...)
		switch {
		case slices.Contains(printed, name):
			want := append(unwritten, string(abi.CodeExportFailed))
			tell(want, slices.Concat(words, given[name])...)
			tell(want, slices.Concat(words, given[name], []string{"--json"})...)
		case !slices.Contains(waits, c.Name()):
			tell([]string{"["}, slices.Concat(words, given[name])...) // whatever it lacks here, or that
		}
	}
	if len(all) < len(printed) {
		t.Errorf("got %d commands, want more", len(all))
	}
}

// A terminal gets nothing from a command that it would act on, whatever the store has.
func TestNothingActsOnATerminal(t *testing.T) {
	t.Parallel()
	dir := ofRecords(t)
	for _, name := range printed {
		words := slices.Concat(strings.Fields(name), given[name])
		for _, more := range [][]string{nil, {"--json"}, {"--format", "csv"}} {
			if len(more) == 2 && name != "records export" {
				continue
			}
			keyboard, terminal := pseudoTerminal(t)
			shown := make(chan string)
			go func() {
				text, _ := io.ReadAll(keyboard) // its error is the terminal's end
				shown <- string(text)
			}()
			does(t, dir, terminal, slices.Concat(words, more)...)
			_ = terminal.Close()
			text := <-shown
			_ = keyboard.Close()
			if text == "" {
				t.Errorf("%q %q: got nothing on the terminal", words, more)
			}
			for _, r := range strings.ReplaceAll(text, "\r\n", "\n") { // the terminal makes one of the other
				if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
					t.Errorf("%q %q: got %U on the terminal, in %q", words, more, r, text)
					break
				}
			}
		}
	}
}
