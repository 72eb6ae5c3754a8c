package hostile

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// house is a granted root with a readable file, and links that lead out of it, beside a
// folder that nobody granted.
func house(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "granted")
	for _, d := range []string{root, filepath.Join(root, "inner"), filepath.Join(dir, "private")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{"granted/open.txt": "hello", "private/secret.txt": "secret"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		"absolute":     filepath.Join(dir, "private", "secret.txt"),
		"relative":     "../private/secret.txt",
		"folder":       "../private",
		"inner/up":     "../../private/secret.txt",
		"passwd":       "/etc/passwd",
		"loop":         "loop",
		"within":       "open.txt",
		"inner/within": "../open.txt",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	return map[string]string{"scripted": root}
}

// Invariant 6: a guest reads the files in its roots, and nothing else, however it
// spells the path; and it writes nowhere.
func TestGuestsThatReachForFiles(t *testing.T) {
	t.Parallel()
	reach := func(paths ...string) string {
		return "open /scripted/open.txt hello\ndenied " + strings.Join(paths, "\ndenied ") + done(0)
	}
	carryOut(t, []attack{
		{name: "dots", roots: house, script: reach(
			"/scripted/../private/secret.txt", "/scripted/inner/../../private/secret.txt", "../private/secret.txt",
			"/scripted/../../../../../../etc/passwd", "/scripted/./.././../etc/passwd", "/../etc/passwd",
		)},
		{name: "absolute paths", roots: house, script: reach("/etc/passwd", "/proc/self/environ", "/proc/1/root/etc/passwd", "/", "/scripted//etc/passwd", "/dev/null")},
		{name: "links that lead out", roots: house, script: reach(
			"/scripted/absolute", "/scripted/relative", "/scripted/folder/secret.txt", "/scripted/inner/up", "/scripted/passwd", "/scripted/loop",
		)},
		{name: "links that stay are followed", roots: house, script: "open /scripted/within hello\nopen /scripted/inner/within hello" + done(0)},
		{name: "roots of another connector", roots: house, script: reach("/granted/open.txt", "/other/open.txt", "/private/secret.txt")},
		{name: "writing", roots: house, script: "unwritable /scripted/open.txt\nunwritable /scripted/new.txt\nunwritable /scripted/../new.txt\nunwritable /new.txt\nopen /scripted/open.txt hello" + done(0)},
		{name: "overlong path", roots: house, script: reach("/scripted/"+strings.Repeat("a/", 40000)+"x", "/scripted/"+strings.Repeat("n", 5000))},
		{name: "no root at all", script: "denied /scripted/open.txt\ndenied /etc/passwd\nunwritable /x" + done(0)},
		// Invariant 5: the environment is where an operator's tokens are.
		{name: "environment and arguments", script: "bare" + done(0)},
	})
}

// A guest's log reaches the host's log without the bytes that would steer a terminal.
func TestLogThatPaintsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, mode := range rig.Modes {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			h := rig.NewHost(t, rig.Setup{Isolation: mode, Logger: slog.New(slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug}))})
			res, err := h.Play(run.Request{Module: rig.Guest(t, "testplugins/guests/scripted"), Options: map[string]string{
				"script": prelude + "log 1 red\x1b[31m\nbytes log 1b5b324a1b5d303b6f776e6564070d0a6c65766c3d494e464f206d73673d66616b65\nstderr 1 \x1b[2Jcleared\npad 100000 log @" + done(0),
			}})
			if err != nil || res.Status != run.StatusSucceeded {
				t.Fatalf("%+v %v, want Status = %v", res, err, run.StatusSucceeded)
			}
			said := b.String()
			if !strings.Contains(said, "red") || !strings.Contains(said, "cleared") {
				t.Errorf("what it said is lost: %.300q, want red in said and cleared in said", said)
			}
			if strings.ContainsAny(said, "\x1b\a\r") || strings.Contains(said, `\x1b`) || strings.Contains(said, "\nlevl=") {
				t.Errorf("a terminal would obey: %.300q, want not strings.ContainsAny(said, \"\\x1b\\a\\r\"), no %s in said and no \nlevl= in said", said, `\x1b`)
			}
			for line := range strings.Lines(said) {
				if len(line) > 17<<10 {
					t.Errorf("a line of %d bytes, want at most 17<<10", len(line))
				}
			}
		})
	}
}
