package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

const canary = "canary-5f1e09b7-hunter2"

// forms are the canary as it may stand somewhere: plain, in hexadecimal, in
// base64 at each of the three places where it can begin.
func forms() [][]byte {
	all := [][]byte{[]byte(canary), []byte(hex.EncodeToString([]byte(canary))), []byte(strings.ToUpper(hex.EncodeToString([]byte(canary))))}
	for skip := range 3 {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + canary))
		all = append(all, []byte(text[4:len(text)-4]))
	}
	return all
}

// found says where below dir the canary stands, and how many files were read.
func found(t *testing.T, dir string) (where []string, files int) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		if tells(text) {
			where = append(where, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return where, files
}

func tells(text []byte) bool {
	for _, form := range forms() {
		if bytes.Contains(text, form) {
			return true
		}
	}
	return false
}

func TestTheCanaryIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain": "x" + canary, "hex": hex.EncodeToString([]byte("x" + canary)), "base64": base64.URLEncoding.EncodeToString([]byte("yz" + canary + "x")),
		"innocent": "canary",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if where, files := found(t, dir); len(where) != 3 || files != 4 {
		t.Errorf("found in %v of %d files", where, files)
	}
}

// Invariant 5: a secret that was set is nowhere but sealed: not in the store, its
// log, what any command prints, the debug log or an export.
func TestSecretIsNowhere(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("pdpp-host")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	data := filepath.Join(home, "data")
	if err := os.MkdirAll(filepath.Join(data, "plugins"), 0o700); err != nil {
		t.Fatal(err)
	}
	// Held open, so that the write-ahead log stays and is looked at.
	store := story.Pinned(t, "../..", data)
	closed := false
	defer func() {
		if !closed {
			_ = store.Close()
		}
	}()
	run := func(stdin string, wants int, args ...string) {
		t.Helper()
		for _, more := range [][]string{nil, {"--json"}, {"--log-level", "debug", "--log-format", "json"}} {
			cmd := exec.Command(program, append(append([]string{"--data-dir", data}, more...), args...)...)
			cmd.Env = []string{"HOME=" + home, "PDPP_CREDENTIALS_KEY=file", "CREDENTIALED_ACCOUNT=" + canary}
			cmd.Stdin = strings.NewReader(stdin)
			out, _ := cmd.CombinedOutput() // the status is looked at below
			if status := cmd.ProcessState.ExitCode(); status != wants {
				t.Errorf("%v exits with %d, want %d: %s", args, status, wants, out)
			}
			if tells(out) {
				t.Errorf("%v prints the secret", args)
			}
		}
		if where, _ := found(t, home); len(where) > 0 {
			t.Fatalf("after %v the secret stands in %v", args, where)
		}
	}
	run(canary, 0, "connections", "credential", "set", "mine", "token")
	if _, err := os.Stat(filepath.Join(data, "pdpp.sqlite-wal")); err != nil {
		t.Fatal("there is no write-ahead log to look at:", err)
	}
	run(canary+"\n"+canary, 2, "connections", "credential", "set", "mine", "token")
	run(canary+"\x00", 2, "connections", "credential", "set", "mine", "token")
	run(strings.Repeat(canary, 4000), 2, "connections", "credential", "set", "mine", "token")
	run(canary, 2, "connections", "credential", "set", "mine", "nothing")
	run("", 2, "connections", "credential", "set", "mine", canary)
	run("", 2, "connections", "credential", "set", "mine", "token", canary)
	run("", 2, "connections", "credential", "set", "mine", "--"+canary)
	run("", 2, "connections", "credential", "set", "mine", "token", "--value="+canary)
	run("", 2, "connections", "credential", "remove", "mine", canary)
	run("", 0, "connections", "credential", "list", "mine")
	run("", 0, "connections", "show", "mine")
	run("", 0, "connections", "list")
	run("", 0, "config", "show")
	run("", 0, "runs", "list")
	run("", 0, "doctor")
	run("", 2, "records", "export", "mine", "notes", "--out", filepath.Join(home, "notes.jsonl"))

	// It is there all the same, sealed.
	conn, err := store.Connection(t.Context(), "mine")
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := store.SealedCredentials(t.Context(), conn.ID)
	if err != nil {
		t.Fatal(err)
	}
	v, err := vault.Open(t.Context(), vault.Options{Dir: data, Mode: vault.ModeFile, Sealed: true})
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := v.Unseal(conn.ID, "token", sealed["token"]); err != nil || string(plain) != canary {
		t.Errorf("%d bytes, %v", len(plain), err)
	}
	closed = true
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	if where, files := found(t, home); len(where) > 0 || files < 2 {
		t.Errorf("of %d files the secret stands in %v", files, where)
	}
}
