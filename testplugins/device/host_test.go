package device

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// host is the owner's host: a store, and a server that receives the deliveries of
// devices.
type host struct {
	*home

	data    string
	address string // that the server listens on, once it has begun
	cmd     *exec.Cmd
	ended   chan error
	out     *listening
}

// newHost returns a host that serves.
func newHost(t *testing.T) *host {
	t.Helper()
	s := &host{home: newHome(t)}
	s.data = filepath.Join(s.dir, "data")
	s.prepare(s.data)
	s.begin()
	t.Cleanup(func() {
		s.kill()
		s.quiet()
	})
	return s
}

// prepare makes a data folder with the cache that all share.
func (h *home) prepare(data string) {
	h.t.Helper()
	if err := os.MkdirAll(data, 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.Symlink(h.b.cache, filepath.Join(data, "cache")); err != nil {
		h.t.Fatal(err)
	}
}

// listening collects a server's output, and finds its address in it.
type listening struct {
	mu    sync.Mutex
	text  bytes.Buffer
	found chan string
}

var listensOn = regexp.MustCompile(`127\.0\.0\.1:(\d+)`)

// Write implements io.Writer.
func (l *listening) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Write(p)
	if m := listensOn.FindString(l.text.String()); m != "" && bytes.ContainsRune(l.text.Bytes(), '\n') && !strings.HasSuffix(m, ":0") {
		select {
		case l.found <- m:
		default:
		}
	}
	return len(p), nil
}

func (l *listening) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.text.Bytes())
}

// begin serves, on the address that it had if it had one.
func (s *host) begin() {
	s.t.Helper()
	at := s.address
	if at == "" {
		at = "127.0.0.1:0"
	}
	s.out = &listening{found: make(chan string, 1)}
	s.cmd = exec.Command(s.b.host, "--data-dir", s.data, "serve", "--listen", at, "--log-level", "debug")
	s.cmd.Env, s.cmd.Dir, s.cmd.WaitDelay = s.env, s.dir, 10*time.Second
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.ended = make(chan error, 1)
	go func(cmd *exec.Cmd, ended chan<- error) { ended <- cmd.Wait() }(s.cmd, s.ended)
	select {
	case s.address = <-s.out.found:
	case err := <-s.ended:
		s.ended <- err
		s.t.Fatalf("the host does not serve: %v\n%s", err, s.out.bytes())
	case <-time.After(time.Minute):
		s.t.Fatalf("the host does not listen\n%s", s.out.bytes())
	}
}

// waitEnd waits for the server's end and keeps its output.
func (s *host) waitEnd() {
	s.t.Helper()
	if s.cmd == nil {
		return
	}
	<-s.ended
	s.storeOutput("pdpp-host serve", said{s.cmd.ProcessState.ExitCode(), s.out.bytes(), nil})
	s.cmd = nil
}

// kill ends the server as a power cut does.
func (s *host) kill() {
	s.t.Helper()
	if s.cmd != nil {
		_ = s.cmd.Process.Kill() // it may have ended
		s.waitEnd()
	}
}

// stop ends the server as its owner does.
func (s *host) stop() {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	s.waitEnd()
}

func (s *host) url() string { return "http://" + s.address }

// runCommand runs a command of the host.
func (s *host) runCommand(status int, args ...string) said {
	s.t.Helper()
	return s.says(status, s.b.host, append([]string{"--data-dir", s.data}, args...)...)
}

// invite makes a code for the connector of most tests.
func (s *host) invite(args ...string) string {
	s.t.Helper()
	return s.inviteFor("claude_code", args...)
}

// inviteFor makes a code for a connector.
func (s *host) inviteFor(connector string, args ...string) string {
	s.t.Helper()
	out := s.runCommand(0, append([]string{"devices", "invite", connector, "--yes"}, args...)...)
	codes := secret.FindAll(out.stdout, -1)
	if len(codes) == 0 || secret.Match(out.stderr) {
		s.t.Fatalf("an invitation without a code\n%s%s, want len(codes) not 0 and not secret.Match(out.stderr)", out.stdout, out.stderr)
	}
	return string(codes[0])
}

// shown is the part of `status NAME` that the tests look at.
type shown struct {
	Name    string `json:"name"`
	Verdict struct {
		Pill struct {
			Tone  string `json:"tone"`
			Label string `json:"label"`
		} `json:"pill"`
		Channel          string `json:"channel"`
		ForwardStatement string `json:"forward_statement"`
	} `json:"verdict"`
	Recovery *struct {
		Cause       string
		Summary     string
		Host        string
		Unavailable bool
		Commands    []struct{ Label, Purpose, Command string }
	} `json:"recovery"`
}

// status is the host's view of a connection, as its owner sees it.
func (s *host) status(connection string) shown {
	s.t.Helper()
	var r struct{ Connections []shown }
	if p := s.result(s.runCommand(0, "status", connection, "--json"), &r); p != nil || len(r.Connections) != 1 {
		s.t.Fatalf("status of %s: %+v, want p = nil and len(r.Connections) = 1", connection, p)
	}
	return r.Connections[0]
}

// healthy fails unless the host shows the connection as healthy.
func (s *host) healthy(connection string) {
	s.t.Helper()
	if got := s.status(connection); got.Verdict.Pill.Tone != "green" || got.Verdict.Channel != "calm" || got.Recovery != nil {
		s.t.Errorf("%s: %+v\n%s, want Verdict.Pill.Tone = green, Verdict.Channel = calm and Recovery = nil", connection, got, s.runCommand(0, "status", connection, "--detail").stdout)
	}
}
