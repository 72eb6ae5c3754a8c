package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/profile"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// owner is a person with a machine and a host.
type owner struct {
	t       *testing.T
	program string
	home    string
	data    string
	host    *testHost
	env     []string // besides HOME
}

// notesScript collects three notes and moves their cursor.
const notesScript = "records notes 0 3\nstate {\"type\":\"STATE\",\"stream\":\"notes\",\"cursor\":{\"at\":3}}\nfinish"

func newOwner(t *testing.T) *owner {
	t.Helper()
	if testing.Short() {
		t.Skip("builds modules")
	}
	o := &owner{t: t, home: filepath.Join(t.TempDir(), "home"), host: startHost(t)}
	var err error
	if o.program, err = exec.LookPath(program); err != nil {
		t.Fatal(err)
	}
	if o.data, err = story.Home(o.home); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(installed(o.data, "scripted", "scripted"), os.Mkdir(filepath.Join(o.home, ".scripted"), 0o700)); err != nil {
		t.Fatal(err)
	}
	return o
}

func startHost(t *testing.T) *testHost {
	t.Helper()
	h, err := newTestHost(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// ended is how a command ended.
type ended struct {
	out, err string
	status   int
}

// run runs the program.
func (o *owner) run(stdin string, args ...string) ended {
	o.t.Helper()
	cmd := exec.Command(o.program, args...)
	cmd.Env = append([]string{"HOME=" + o.home}, o.env...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		o.t.Fatal(err)
	}
	return ended{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
}

// must runs the program and holds its exit status.
func (o *owner) must(status int, args ...string) ended {
	o.t.Helper()
	got := o.run("", args...)
	if got.status != status {
		o.t.Fatalf("%v exits with %d, want %d\n%s%s", args, got.status, status, got.out, got.err)
	}
	return got
}

// enroll enrolls a lane with a host, accepts its connector, and returns its profile.
func (o *owner) enroll(h *testHost, name string, args ...string) *profile.Profile {
	o.t.Helper()
	code, err := h.code(o.t.Context(), "scripted", name)
	if err != nil {
		o.t.Fatal(err)
	}
	got := o.run(code, append([]string{"enroll", "--base-url", h.server.URL, "--code-stdin", "--profile", name}, args...)...)
	if got.status != 0 {
		o.t.Fatal(got)
	}
	o.must(0, "connectors", "accept", "--profile", name, "--accept")
	p, err := (&profile.Folder{Dir: filepath.Join(o.home, ".config", "pdpp", "collectors")}).Load(name)
	if err != nil {
		o.t.Fatal(err)
	}
	return p
}

// token is a profile's credential, as it stands in the file.
func (o *owner) token(name string) string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.home, ".config", "pdpp", "collectors", name+".env"))
	if err != nil {
		o.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), profile.EnvDeviceToken+"="); ok {
			return strings.Trim(value, `"'`)
		}
	}
	o.t.Fatal("the profile has no token")
	return ""
}

// lanePath is where a profile's outbox is.
func (o *owner) lanePath(p *profile.Profile) string {
	o.t.Helper()
	path, err := profile.LanePath(profile.Env{Home: o.home}, p, "")
	if err != nil {
		o.t.Fatal(err)
	}
	return path
}

// counts reads a lane's outbox.
func (o *owner) counts(path string) storage.OutboxCounts {
	o.t.Helper()
	_, c, err := storage.InspectLane(o.t.Context(), path, time.Now())
	if err != nil {
		o.t.Fatal(err)
	}
	return c
}
