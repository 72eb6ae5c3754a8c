package listen

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
)

// maxConnections bounds the connections on which no credential was shown, so that those who
// hold them and say nothing take no more than these. One address has no more than a part of
// them; this machine's own, from which a reverse proxy brings everybody, more. maxProven
// bounds those on which one was: 500 pages and programs may watch events at once (OC-10).
const (
	maxConnections  = 256
	maxFromAddress  = 32
	maxFromLoopback = 192
	maxProven       = 1024
)

// bounded is a listener that has room for so many connections. A connection that finds none
// takes the place of the one that has been open longest without showing a credential: who
// holds many and says nothing locks nobody out. It lets nobody wait: who waits keeps the
// place of the next as well.
type bounded struct {
	net.Listener

	mu   sync.Mutex
	open []*counted // the oldest first
}

// counted is one connection that has a place.
type counted struct {
	net.Conn
	of     *bounded
	from   netip.Prefix
	proven atomic.Bool // a credential was shown on it, and there was room
}

// Accept returns the next connection.
func (b *bounded) Accept() (net.Conn, error) {
	conn, err := b.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &counted{Conn: conn, of: b, from: AddressOf(conn.RemoteAddr().String())}
	if last := b.take(c); last != nil {
		_ = last.Conn.Close() // nobody knows what it wanted
	}
	return c, nil
}

// take gives a connection a place, if need be that of last.
func (b *bounded) take(c *counted) (last *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	most, same, strangers := maxFromAddress, 0, 0
	if c.from.Addr().IsLoopback() {
		most = maxFromLoopback
	}
	for _, o := range b.open {
		if o.proven.Load() {
			continue
		}
		strangers++
		if o.from == c.from {
			same++
		}
	}
	if same >= most || strangers >= maxConnections {
		i := slices.IndexFunc(b.open, func(o *counted) bool { return !o.proven.Load() && (same < most || o.from == c.from) })
		last = b.open[i]
		b.open = slices.Delete(b.open, i, i+1)
	}
	b.open = append(b.open, c)
	return last
}

// prove gives a connection a place among the proven ones, where there is room.
func (b *bounded) prove(c *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	proven := 0
	for _, o := range b.open {
		if o.proven.Load() {
			proven++
		}
	}
	if proven < maxProven {
		c.proven.Store(true)
	}
}

// Close closes the connection, and makes room once.
func (c *counted) Close() error {
	b := c.of
	b.mu.Lock()
	b.open = slices.DeleteFunc(b.open, func(o *counted) bool { return o == c })
	b.mu.Unlock()
	return c.Conn.Close()
}

// connKey is under which a request's context has its connection.
type connKey struct{}

// WithConnection keeps with the requests of a connection which one it is.
func WithConnection(ctx context.Context, conn net.Conn) context.Context {
	if s, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
		conn = s.NetConn()
	}
	if c, ok := conn.(*counted); ok {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// Prove keeps that a credential was shown on a request's connection.
func Prove(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*counted); ok && !c.proven.Load() {
		c.of.prove(c)
	}
}
