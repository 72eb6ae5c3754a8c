package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// served is a host that receives the deliveries of devices.
type served struct {
	cmd     *exec.Cmd
	address string
}

var listensOn = regexp.MustCompile(`127\.0\.0\.1:[1-9]\d*`)

// serve starts a host on a free port and waits until it listens.
func (b *bench) serve(data string) (*served, error) {
	cmd, err := b.command(data, "serve", "--listen", "127.0.0.1:0", "--log-level", "info")
	if err != nil {
		return nil, err
	}
	said, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &served{cmd: cmd}
	lines := bufio.NewReader(said)
	for s.address == "" {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.stop()
			return nil, errors.Join(errors.New("the host does not listen"), err)
		}
		s.address = listensOn.FindString(line)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return s, nil
}

// stop ends the host as its owner does, and waits for it.
func (s *served) stop() *exec.Cmd {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	_ = s.cmd.Wait() // its end is not measured
	return s.cmd
}

// highWater is the most memory that a process has had resident, 0 where unknown.
func highWater(pid int) int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	line, _, _ := strings.Cut(after, "kB")
	n, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
