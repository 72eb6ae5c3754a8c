package roles

import (
	"context"
	"errors"
	"net"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/browser/wall"
)

// Behind returns the Dialer of a wall: next, for the hosts that may be reached.
func (r *Roles) Behind(next wall.Dialer) wall.Dialer { return &dialer{r, next} }

type dialer struct {
	roles *Roles
	next  wall.Dialer
}

// Dial connects to hostport.
func (d *dialer) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		return nil, err
	}
	if err := d.roles.reaches(host); err != nil {
		return nil, err
	}
	far, err := d.next.Dial(ctx, hostport)
	if err != nil {
		return nil, err
	}
	c := d.roles.enter(host, far)
	if c == nil { // it has ended meanwhile
		_ = far.Close()
		return nil, hostRefused()
	}
	return c, nil
}

// enter takes a connection to a host in that may be an owner's exception; nil: the exception has ended.
func (r *Roles) enter(host string, far net.Conn) net.Conn {
	if r.Of(host) != "" {
		return far
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if !r.allowed[strings.TrimSuffix(strings.ToLower(host), ".")] {
		return nil
	}
	c := &excepted{far, r}
	if r.open == nil {
		r.open = map[*excepted]bool{}
	}
	r.open[c] = true
	return c
}

// excepted is a connection to a host that an owner has allowed.
type excepted struct {
	net.Conn

	roles *Roles
}

// Close ends it.
func (c *excepted) Close() error {
	c.roles.lock.Lock()
	delete(c.roles.open, c)
	c.roles.lock.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends one direction.
func (c *excepted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}
