//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package interact

import "golang.org/x/sys/unix"

// HideTyping turns a terminal's echo off; line editing and Ctrl-C work. It is called before the question for a secret is shown, because
// reading without echo begins after it, and text typed or pasted between the two would
// be visible. The caller restores fd's earlier state (term.GetState).
func HideTyping(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	t.Lflag |= unix.ICANON | unix.ISIG
	t.Iflag |= unix.ICRNL
	return unix.IoctlSetTermios(fd, setTerminal, t)
}
