package postgres

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// unanswered ends a connection whose other end acknowledges nothing for as long as that.
func unanswered(_, _ string, c syscall.RawConn) (err error) {
	cerr := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	})
	if err == unix.EOPNOTSUPP || err == unix.ENOPROTOOPT { //nolint:errorlint // of the call itself: a socket that is not TCP's
		err = nil
	}
	if err == nil {
		err = cerr
	}
	return err
}
