package api

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// writePair writes a certificate of its own for 127.0.0.1 and the key of it.
func writePair(t *testing.T, dir, name string) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &k.PublicKey, k)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return cert, key, pool
}

// Without TLS only this machine itself is listened to.
func TestListeningInTheClearStaysHere(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:0", "127.9.9.9:0", "localhost:0", "[::ffff:127.0.0.1]:0"} {
		l, err := Listen(t.Context(), Listening{Address: address})
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
		l, err := Listen(t.Context(), Listening{Address: address})
		if err == nil {
			_ = l.Close()
		}
		if abi.CodeOf(err) != CodeListenRefused || !strings.Contains(err.Error(), "in the clear") {
			t.Errorf("%s: %v", address, err)
		}
	}
	dir := t.TempDir()
	cert, key, _ := writePair(t, dir, "any")
	l, err := Listen(t.Context(), Listening{Address: ":0", Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
}

func TestWhatCannotBeListenedOn(t *testing.T) {
	t.Parallel()
	taken, err := Listen(t.Context(), Listening{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	dir := t.TempDir()
	cert, key, _ := writePair(t, dir, "any")
	_, other, _ := writePair(t, t.TempDir(), "other")
	for name, tc := range map[string]struct {
		at   Listening
		code abi.Code
	}{
		"taken":          {Listening{Address: taken.Addr().String()}, CodeAddressInUse},
		"no port":        {Listening{Address: "127.0.0.1"}, abi.CodeUsage},
		"a named port":   {Listening{Address: "127.0.0.1:http"}, abi.CodeUsage},
		"a large port":   {Listening{Address: "127.0.0.1:65536"}, abi.CodeUsage},
		"no such name":   {Listening{Address: "no-such-name.invalid:0"}, CodeListenFailed},
		"not ours":       {Listening{Address: "192.0.2.1:0", Cert: cert, Key: key}, CodeListenFailed},
		"no key":         {Listening{Address: "127.0.0.1:0", Cert: cert}, CodeTLSInvalid},
		"no certificate": {Listening{Address: "127.0.0.1:0", Key: key}, CodeTLSInvalid},
		"another's key":  {Listening{Address: "127.0.0.1:0", Cert: cert, Key: other}, CodeTLSInvalid},
		"missing files":  {Listening{Address: "127.0.0.1:0", Cert: cert + "x", Key: key}, CodeTLSInvalid},
	} {
		l, err := Listen(t.Context(), tc.at)
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
	cert, key, _ := writePair(t, dir, "first")
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
	writePair(t, dir, "second")
	if got := c.current(); got == first {
		t.Error("the renewed pair is not served")
	}
}

// A new connection beyond the limit closes the one that has been silent longest, from
// the same address when that address is over its own limit. A connection that has
// shown a credential stays open.
func TestConnectionsAreBounded(t *testing.T) {
	t.Parallel()
	in := newPipes()
	b := &bounded{Listener: in}
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
		near = in.dial()
		all = append(all, near)
		far, _ = (<-accepted).(*counted)
		return near, far
	}
	proven, first := next()
	first.proven.Store(true)
	silent, _ := next()
	for range maxFromAddress - 2 {
		_, c := next()
		c.proven.Store(true)
	}
	_, last := next()
	if _, err := silent.Read(make([]byte, 1)); err == nil {
		t.Error("the one that said nothing is not hung up on")
	}
	if n := len(b.open); n != maxFromAddress {
		t.Errorf("%d are counted, want %d", n, maxFromAddress)
	}
	last.proven.Store(true)
	extra := in.dial()
	if _, err := extra.Read(make([]byte, 1)); err == nil {
		t.Error("one too many is not hung up on, although each of the others has shown a credential")
	}
	_ = first.Close()
	_ = first.Close() // twice makes room once
	if n := len(b.open); n != maxFromAddress-1 {
		t.Errorf("%d are counted after one went, want %d", n, maxFromAddress-1)
	}
	next()
	_ = in.Close()
	if _, more := <-accepted; more {
		t.Error("it accepts when it is closed")
	}
	for _, c := range append(all, proven, extra) {
		_ = c.Close()
	}
}

// Three hundred connections of one machine that say nothing lock no device out.
func TestSilentConnectionsLockNobodyOut(t *testing.T) {
	t.Parallel()
	l, err := Listen(t.Context(), Listening{Address: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	p := newHost(t).installing().public(t)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, p.API, slog.New(slog.DiscardHandler)) }()
	var d net.Dialer
	for range 300 {
		conn, err := d.DialContext(t.Context(), "tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write([]byte("POST /_ref HTTP/1.1\r\nHost: h\r\n")) // some are hung up on
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+l.Addr().String()+device.PathState(p.DeviceID, p.SourceInstanceID), nil)
	if err != nil {
		t.Fatal(err)
	}
	p.credential(r)
	r.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport, Timeout: headerTime / 2}).Do(r)
	if err != nil {
		t.Fatalf("a device beside 300 silent connections: %v, want an answer", err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("a device was answered %d, want 200", res.StatusCode)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
