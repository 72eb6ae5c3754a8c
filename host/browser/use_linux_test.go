package browser

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/folder"
)

// BR-01.1: a browser starts when a run first uses it, and not before: one program, over the
// folder of its profile and a pipe.
func TestStartsAtFirstUse(t *testing.T) {
	t.Parallel()
	dir := folder.New(t)
	program, called := filepath.Join(dir, "browser"), filepath.Join(dir, "called")
	script := "#!/bin/sh\necho \"$@\" >> '" + called + "'\nexit 1\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil { //nolint:gosec // it is run
		t.Fatal(err)
	}
	r := Request{
		Program: program, Profiles: filepath.Join(dir, "profiles"), Profile: "shop", Random: rand.Reader,
		Admitter: everything{}, Dialer: sites{}, Headers: egress.CheckHeaders,
	}
	asks := &abi.BrowserRequirements{StartURL: "https://shop.example/", Hosts: []abi.BrowserHost{{Host: "shop.example", Role: abi.RoleProvider}}}
	b := &bound{Binding: Bind(r, asks, &freely{}, nil), t: t}
	if _, err := os.Stat(called); !os.IsNotExist(err) {
		t.Errorf("before its first use: got %v, want no browser", err)
	}
	b.fails(`{"do":"open"}`, abi.CodeBrowserStart)
	if err := b.Close(); err != nil {
		t.Errorf("closing: got %v, want nil", err)
	}
	got, err := os.ReadFile(called)
	line := string(got)
	if err != nil || strings.Count(line, "\n") != 1 || !strings.Contains(line, "--user-data-dir="+filepath.Join(dir, "profiles", "shop")+" ") ||
		!strings.Contains(line, "--remote-debugging-pipe ") {
		t.Errorf("at its first use: got %q (%v), want one browser over the profile and a pipe", line, err)
	}
}
