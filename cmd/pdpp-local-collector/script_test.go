package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// hostKey is where a story's host is kept.
type hostKey struct{}

// TestStories runs testdata/script: each file tells one owner's story, with the
// commands and what they print, against a real host.
func TestStories(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script", RequireExplicitExec: true, RequireUniqueNames: true, Setup: setUpStory,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits": story.Exits, "install": installModule, "change": changeModule, "load": story.Load, "host": hostCommand, "code": makeCode, "enrolled": enrolledSource, "records": records,
		},
	})
}

// setUpStory makes an owner with an empty home, an empty plugins folder, and a
// host that knows nobody yet.
func setUpStory(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	data, err := story.Home(home)
	if err != nil {
		return err
	}
	h, err := newTestHost(context.Background(), env.WorkDir)
	if err != nil {
		return err
	}
	env.Values[hostKey{}] = h
	env.Defer(func() {
		if err := h.close(); err != nil {
			env.T().Log(err)
		}
	})
	env.Setenv("HOME", home)
	env.Setenv("DATA", data)
	env.Setenv("HOST", h.server.URL)
	checkout, err := story.Checkout()
	env.Setenv("CHECKOUT", checkout)
	return err
}

// installModule puts a module into the plugins folder: install github [AS].
func installModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: install MODULE [AS]")
	}
	ts.Check(installed(ts.Getenv("DATA"), args[0], args[len(args)-1]))
}

func installed(data, name, as string) error {
	path, err := story.Module(name)
	if err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(data, "plugins", as+".wasm"), b, 0o600)
}

// changeModule gives an installed module other bytes that say the same: change github.
func changeModule(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: change MODULE")
	}
	path := filepath.Join(ts.Getenv("DATA"), "plugins", args[0]+".wasm")
	b, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, append(b, 0, 2, 1, 'x'), 0o600)) // a section of no meaning
}

func hostOf(ts *testscript.TestScript) *testHost {
	h, ok := ts.Value(hostKey{}).(*testHost)
	if !ok {
		ts.Fatalf("there is no host")
	}
	return h
}

// hostCommand breaks the host and mends it: host down|up, host refuse PART STATUS
// CODE, host accept.
func hostCommand(ts *testscript.TestScript, neg bool, args []string) {
	h := hostOf(ts)
	switch {
	case neg || len(args) == 0:
		ts.Fatalf("usage: host down|up|accept|refuse …")
	case args[0] == "down" || args[0] == "up":
		h.set(func() { h.down = args[0] == "down" })
	case args[0] == "accept":
		h.set(func() { h.refusals = nil })
	case args[0] == "refuse" && len(args) == 4:
		status, err := strconv.Atoi(args[2])
		ts.Check(err)
		h.set(func() { h.refusals = append(h.refusals, refusal{args[1], status, args[3]}) })
	default:
		ts.Fatalf("unknown: host %s", strings.Join(args, " "))
	}
}

// makeCode makes an enrollment code and writes it to a file: code CONNECTOR FILE.
func makeCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: code CONNECTOR FILE")
	}
	code, err := hostOf(ts).code(context.Background(), args[0], args[1])
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(code+"\n"), 0o600))
}

// enrolledSource puts the only source instance's id into a variable: enrolled NAME.
func enrolledSource(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: enrolled NAME")
	}
	src, err := hostOf(ts).source(context.Background())
	ts.Check(err)
	ts.Setenv(args[0], src.ID)
}

// records holds how many records of a stream the host has: records STREAM N.
func records(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: records STREAM N")
	}
	got, err := hostOf(ts).records(context.Background(), args[0])
	ts.Check(err)
	if fmt.Sprint(got) != args[1] {
		ts.Fatalf("the host has %d records of %s, want %s", got, args[0], args[1])
	}
}
