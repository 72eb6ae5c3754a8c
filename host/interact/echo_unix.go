//go:build linux || darwin || dragonfly || freebsd || netbsd || openbsd

package interact

import "golang.org/x/sys/unix"

// HideTyping turns a terminal's echo off, and leaves the rest of it as it is: lines
// are edited and Ctrl-C stops, as before. It is called before a secret is asked for,
// because reading without echo begins after the question is on the screen, and what is
// typed or pasted between the two would be shown. fd's state of before (term.GetState)
// turns it on again.
func HideTyping(fd int) error {
	t, err := unix.IoctlGetTermios(fd, getTerminal)
	if err != nil {
		return err
	}
	t.Lflag &^= unix.ECHO
	return unix.IoctlSetTermios(fd, setTerminal, t)
}
