package interact

import (
	"bytes"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// openPTY returns both ends of a fresh pseudo-terminal.
func openPTY(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("cannot unlock a pseudo-terminal:", err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no /dev/pts:", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

func TestConsoleHidesSecrets(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openPTY(t)
	console, ok := NewConsole(terminal)
	if !ok {
		t.Fatal("a pseudo-terminal is a terminal")
	}
	if _, err := keyboard.WriteString("ada\n"); err != nil {
		t.Fatal(err)
	}
	if got, err := console.ReadLine(); err != nil || got != "ada" {
		t.Fatalf("%q %v", got, err)
	}
	secret := make(chan string)
	go func() {
		got, _ := console.ReadSecret()
		secret <- got
	}()
	// Typing before echo is off would show it: wait for the terminal to say so.
	for deadline := time.Now().Add(5 * time.Second); echoes(t, terminal); {
		if time.Now().After(deadline) {
			t.Fatal("echo stays on")
		}
	}
	if _, err := keyboard.WriteString("hunter2\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-secret; got != "hunter2" {
		t.Errorf("read %q", got)
	}
	if !echoes(t, terminal) {
		t.Error("echo stays off")
	}
	screen := make([]byte, 256)
	n, err := keyboard.Read(screen)
	if err != nil || bytes.Contains(screen[:n], []byte("hunter2")) {
		t.Errorf("the screen shows %q, %v", screen[:n], err)
	}
}

func TestConsoleRestoresAnAbandonedRead(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openPTY(t)
	console, _ := NewConsole(terminal)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = console.ReadSecret()
	}()
	for deadline := time.Now().Add(5 * time.Second); echoes(t, terminal); {
		if time.Now().After(deadline) {
			t.Fatal("echo stays on")
		}
	}
	console.Restore()
	if !echoes(t, terminal) {
		t.Error("echo stays off after a cancelled question")
	}
	if _, err := keyboard.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	<-done
}
