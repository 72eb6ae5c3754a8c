package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// onTerminal is pdpp-host on a pseudo-terminal.
type onTerminal struct {
	keyboard *os.File
	cmd      *exec.Cmd
	read     chan struct{}

	mu     sync.Mutex
	screen bytes.Buffer
	more   chan struct{} // one send for each part of output
}

// pseudoTerminal opens a terminal and the end that a person has of it.
func pseudoTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("cannot unlock a pseudo-terminal:", err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(keyboard.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100}); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no /dev/pts:", err)
	}
	return keyboard, terminal
}

// startOnTerminal starts the program with an owner's home of its own.
func startOnTerminal(t *testing.T, args ...string) *onTerminal {
	t.Helper()
	keyboard, terminal := pseudoTerminal(t)
	program, err := exec.LookPath("pdpp-host")
	if err != nil {
		t.Fatal(err)
	}
	s := &onTerminal{keyboard: keyboard, read: make(chan struct{}), more: make(chan struct{}, 1)}
	s.cmd = exec.Command(program, args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = terminal, terminal, terminal
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.cmd.Env = []string{"HOME=" + t.TempDir(), "TERM=xterm", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH")}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	go s.copy()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // gone already, when all went well
		_ = s.cmd.Wait()
		keyboard.Close()
		<-s.read
	})
	return s
}

// copy keeps the screen until the program's end of the terminal is closed.
func (s *onTerminal) copy() {
	defer close(s.read)
	part := make([]byte, 4096)
	for {
		n, err := s.keyboard.Read(part)
		s.mu.Lock()
		s.screen.Write(part[:n])
		s.mu.Unlock()
		select {
		case s.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *onTerminal) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.screen.String()
}

// await waits until the screen has shown a text.
func (s *onTerminal) await(t *testing.T, text string) {
	t.Helper()
	timeout := time.After(5 * time.Minute) // a machine that is busy compiles for long
	for !strings.Contains(s.text(), text) {
		select {
		case <-s.more:
		case <-timeout:
			t.Fatalf("%q never came; the screen:\n%s", text, s.text())
		}
	}
}

func (s *onTerminal) types(t *testing.T, text string) {
	t.Helper()
	if _, err := s.keyboard.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// exit waits for the end and returns the exit status.
func (s *onTerminal) exit(t *testing.T) int {
	t.Helper()
	err := s.cmd.Wait()
	<-s.read
	if err != nil && s.cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

func scripted(t *testing.T, script string) []string {
	t.Helper()
	return guestOnTerminal(t, "scripted", script)
}

func guestOnTerminal(t *testing.T, name, script string) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a module")
	}
	path, err := module(name)
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	if err := story.ShareCache(data); err != nil {
		t.Fatal(err)
	}
	return []string{"--data-dir", data, "run", path, "--accept", "--root", name + "=" + t.TempDir(), "--set", "script=" + script}
}

const signIn = `submit 3 {"type":"INTERACTION","request_id":"q1","kind":"credentials","message":"Sign in to the example","schema":{"type":"object","properties":{"asking_user":{"type":"string","title":"User","secret":false},"asking_password":{"type":"string","title":"Password","format":"password"}},"required":["asking_user","asking_password"]}}
expect "status":"success"
records notes 0 3
done {"type":"DONE","status":"succeeded","records_emitted":3}`

// Invariant 5: what an owner types into a hidden field is on no screen.
func TestQuestionOnTerminal(t *testing.T) {
	t.Parallel()
	s := startOnTerminal(t, guestOnTerminal(t, "asking", signIn)...)
	s.await(t, "The connector asking (")
	s.await(t, ") asks:\r\n  > Sign in to the example\r\n")
	s.await(t, "asking_user (\"User\"): ")
	s.types(t, "ada\r")
	s.await(t, "asking_password (\"Password\") (not shown): ")
	s.types(t, "hunter2\r")
	if code := s.exit(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	if text := s.text(); strings.Contains(text, "hunter2") {
		t.Error("the screen shows the password")
	} else if !strings.Contains(text, "● Succeeded") || !strings.Contains(text, "\x1b[32m") {
		t.Errorf("the screen:\n%s", text)
	}
}

func TestCtrlDIsNoAnswer(t *testing.T) {
	t.Parallel()
	s := startOnTerminal(t, guestOnTerminal(t, "asking", signIn)...)
	s.await(t, "asking_user (\"User\"): ")
	s.types(t, "\x04")
	if code := s.exit(t); code != 4 { // the guest expects an answer, and traps
		t.Errorf("exit %d\n%s", code, s.text())
	}
}

// The first Ctrl-C stops the run in order; it reaches the worker, too, which
// must not die of it.
func TestCtrlCOnTerminal(t *testing.T) {
	t.Parallel()
	s := startOnTerminal(t, scripted(t, "records notes 0 3\nsleep 60000")...)
	s.await(t, "journal") // the streams are on the screen: the guest runs
	s.types(t, "\x03")
	if code := s.exit(t); code != 130 {
		t.Errorf("exit %d", code)
	}
	if text := s.text(); !strings.Contains(text, "Cancelled") || !strings.Contains(text, "run.interrupted") {
		t.Errorf("the screen:\n%s", text)
	}
}

// The second Ctrl-C ends everything at once, the worker with it.
func TestSecondCtrlCKills(t *testing.T) {
	t.Parallel()
	s := startOnTerminal(t, scripted(t, "records notes 0 3\nloop")...)
	s.await(t, "journal") // the streams are on the screen: the guest runs
	s.types(t, "\x03")
	s.await(t, "stopping: the connector winds up")
	s.types(t, "\x03")
	if code := s.exit(t); code != 130 {
		t.Errorf("exit %d", code)
	}
}

// A terminal that is closed stops the run in order.
func TestHangUp(t *testing.T) {
	t.Parallel()
	if signal.Ignored(syscall.SIGHUP) {
		t.Skip("who runs the tests lets no hang-up through to what they start")
	}
	s := startOnTerminal(t, scripted(t, "records notes 0 3\nsleep 60000")...)
	s.await(t, "journal") // the streams are on the screen: the guest runs
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if code := s.exit(t); code != 130 {
		t.Errorf("exit %d", code)
	}
	if text := s.text(); !strings.Contains(text, "Cancelled") {
		t.Errorf("the screen:\n%s", text)
	}
}
