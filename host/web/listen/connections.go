package listen

import (
	"context"
	"net"
	"net/http"
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
	maxConnections  = 2048
	maxFromAddress  = 32
	maxFromLoopback = 192
	maxProven       = 1024
)

// bounded is a listener that has room for so many connections. A connection that finds none
// takes the place of another one on which no credential was shown, see last: who holds many and says
// nothing locks nobody out. It lets nobody wait: who waits keeps the place of the next as well.
type bounded struct {
	net.Listener
	most int // connections on which no credential was shown

	mu     sync.Mutex
	open   []*counted // the oldest first
	shares map[netip.Prefix]*share
	proven int
}

// share is what one address has of the connections on which no credential was shown.
type share struct{ n int }

// counted is one connection that has a place.
type counted struct {
	net.Conn
	of     *bounded
	from   netip.Prefix
	share  *share      // nil: a credential was shown on it, and there was room
	proven atomic.Bool // the same, for who has no lock
	busy   atomic.Bool // a request is read or answered
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
	most := maxFromAddress
	if c.from.Addr().IsLoopback() {
		most = maxFromLoopback
	}
	if b.shares == nil {
		b.shares = map[netip.Prefix]*share{}
	}
	c.share = b.shares[c.from]
	if c.share == nil {
		c.share = &share{}
		b.shares[c.from] = c.share
	}
	if c.share.n >= most {
		last = b.last(c.share)
	} else if len(b.open)-b.proven >= b.most {
		last = b.last(nil)
	}
	b.drop(last)
	c.share.n++
	b.shares[c.from] = c.share // drop may have taken it away
	b.open = append(b.open, c)
	return last
}

// last returns the connection whose place is given away, of one address where its share is full: of the address that has
// most, then one that waits for a request before one that has one, then the one that has been open longest.
func (b *bounded) last(of *share) *counted {
	var last *counted
	for _, o := range b.open {
		if o.share == nil || of != nil && o.share != of {
			continue
		}
		if last == nil || o.share.n > last.share.n || o.share.n == last.share.n && last.busy.Load() && !o.busy.Load() {
			last = o
		}
	}
	return last
}

// drop takes the place of a connection back, once.
func (b *bounded) drop(c *counted) {
	i := slices.Index(b.open, c)
	if i < 0 {
		return
	}
	b.open = slices.Delete(b.open, i, i+1)
	b.leave(c)
}

// leave takes a connection out of its address's share, or from those that are proven.
func (b *bounded) leave(c *counted) {
	if c.share == nil {
		b.proven--
		return
	}
	if c.share.n--; c.share.n == 0 {
		delete(b.shares, c.from)
	}
}

// prove gives a connection a place among the proven ones, where there is room.
func (b *bounded) prove(c *counted) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.share == nil || b.proven >= maxProven || !slices.Contains(b.open, c) {
		return
	}
	b.leave(c)
	b.proven++
	c.share = nil
	c.proven.Store(true)
}

// Close closes the connection, and makes room once.
func (c *counted) Close() error {
	b := c.of
	b.mu.Lock()
	b.drop(c)
	b.mu.Unlock()
	return c.Conn.Close()
}

// connKey is under which a request's context has its connection.
type connKey struct{}

// WithConnection keeps with the requests of a connection which one it is.
func WithConnection(ctx context.Context, conn net.Conn) context.Context {
	if c := countedOf(conn); c != nil {
		return context.WithValue(ctx, connKey{}, c)
	}
	return ctx
}

// Watch keeps whether a connection has a request. It is a server's ConnState.
func Watch(conn net.Conn, state http.ConnState) {
	if c := countedOf(conn); c != nil {
		c.busy.Store(state == http.StateActive)
	}
}

func countedOf(conn net.Conn) *counted {
	if s, ok := conn.(interface{ NetConn() net.Conn }); ok { // of TLS
		conn = s.NetConn()
	}
	c, _ := conn.(*counted)
	return c
}

// Prove keeps that a credential was shown on a request's connection.
func Prove(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*counted); ok && !c.proven.Load() {
		c.of.prove(c)
	}
}
