package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// said is the outcome of a command.
type said struct {
	status         int // -1: it was killed
	stdout, stderr []byte
}

// home is a person's folder on some machine: its programs share one environment, and
// all their output is kept.
type home struct {
	t   *testing.T
	b   *built
	dir string
	env []string

	mu    sync.Mutex
	heard []string // all that was printed
}

// secret is a token of a device or a code of enrollment.
var secret = regexp.MustCompile(`ld[te][0-9a-f]{64}`)

// long leaves a test out of a quick look.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a while")
	}
}

func newHome(t *testing.T) *home {
	t.Helper()
	b, err := build()
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, b: b, dir: t.TempDir()}
	h.env = []string{"HOME=" + h.dir, "PATH=" + b.bin, "PDPP_PLUGINS_DIR=" + b.plugins}
	return h
}

// storeOutput stores a program's output. A secret in it fails the test: no program may print
// one, except for the one command whose purpose it is.
func (h *home) storeOutput(what string, s said) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heard = append(h.heard, what+"\n"+string(s.stdout)+string(s.stderr))
	if !strings.Contains(what, " devices invite ") {
		if found := secret.Find(append(bytes.Clone(s.stdout), s.stderr...)); found != nil {
			h.t.Errorf("%s prints a secret", what)
		}
	}
}

// does runs a command to its end.
func (h *home) does(input, program string, args ...string) said {
	h.t.Helper()
	cmd, out, problems := h.command(program, args...)
	cmd.Stdin = strings.NewReader(input)
	began := time.Now()
	err := cmd.Run() // the status is looked at
	h.t.Logf("%v %d %s", time.Since(began).Round(time.Millisecond), cmd.ProcessState.ExitCode(), name(program, args))
	if errors.Is(err, exec.ErrWaitDelay) {
		h.t.Errorf("%s leaves somebody behind who holds its output", name(program, args))
	}
	s := said{cmd.ProcessState.ExitCode(), out.Bytes(), problems.Bytes()}
	h.storeOutput(name(program, args), s)
	return s
}

// command is a command of this home, which has not begun.
func (h *home) command(program string, args ...string) (cmd *exec.Cmd, out, problems *bytes.Buffer) {
	cmd = exec.Command(program, args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = h.env, h.dir, 10*time.Second
	out, problems = new(bytes.Buffer), new(bytes.Buffer)
	cmd.Stdout, cmd.Stderr = out, problems
	return cmd, out, problems
}

func name(program string, args []string) string {
	return program[strings.LastIndexByte(program, '/')+1:] + " " + strings.Join(args, " ")
}

// says runs a command and checks its exit status.
func (h *home) says(status int, program string, args ...string) said {
	h.t.Helper()
	s := h.does("", program, args...)
	if s.status != status {
		h.t.Fatalf("%s exits with %d, want %d\n%s%s", name(program, args), s.status, status, s.stdout, s.stderr)
	}
	return s
}

// problem is the error of an envelope.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// result reads the envelope of a command that was run with --json.
func (h *home) result(s said, into any) *problem {
	h.t.Helper()
	lines := bytes.Split(bytes.TrimSpace(s.stdout), []byte("\n"))
	var whole struct {
		Result json.RawMessage `json:"result"`
		Error  *problem        `json:"error"`
	}
	if err := json.Unmarshal(lines[len(lines)-1], &whole); err != nil {
		h.t.Fatalf("%v\n%s%s", err, s.stdout, s.stderr)
	}
	if len(whole.Result) > 0 && string(whole.Result) != "null" && into != nil {
		if err := json.Unmarshal(whole.Result, into); err != nil {
			h.t.Fatalf("%v\n%s", err, s.stdout)
		}
	}
	return whole.Error
}
