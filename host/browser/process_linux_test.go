package browser

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// until waits for what comes in its own time, however busy the machine is.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("it never came that %s", what)
}

// untilGone waits until none of the processes runs any more.
func untilGone(t testing.TB, whose string, pids []int) {
	t.Helper()
	until(t, whose+" has no process left", func() bool {
		return !slices.ContainsFunc(pids, func(pid int) bool {
			s := state(pid)
			return s != "" && s != "Z"
		})
	})
}

// state is the state of a process as /proc has it; "": there is none.
func state(pid int) string {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	return fields[0]
}

// counted is a Dialer that reaches nothing and counts.
type counted struct{ n atomic.Int64 }

func (c *counted) Dial(context.Context, string) (net.Conn, error) {
	c.n.Add(1)
	return nil, abi.NewError(abi.CodeBrowserRefused, "nothing is reached", "")
}

// T13: no process of the browser listens, its command line names no port, and it got nothing of
// the environment, and no file tells where it is (RT-02.1, BR-01.2, BR-01.4).
func TestNothingListens(t *testing.T) {
	t.Parallel()
	b := acquire(t, request(t))
	listening := map[string]string{}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile("/proc/net/" + table)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" {
				listening["socket:["+f[9]+"]"] = f[1]
			}
		}
	}
	looked := 0
	for _, pid := range launch.Tree(b.process.PID) {
		fds, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid)) // those in the sandbox show theirs to nobody, and cannot make a socket
		for _, fd := range fds {
			looked++
			if to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", pid, fd.Name())); err == nil && listening[to] != "" {
				t.Errorf("process %d listens on %s, want no port", pid, listening[to])
			}
		}
	}
	if looked < 20 || len(listening) == 0 {
		t.Errorf("got %d descriptors and %d listening sockets (the wall's is one), want some to look at", looked, len(listening))
	}
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", b.process.PID))
	if err != nil || bytes.Contains(line, []byte("remote-debugging-port")) || !bytes.Contains(line, []byte("remote-debugging-pipe")) {
		t.Errorf("got the command line %q, %v, want a pipe and no port", line, err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", b.process.PID))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for entry := range strings.SplitSeq(strings.Trim(string(environ), "\x00"), "\x00") {
		name, _, _ := strings.Cut(entry, "=")
		names = append(names, name)
	}
	if want := []string{"HOME", "TMPDIR", "LANG"}; !slices.Equal(names, want) {
		t.Errorf("got the environment %v, want %v", names, want)
	}
	if _, err := os.Stat(filepath.Join(b.held.Path, "DevToolsActivePort")); err == nil {
		t.Error("got a file DevToolsActivePort, want none")
	}
}
