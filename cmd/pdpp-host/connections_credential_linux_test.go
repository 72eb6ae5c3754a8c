package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// hides waits for the prompt, and until what is typed is not shown: typing
// before would show it.
func (s *onTerminal) hides(t *testing.T) {
	t.Helper()
	s.await(t, "mine token (not shown): ")
	for deadline := time.Now().Add(60 * time.Second); ; {
		state, err := unix.IoctlGetTermios(int(s.keyboard.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if state.Lflag&unix.ECHO == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("echo stays on")
		}
	}
}

// Invariant 5: a credential that is typed is on no screen.
func TestCredentialOnTerminal(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	if err := story.Pinned(t, "../..", data).Close(); err != nil {
		t.Fatal(err)
	}
	s := startOnTerminal(t, "--data-dir", data, "connections", "credential", "set", "mine", "token")
	s.hides(t)
	s.types(t, canary+"\r")
	s.await(t, "stored token of mine")
	if code := s.exit(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	if strings.Contains(s.text(), canary) {
		t.Error("the screen shows the credential")
	}
	if _, err := os.Stat(filepath.Join(data, vault.KeyFile)); err != nil {
		t.Error(err)
	}
}

func TestCredentialTypingIsGivenUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		keys string
		code int
	}{"Ctrl-C": {"half\x03", 130}, "Enter": {"\r", 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := t.TempDir()
			store := story.Pinned(t, "../..", data)
			t.Cleanup(func() { _ = store.Close() })
			s := startOnTerminal(t, "--data-dir", data, "connections", "credential", "set", "mine", "token")
			s.hides(t)
			s.types(t, c.keys)
			if code := s.exit(t); code != c.code {
				t.Errorf("exit %d, want %d\n%s", code, c.code, s.text())
			}
			if stored, err := store.StoredCredentials(t.Context(), ""); err != nil || len(stored) != 0 {
				t.Errorf("stored %v, %v", stored, err)
			}
		})
	}
}

// RT-08.1: what an owner answers to a run that lacks its credentials is kept for
// the next run, sealed.
func TestAnswerIsKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds a module")
	}
	path, err := module("credentialed")
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	s := startOnTerminal(t, "--data-dir", data, "run", path, "--accept")
	s.await(t, "(not shown): ")
	s.types(t, canary+"\r")
	s.await(t, "account")
	s.types(t, "account-"+canary+"\r")
	if code := s.exit(t); code != 0 {
		t.Fatalf("exit %d\n%s", code, s.text())
	}
	next := startOnTerminal(t, "--data-dir", data, "run", path, "--no-input")
	if code := next.exit(t); code != 0 {
		t.Errorf("exit %d\n%s", code, next.text())
	}
	if where, files := found(t, data); len(where) > 0 || files < 2 {
		t.Errorf("of %d files the answer stands in %v", files, where)
	}
}
