package storage

import (
	"bytes"
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

// A commit whose answer is lost is asked about, and told as what it became.
func TestServerCommitIsAskedAbout(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Database(t, migrated)
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	const socket = ".s.PGSQL.5432"
	c := &cutter{server: filepath.Join(u.Query().Get("host"), socket)}
	dir := shortDir(t)
	l, err := net.Listen("unix", filepath.Join(dir, socket))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.open.Wait)
	t.Cleanup(func() { _ = l.Close() })
	c.open.Go(func() { c.serve(l) })
	u.RawQuery = url.Values{"host": {dir}}.Encode()
	x := host(t, u.String(), Options{})

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
