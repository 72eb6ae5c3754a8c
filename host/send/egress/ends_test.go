package egress

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// dialled is a Guard in front of a server that writes its answers byte by byte:
// answer is called for each request of a connection, numbered from 1, until it
// returns false, which closes the connection.
func dialled(t *testing.T, answer func(conn net.Conn, n int, path string) bool) (*Guard, string) {
	t.Helper()
	var line net.ListenConfig
	listener, err := line.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				from := bufio.NewReader(conn)
				for n := 1; ; n++ {
					req, err := http.ReadRequest(from)
					if err != nil || !answer(conn, n, req.URL.Path) {
						return
					}
				}
			}()
		}
	}()
	address := listener.Addr().String()
	g, err := New(Policy{AllowPrivate: []string{address}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.Close()
		_ = listener.Close()
		<-ended
	})
	return g, "http://" + address
}

// within fails the test when do has not returned after a time that no machine
// needs.
func within(t *testing.T, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
	}
}

// endless reports whether an answer has a body that goes on until the connection
// is closed (RFC 9112, 6.3).
func endless(status int, shape string) bool {
	return shape == "upgrade" && status >= 200 && status != http.StatusNoContent && status != http.StatusNotModified
}

// Every status ends: without a body, with one, and with one that never ends, which
// ends with the request's context.
func TestEveryStatusEnds(t *testing.T) {
	t.Parallel()
	g, address := dialled(t, func(conn net.Conn, _ int, path string) bool {
		var status int
		var shape string
		if _, err := fmt.Sscanf(path, "/%d/%s", &status, &shape); err != nil {
			return false
		}
		head := fmt.Sprintf("HTTP/1.1 %d Said\r\nConnection: Upgrade, close\r\n", status)
		switch shape {
		case "empty":
			head += "Content-Length: 0\r\n\r\n"
		case "upgrade":
			head += "Upgrade: h2c\r\n\r\n"
		case "body":
			head += "Content-Length: 2\r\n\r\nok"
		}
		if status < 200 && status != http.StatusSwitchingProtocols {
			head = fmt.Sprintf("HTTP/1.1 %d Said\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", status)
		}
		_, _ = io.WriteString(conn, head)
		if endless(status, shape) || status == http.StatusSwitchingProtocols {
			_, _ = io.Copy(io.Discard, conn) // until the other side has gone
		}
		return false
	})
	for status := 100; status <= 599; status++ {
		for _, shape := range []string{"empty", "body", "upgrade"} {
			what := fmt.Sprintf("/%d/%s", status, shape)
			within(t, what, func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+what, http.NoBody)
				if err != nil {
					t.Error(err)
					return
				}
				resp, err := g.RoundTrip(req)
				if status == http.StatusSwitchingProtocols {
					if abi.CodeOf(err) != CodeUpgradeRefused {
						t.Errorf("%s: %v, want %s", what, err, CodeUpgradeRefused)
					}
					return
				}
				if err != nil {
					t.Errorf("%s: %v, want an answer", what, err)
					return
				}
				defer resp.Body.Close()
				final, never := status, endless(status, shape)
				if status < 200 {
					final = http.StatusOK
				}
				if never {
					cancel()
				}
				if _, err := io.ReadAll(resp.Body); resp.StatusCode != final || never != errors.Is(err, context.Canceled) {
					t.Errorf("%s: status %d, %v; want %d, and cancelled %v", what, resp.StatusCode, err, final, never)
				}
			})
		}
	}
}

// stuck is a body that ends when it is closed, and for no other reason.
type stuck struct{ *io.PipeReader }

// Reading a body ends with the request's context, whatever is under it.
func TestBodyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, encoding := range []string{"", "gzip"} {
		from, to := io.Pipe()
		defer to.Close()
		ctx, cancel := context.WithCancelCause(t.Context())
		resp := &http.Response{Header: http.Header{"Content-Encoding": {encoding}}, ContentLength: -1, Body: stuck{from}}
		g := &Guard{options: Options{MaxWireBytes: 10, MaxWholeBytes: 10}}
		if err := g.bound(ctx, cancel, resp); err != nil {
			t.Fatal(err)
		}
		gone := errors.New("the run has ended")
		within(t, "a body of encoding "+encoding, func() {
			go cancel(gone)
			if _, err := resp.Body.Read(make([]byte, 1)); !errors.Is(err, gone) {
				t.Errorf("%q: %v, want %v", encoding, err, gone)
			}
		})
		_ = resp.Body.Close()
	}
}

// A request whose connection is cut after it was written is not written again:
// the next one is another attempt, which its caller counts and paces.
func TestOneRequestIsWrittenOnce(t *testing.T) {
	t.Parallel()
	var arrived atomic.Int64
	g, address := dialled(t, func(conn net.Conn, n int, _ string) bool {
		arrived.Add(1)
		if n > 1 {
			return false // every connection answers once and is then cut
		}
		_, err := io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		return err == nil
	})
	cut := 0
	for range 20 {
		if _, _, err := get(t, g, address); errors.Is(err, io.ErrUnexpectedEOF) {
			cut++
		} else if err != nil {
			t.Errorf("%v, want %v", err, io.ErrUnexpectedEOF)
		}
	}
	if arrived.Load() != 20 || cut != 10 {
		t.Errorf("%d requests arrived and %d were cut, want 20 and 10", arrived.Load(), cut)
	}
}

// refusing is an HTTP/2 server that refuses every stream (RFC 9113, 8.7), which
// net/http answers by sending it again.
func refusing(conn net.Conn, arrived *atomic.Int64) {
	const headers, reset, settings, ack, refusedStream = 1, 3, 4, 1, 7
	frame := func(kind, flags byte, stream, payload []byte) error {
		_, err := conn.Write(slices.Concat([]byte{0, 0, byte(len(payload)), kind, flags}, stream, payload))
		return err
	}
	preface := make([]byte, len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
	_, err := io.ReadFull(conn, preface)
	if err == nil {
		err = frame(settings, 0, make([]byte, 4), nil)
	}
	for head := make([]byte, 9); err == nil; {
		if _, err = io.ReadFull(conn, head); err != nil {
			return
		}
		if _, err = io.CopyN(io.Discard, conn, int64(head[0])<<16|int64(head[1])<<8|int64(head[2])); err != nil {
			return
		}
		switch {
		case head[3] == settings && head[4]&ack == 0:
			err = frame(settings, ack, make([]byte, 4), nil)
		case head[3] == headers:
			arrived.Add(1)
			err = frame(reset, 0, head[5:9], []byte{0, 0, 0, refusedStream})
		}
	}
}

func TestOneRequestIsWrittenOnceOverHTTP2(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	config := server.TLS.Clone()
	config.NextProtos = []string{"h2"}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var arrived atomic.Int64
	accepted, ended := make(chan net.Conn, 1), make(chan struct{})
	go func() {
		defer close(ended)
		if conn, err := listener.Accept(); err == nil {
			accepted <- conn
			refusing(conn, &arrived)
		}
	}()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	address := listener.Addr().String()
	g, err := New(Policy{AllowPrivate: []string{address}}, Options{TLS: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	_, _, err = get(t, g, "https://"+address)
	if arrived.Load() != 1 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%d streams arrived (%v), want 1 and %v", arrived.Load(), err, io.ErrUnexpectedEOF)
	}
	_ = listener.Close()
	_ = (<-accepted).Close()
	<-ended
}
