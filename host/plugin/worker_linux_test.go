package plugin

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
)

// gone waits until the process is dead, by its pidfd.
func gone(t *testing.T, pid int) bool {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return true // no such process
	}
	defer unix.Close(fd) //nolint:errcheck // a test
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(patience.Milliseconds()))
		if err != unix.EINTR { //nolint:errorlint // a bare number
			return err == nil && n == 1
		}
	}
}

func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	g := mustLoad(t, Options{Limits: testLimits()}, connector(seq(zero, i32(1), call("emit"), drop, loop(nil))).file())
	pid := workerPID(g)
	h := &scripted{onEmit: func([]byte) error { return syscall.Kill(pid, syscall.SIGKILL) }}
	exit := g.Collect(t.Context(), Grant{}, h)
	wantCode(t, exit.Err, abi.CodeWorkerLost, "killed")
	// Goroutines that would stay are found at the end of the test binary.
}

// A worker that died before it was needed is replaced, and only then.
func TestWorkerReplaced(t *testing.T) {
	t.Parallel()
	o := Options{Limits: testLimits()}
	o.Limits.Describe = 500 * time.Millisecond
	m := connector(nil)
	m.funcs[2].body = seq(loop(nil), zero)
	g := mustLoad(t, o, m.file())
	first := workerPID(g)
	if _, err := g.Describe(t.Context()); err == nil {
		t.Fatal("it described itself")
	}
	if !gone(t, first) {
		t.Fatal("the worker lives on")
	}
	if exit := g.Collect(t.Context(), Grant{}, &scripted{}); exit.Err != nil {
		t.Fatalf("g.Collect(t.Context(), Grant{}, &scripted{}): got %+v, want exit.Err == nil", exit.Err)
	}
}

// Invariant 6: the guest dies with its host, also in an endless loop.
func TestParentDeath(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], mortalArgument)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	line, err := bufio.NewReader(out).ReadString('\n')
	if _, serr := fmt.Sscan(line, &pid); err != nil || serr != nil {
		t.Fatalf("fmt.Sscan(line, &pid): got %+v, %+v, want no error && serr == nil", err, serr)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if !gone(t, pid) {
		t.Errorf("worker %d outlived its host, want gone(t, pid)", pid)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = cmd.Wait()
}

// Invariants 5 and 6: what a worker is given, and what it is not.
func TestWorkerConfinement(t *testing.T) {
	t.Setenv("PDPP_TEST_SECRET", "swordfish") // Invariant 5
	g := mustLoad(t, Options{Limits: testLimits()}, connector(nil).file())
	proc := fmt.Sprintf("/proc/%d/", workerPID(g))
	env, err := os.ReadFile(proc + "environ")
	if err != nil || strings.Contains(string(env), "PDPP_TEST_SECRET") || len(env) > 0 {
		t.Errorf(`environment %q %v, want no error && !strings.Contains(string(env), "PDPP_TEST_SECRET") && len(env) <= 0`, env, err)
	}
	if cwd, err := os.Readlink(proc + "cwd"); cwd != "/" || err != nil {
		t.Errorf(`os.Readlink(proc + "cwd"): got %+v, %+v, want cwd == "/" && no error`, cwd, err)
	}
	status, err := os.ReadFile(proc + "status")
	if err != nil {
		t.Fatal(err)
	}
	// With cgo, which the race detector needs, the step is passed over.
	if !cgoBuild && !strings.Contains(string(status), "NoNewPrivs:\t1") {
		t.Error("it may gain privileges")
	}
	limits, err := os.ReadFile(proc + "limits")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Max core file size 0 0", "Max open files 1024 1024"} {
		if !strings.Contains(strings.Join(strings.Fields(string(limits)), " "), want) {
			t.Errorf(`%q is not in its limits, want strings.Contains(strings.Join(strings.Fields(string(limits)), " "), want)`, want)
		}
	}
	fds, err := filepath.Glob(proc + "fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range fds {
		to, err := os.Readlink(fd)
		if err == nil && !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:") &&
			!strings.HasPrefix(to, "/sys/fs/cgroup/") { // the Go runtime reads its processor quota
			t.Errorf(`it holds %s as %s, want err != nil || strings.HasPrefix(to, "pipe:") || strings.HasPrefix(to, "anon_inode:") || strings.HasPrefix(to, "/sys/fs/cgroup/")`, to, fd)
		}
	}
}
