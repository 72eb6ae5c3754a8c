package main

import (
	"bytes"
	"net/http"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// A stop keeps what was collected and moves no checkpoint; its supervisor and its
// owner are told apart. The next run goes on.
func TestStoppedRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no such signals")
	}
	for name, c := range map[string]struct {
		signal syscall.Signal
		status int
	}{"SIGINT": {syscall.SIGINT, 130}, "SIGTERM": {syscall.SIGTERM, 143}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwner(t)
			o.enroll(o.host, "mine")
			scanning := make(chan struct{})
			var once sync.Once
			o.host.set(func() {
				o.host.onCall = func(r *http.Request) {
					if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/manifest") || strings.HasSuffix(r.URL.Path, "/state") {
						once.Do(func() { close(scanning) })
					}
				}
			})
			cmd := exec.Command(o.program, "run", "--set", "script=records notes 0 3\nstate {\"type\":\"STATE\",\"stream\":\"notes\",\"cursor\":{\"at\":3}}\nsleep 600000")
			cmd.Env = []string{"HOME=" + o.home}
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			<-scanning
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the status is looked at
			if status := cmd.ProcessState.ExitCode(); status != c.status {
				t.Fatalf("%d: %s", status, out.String())
			}
			got := o.must(0, "run", "--set", "script="+notesScript)
			if !strings.Contains(got.out, "Delivered") {
				t.Error(got.out)
			}
		})
	}
}
