package interact

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"testing"

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
		t.Fatalf(`got %q %v, want no error && got == "ada"`, got, err)
	}
	if err := console.Hide(); err != nil {
		t.Fatal(err)
	}
	if echoes(t, terminal) {
		t.Fatal("echo is on after Hide, want off")
	}
	secret := make(chan string)
	go func() {
		got, _ := console.ReadSecret()
		secret <- got
	}()
	if _, err := keyboard.WriteString("hunter2\n"); err != nil {
		t.Fatal(err)
	}
	if got := <-secret; got != "hunter2" {
		t.Errorf(`read %q, want "hunter2"`, got)
	}
	if !echoes(t, terminal) {
		t.Error("echo stays off")
	}
	screen := make([]byte, 256)
	n, err := keyboard.Read(screen)
	if err != nil || bytes.Contains(screen[:n], []byte("hunter2")) {
		t.Errorf(`the screen shows %q, %v, want no error && !bytes.Contains(screen[:n], []byte("hunter2"))`, screen[:n], err)
	}
}

// The read may begin before or after the Restore of a question that was cancelled: echo
// stays on in both orders.
func TestConsoleRestoresAnAbandonedRead(t *testing.T) {
	t.Parallel()
	keyboard, terminal := openPTY(t)
	console, _ := NewConsole(terminal)
	if err := console.Hide(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = console.ReadSecret()
	}()
	console.Restore()
	for range 100 {
		if !echoes(t, terminal) {
			t.Fatal("echo is off after a cancelled question, want on")
		}
		runtime.Gosched()
	}
	if _, err := keyboard.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
	<-done
}
