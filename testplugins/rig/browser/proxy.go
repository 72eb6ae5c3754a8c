package browser

import (
	"bufio"
	"net"
	"strings"
	"sync"
)

// Proxy is a proxy that leads nowhere: it keeps the first line of each request, and answers
// none. It is safe for concurrent use.
type Proxy struct {
	l    net.Listener
	done sync.WaitGroup

	mu    sync.Mutex
	asked []string
}

// NewProxy returns a proxy on an address of this machine.
func NewProxy() (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // no name is resolved
	if err != nil {
		return nil, err
	}
	p := &Proxy{l: l}
	p.done.Go(p.accept)
	return p, nil
}

func (p *Proxy) accept() {
	for {
		conn, err := p.l.Accept()
		if err != nil {
			return
		}
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil {
			p.mu.Lock()
			p.asked = append(p.asked, strings.TrimSpace(line))
			p.mu.Unlock()
		}
		_ = conn.Close() // nobody is answered
	}
}

// Address is what a browser is told of it.
func (p *Proxy) Address() string { return "http://" + p.l.Addr().String() }

// Asked returns what it was asked for.
func (p *Proxy) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.asked...)
}

// Close ends it.
func (p *Proxy) Close() {
	_ = p.l.Close() // the end of a test
	p.done.Wait()
}
