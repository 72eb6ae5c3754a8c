package dev

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// simulation is a service that the connector's own source simulates, while it runs.
type simulation struct {
	cmd     *exec.Cmd
	stdin   io.Closer
	options map[string]string // for --set
	environ []string          // for the host that runs the connector
}

// simulate starts the program in package pkg of dir. It writes NAME=VALUE lines and an empty
// one, and then serves until its standard input ends: a NAME in upper case is a variable of the
// environment, such as a credential's, and any other is an option. The address in base_url may
// be a private one.
func simulate(ctx context.Context, dir, pkg string) (*simulation, error) {
	program := filepath.Join(dir, stateFolder, "simulation"+exeSuffix)
	builds := exec.CommandContext(ctx, "go", "build", "-o", program, pkg) //nolint:gosec // the author's own program
	builds.Dir = dir
	if said, err := builds.CombinedOutput(); err != nil {
		return nil, abi.NewError(CodeBuild, "the simulated service does not build", "mend what the compiler says, or name another package with --serve").
			WithDetail(shown(said)).Wrap(err)
	}
	cmd := exec.CommandContext(ctx, program) //nolint:gosec // as above
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &simulation{cmd: cmd, stdin: stdin, options: map[string]string{}}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), "=")
		switch {
		case lines.Text() == "":
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return s, nil
		case !ok:
		case name == strings.ToUpper(name):
			s.environ = append(s.environ, name+"="+value)
		default:
			s.options[name] = value
			if at, err := url.Parse(value); name == "base_url" && err == nil {
				s.environ = append(s.environ, "PDPP_NETWORK_ALLOW_PRIVATE="+at.Host)
			}
		}
	}
	s.stop()
	return nil, abi.NewError(CodeBuild, "the simulated service did not start", "mend what it says, or name another one with --serve")
}

func (s *simulation) stop() {
	_ = s.stdin.Close()
	_ = s.cmd.Process.Kill() // one that does not look at its standard input
	_ = s.cmd.Wait()
}
