package listen

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// OC-03.3: without TLS only this machine itself is listened to.
func TestListeningInTheClearStaysHere(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "127.9.9.9:0", "localhost:0", "[::ffff:127.0.0.1]:0"} {
		l, err := Open(t.Context(), Options{Address: address})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		at, ok := l.Addr().(*net.TCPAddr)
		if !ok || !at.IP.IsLoopback() || at.Port == 0 {
			t.Errorf("%s listens on %v", address, l.Addr())
		}
		_ = l.Close()
	}
	for _, address := range []string{":0", "0.0.0.0:0", "[::]:0", "192.0.2.1:0", "10.0.0.1:80"} {
		l, err := Open(t.Context(), Options{Address: address})
		if err == nil {
			_ = l.Close()
		}
		if abi.CodeOf(err) != CodeRefused || !strings.Contains(err.Error(), "in the clear") {
			t.Errorf("%s: %v", address, err)
		}
	}
	dir := t.TempDir()
	cert, key, _ := wire.WriteCertificate(t, dir, "any")
	l, err := Open(t.Context(), Options{Address: ":0", Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

func TestWhatCannotBeListenedOn(t *testing.T) {
	t.Parallel()
	taken, err := Open(t.Context(), Options{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	cert, key, _ := wire.WriteCertificate(t, dir, "any")
	_, other, _ := wire.WriteCertificate(t, t.TempDir(), "other")
	for name, tc := range map[string]struct {
		at   Options
		code abi.Code
	}{
		"taken":          {Options{Address: taken.Addr().String()}, CodeAddressInUse},
		"no port":        {Options{Address: "127.0.0.1"}, abi.CodeUsage},
		"a named port":   {Options{Address: "127.0.0.1:http"}, abi.CodeUsage},
		"a large port":   {Options{Address: "127.0.0.1:65536"}, abi.CodeUsage},
		"no such name":   {Options{Address: "no-such-name.invalid:0"}, CodeFailed},
		"not ours":       {Options{Address: "192.0.2.1:0", Cert: cert, Key: key}, CodeFailed},
		"no key":         {Options{Address: "127.0.0.1:0", Cert: cert}, CodeTLSInvalid},
		"no certificate": {Options{Address: "127.0.0.1:0", Key: key}, CodeTLSInvalid},
		"another's key":  {Options{Address: "127.0.0.1:0", Cert: cert, Key: other}, CodeTLSInvalid},
		"missing files":  {Options{Address: "127.0.0.1:0", Cert: cert + "x", Key: key}, CodeTLSInvalid},
	} {
		l, err := Open(t.Context(), tc.at)
		if err == nil {
			_ = l.Close()
		}
		if abi.CodeOf(err) != tc.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// While a pair is being renewed its halves do not fit: the one before goes on.
func TestAHalfRenewedPairIsNotServed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, _ := wire.WriteCertificate(t, dir, "first")
	c := &certificate{cert: cert, key: key}
	if err := c.load(); err != nil {
		t.Fatal(err)
	}
	first := c.current()
	later := time.Now().Add(time.Minute)
	if err := os.WriteFile(key, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(key, later, later); err != nil {
		t.Fatal(err)
	}
	if c.current() != first {
		t.Error("a pair that does not fit is served")
	}
	wire.WriteCertificate(t, dir, "second")
	if got := c.current(); got == first {
		t.Error("the renewed pair is not served")
	}
}

// OC-10: 500 connections that have shown a credential stay open, whatever strangers do, and
// each new stranger beyond the limit closes the one that has been silent longest.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	in := wire.NewPipes()
	b := &bounded{Listener: in, most: maxConnections}
	accepted := make(chan net.Conn)
	go func() {
		for {
			conn, err := b.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- conn
		}
	}()
	var all []net.Conn
	next := func() (near net.Conn, far *counted) {
		near = in.Dial()
		all = append(all, near)
		far, _ = (<-accepted).(*counted)
		return near, far
	}
	proves := func(c *counted) { Prove(WithConnection(t.Context(), c)) }
	silent, _ := next()
	var streams []*counted
	for range 500 {
		_, c := next()
		proves(c)
		streams = append(streams, c)
	}
	for range maxFromAddress {
		next()
	}
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("the one that said nothing: got it open, want it hung up on")
	}
	if got, want := len(b.open), len(streams)+maxFromAddress; got != want {
		t.Errorf("connections: got %d counted, want %d", got, want)
	}
	for i, c := range streams {
		if !slices.Contains(b.open, c) {
			t.Fatalf("stream %d: got it hung up on, want it open", i)
		}
	}
	for range maxProven {
		_, c := next()
		proves(c)
	}
	if got, most := len(b.open), maxProven+maxFromAddress; got > most {
		t.Errorf("many that show a credential: got %d counted, want at most %d", got, most)
	}
	before := len(b.open)
	_ = streams[0].Close()
	_ = streams[0].Close() // twice makes room once
	if got, want := len(b.open), before-1; got != want {
		t.Errorf("after one went: got %d counted, want %d", got, want)
	}
	_ = in.Close()
	if _, more := <-accepted; more {
		t.Error("it accepts when it is closed")
	}
	for _, c := range all {
		_ = c.Close()
	}
}

// RD-57: when no place is left, the address that has most gives one, and then who waits for a request before who has one: strangers of
// any number of addresses hang up on nobody whose request is answered.
func TestWhoGivesWay(t *testing.T) {
	t.Parallel()
	b := &bounded{most: 4}
	add := func(from string, busy bool) (c, last *counted) {
		c = &counted{Conn: nobody{}, of: b, from: AddressOf(from)}
		last = b.take(c)
		if busy {
			Watch(c, http.StateActive)
		}
		return c, last
	}
	honest, _ := add("192.0.2.1:1", true)
	idle, _ := add("192.0.2.2:1", true)
	Watch(idle, http.StateIdle)
	_, _ = add("192.0.2.3:1", true)
	second, _ := add("192.0.2.3:2", false)
	for i, want := range []*counted{second, idle, honest} { // at last all are alike, and the oldest goes
		if _, last := add(fmt.Sprintf("192.0.2.%d:1", 10+i), true); last != want {
			t.Errorf("newcomer %d: got the place of %v, want that of %v", i, last.from, want.from)
		}
	}
	if len(b.open) != 4 {
		t.Errorf("got %d connections, want 4", len(b.open))
	}
	for _, c := range slices.Clone(b.open) {
		_ = c.Close()
	}
	if len(b.open) != 0 || len(b.shares) != 0 || b.proven != 0 {
		t.Errorf("got %d connections, %d shares and %d proven when all are closed, want none", len(b.open), len(b.shares), b.proven)
	}
}

// An address that has its share gives a place of its own, also beside a proxy on this machine that has more.
func TestAnAddressGivesItsOwnPlace(t *testing.T) {
	t.Parallel()
	b := &bounded{most: maxConnections}
	add := func(from string) (last *counted) {
		return b.take(&counted{Conn: nobody{}, of: b, from: AddressOf(from)})
	}
	for i := range maxFromAddress + maxFromAddress + 1 {
		from := "127.0.0.1:1"
		if i > maxFromAddress {
			from = "192.0.2.1:1"
		}
		if last := add(from); last != nil {
			t.Fatalf("connection %d: got the place of %v, want its own", i, last.from)
		}
	}
	if last := add("192.0.2.1:1"); last == nil || last.from != AddressOf("192.0.2.1:1") {
		t.Errorf("got the place of %v, want one of the same address", last)
	}
}

// nobody is a connection to no one.
type nobody struct{ net.Conn }

func (nobody) Close() error { return nil }

func TestAddresses(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"192.0.2.1:7": "192.0.2.1/32", "[::ffff:192.0.2.1]:7": "192.0.2.1/32", "[2001:db8::1%eth0]:7": "2001:db8::/64", "@": "invalid Prefix", "": "invalid Prefix",
	} {
		if got := AddressOf(remote); got.String() != want {
			t.Errorf("%q is %v, want %s", remote, got, want)
		}
	}
	if AddressOf("") != (netip.Prefix{}) {
		t.Error("who has no address is nobody in common")
	}
}
