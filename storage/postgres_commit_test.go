package storage

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// cutter stands between a host and its server, and cuts the connection at one commit:
// before the server gets it, or before the host gets the answer.
type cutter struct {
	server string // the socket
	cut    atomic.Int32
	down   atomic.Bool   // every connection is closed at once
	turned chan struct{} // 1: one was
	open   sync.WaitGroup
}

const (
	cutNothing = iota
	cutRequest
	cutAnswer
)

func (c *cutter) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		c.open.Go(func() { c.relay(conn) })
	}
}

func (c *cutter) relay(client net.Conn) {
	defer client.Close() //nolint:errcheck // cut, too
	if c.down.Load() {
		select {
		case c.turned <- struct{}{}:
		default:
		}
		return
	}
	server, err := net.Dial("unix", c.server)
	if err != nil {
		return
	}
	defer server.Close() //nolint:errcheck // cut, too
	c.open.Go(func() {
		_, _ = io.Copy(client, server)
		_ = client.Close()
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		how := int32(cutNothing)
		if bytes.Contains(buf[:n], []byte("COMMIT\x00")) {
			how = c.cut.Swap(cutNothing)
		}
		switch how {
		case cutRequest:
			return
		case cutAnswer:
			_ = client.Close()
		}
		if _, err := server.Write(buf[:n]); err != nil || how == cutAnswer {
			// The server has what it was sent, and ends when it reads the end of it.
			return
		}
	}
}

// through makes a host whose connections go through a cutter, and returns the server's own
// address beside it.
func through(t *testing.T) (*exercise, *cutter, string) {
	t.Helper()
	dsn := pgtest.Database(t, migrated)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	c := &cutter{server: filepath.Join(u.Query().Get("host"), socket), turned: make(chan struct{}, 1)}
	dir := shortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.open.Wait)
	t.Cleanup(func() { _ = l.Close() })
	c.open.Go(func() { c.serve(l) })
	u.RawQuery = url.Values{"host": {dir}}.Encode()
	return host(t, u.String(), Options{}), c, dsn
}

// A commit whose answer is lost is asked about, and told as what it became.
func TestServerCommitIsAskedAbout(t *testing.T) {
	t.Parallel()
	x, c, _ := through(t)
	w := x.begin("c")
	x.put(w, 0, "a=1")
	c.cut.Store(cutAnswer)
	x.ok(w.Flush(t.Context()))
	x.same(w.Counts()[0].New, 1)
	c.cut.Store(cutRequest)
	x.put(w, 0, "b=2")
	x.code(w.Flush(t.Context()), abi.CodeStoreUnavailable)
	x.same(x.list("c", "a"), "1:a=1")
	x.ok(w.Finish(t.Context(), Outcome{Status: "failed", Reason: "runtime_error"}))
	x.sound()
}

// A server that is started again while a run writes costs the run nothing.
func TestServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	x, c, dsn := through(t)
	w := x.begin("c")
	x.put(w, 0, "a=1")
	x.ok(w.Flush(t.Context()))
	c.down.Store(true)
	x.ok(pgtest.Run(dsn, endOthers))
	x.put(w, 0, "b=2")
	flushed := make(chan error, 1)
	go func() { flushed <- w.Flush(context.Background()) }()
	<-c.turned
	c.down.Store(false)
	x.ok(<-flushed)
	x.finish(w)
	x.same(x.list("c", "a"), "1:a=1 2:b=2")
	x.sound()
}
