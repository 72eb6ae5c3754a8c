package wall

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"sync/atomic"
	"time"
)

// socket is a tunnel that may be a WebSocket's, which no gate sees (BR-08.3).
type socket struct {
	wall *Wall
	is   atomic.Bool
}

// enter takes a place of a WebSocket; false: there is none.
func (s *socket) enter() bool {
	select {
	case s.wall.sockets <- struct{}{}:
		s.is.Store(true)
		return true
	default:
		return false
	}
}

// leave gives the place back.
func (s *socket) leave() {
	if s.is.Load() {
		<-s.wall.sockets
	}
}

// of returns what comes of a side of the tunnel, for as long as there are bytes left for that.
func (s *socket) of(from io.Reader) io.Reader { return &metered{from, s} }

type metered struct {
	io.Reader

	socket *socket
}

var errSpent = errors.New("the WebSockets of the run have carried all that they may")

// Read reads, and counts what a WebSocket carries.
func (m *metered) Read(b []byte) (int, error) {
	n, err := m.Reader.Read(b)
	if m.socket.is.Load() && m.socket.wall.budget.Add(-int64(n)) < 0 {
		return 0, errSpent
	}
	return n, err
}

// first reads how a browser greets a server, and reports whether it greets for a WebSocket: then,
// and else only where a server has refused HTTP/2, it offers HTTP/1.1 alone. hello has what was
// read.
func first(from io.Reader) (hello io.Reader, socket bool) {
	const handshake = 22 // the first byte of TLS
	begin := make([]byte, 1)
	n, err := from.Read(begin)
	if err != nil || n == 0 || begin[0] != handshake {
		return bytes.NewReader(begin[:n]), false
	}
	var read bytes.Buffer
	greeting := io.TeeReader(io.MultiReader(bytes.NewReader(begin), from), &read)
	server := tls.Server(&listener{Reader: greeting}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			socket = slices.Equal(h.SupportedProtos, []string{"http/1.1"})
			return nil, errHeard
		},
	})
	_ = server.Handshake() //nolint:noctx // it ends with what is read: the other side closes
	return &read, socket
}

var errHeard = errors.New("heard")

// listener is a connection on which nothing is answered.
type listener struct{ io.Reader }

func (*listener) Write(b []byte) (int, error)      { return len(b), nil }
func (*listener) Close() error                     { return nil }
func (*listener) LocalAddr() net.Addr              { return nil }
func (*listener) RemoteAddr() net.Addr             { return nil }
func (*listener) SetDeadline(time.Time) error      { return nil }
func (*listener) SetReadDeadline(time.Time) error  { return nil }
func (*listener) SetWriteDeadline(time.Time) error { return nil }
