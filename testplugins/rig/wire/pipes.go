package wire

import "net"

// Pipes is a listener of connections within the process, whose time a test owns.
type Pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

// NewPipes returns a listener that nobody has dialed yet.
func NewPipes() *Pipes { return &Pipes{make(chan net.Conn), make(chan struct{})} }

// Accept implements net.Listener.
func (p *Pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipes) Close() error { close(p.done); return nil }

// Addr implements net.Listener.
func (p *Pipes) Addr() net.Addr { return &net.TCPAddr{} }

// Dial returns the near end of a connection that Accept returns the far end of.
func (p *Pipes) Dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}
