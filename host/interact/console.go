package interact

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// maxLine bounds one typed answer, in bytes.
const maxLine = 64 << 10

// Console reads from a real terminal.
type Console struct {
	file *os.File

	mu    sync.Mutex
	saved *term.State // while typing is hidden
}

// NewConsole returns a Console on f, and whether f is a terminal.
func NewConsole(f *os.File) (*Console, bool) {
	return &Console{file: f}, term.IsTerminal(int(f.Fd()))
}

// ReadLine reads to the next end of line, byte by byte. It never reads ahead, because
// the following text may be a secret that ReadSecret has to hide.
func (c *Console) ReadLine() (string, error) {
	var text []byte
	var one [1]byte
	for {
		n, err := c.file.Read(one[:])
		if n == 1 && one[0] != '\n' {
			if text = append(text, one[0]); len(text) > maxLine {
				return "", errors.New("the line is too long")
			}
			continue
		}
		if err != nil && (len(text) == 0 || !errors.Is(err, io.EOF)) {
			return "", err
		}
		return strings.TrimRight(string(text), "\r"), nil
	}
}

// Hide turns echo off, until Restore or the end of the next ReadSecret.
func (c *Console) Hide() error {
	fd := int(c.file.Fd())
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved == nil {
		state, err := term.GetState(fd)
		if err != nil {
			return err
		}
		c.saved = state
	}
	return HideTyping(fd)
}

// ReadSecret reads the line that Hide was called for, and turns echo on again. It does
// not hide typing itself: a Restore that came just before would be undone, and the
// terminal left without echo.
func (c *Console) ReadSecret() (string, error) {
	defer c.Restore()
	return c.ReadLine()
}

// Restore turns echo on again if typing is hidden.
func (c *Console) Restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.saved != nil {
		_ = term.Restore(int(c.file.Fd()), c.saved) // there is no better reaction to a terminal that refuses
		c.saved = nil
	}
}
