package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// pipes is a listener of connections within the process, whose time a test owns.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.done); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial() net.Conn {
	here, there := net.Pipe()
	p.conns <- there
	return here
}

// waiting is a store that has nobody and whose answers wait to be let go.
type waiting struct {
	Store
	asked chan string
	gone  chan error
	let   chan struct{}
}

func (w waiting) DeviceByToken(context.Context, string) (*storage.Device, error) {
	return &storage.Device{ID: "dev"}, nil
}

func (w waiting) SourceInstance(context.Context, string, string) (*storage.SourceInstance, error) {
	return &storage.SourceInstance{ID: "src", DeviceID: "dev"}, nil
}

func (w waiting) RefuseDelivery(context.Context, *storage.SourceInstance, string, string) error {
	return nil
}

func (w waiting) DeviceState(ctx context.Context, _ *storage.SourceInstance, _ storage.StatePart) (map[string][]byte, string, time.Time, error) {
	w.asked <- "state"
	select {
	case <-ctx.Done():
		w.gone <- ctx.Err()
		return nil, "", time.Time{}, ctx.Err()
	case <-w.let:
		return nil, "", time.Time{}, nil
	}
}

func newWaiting() waiting {
	return waiting{asked: make(chan string, 100), gone: make(chan error, 100), let: make(chan struct{})}
}

func over(s Store) *API {
	return New(Deps{Store: s, Now: time.Now, Random: zeros{}, Logger: slog.New(slog.DiscardHandler)})
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

const stateRequest = "GET /_ref/device-exporters/dev/source-instances/src/state HTTP/1.1\r\nHost: h\r\n" +
	"X-PDPP-Collector-Protocol: 1\r\nAuthorization: Bearer ldt0000000000000000000000000000000000000000000000000000000000000000\r\n"

func statusOn(r *bufio.Reader) int {
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		return 0 // hung up
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err != nil {
		return 0
	}
	return resp.StatusCode
}

// A silent or slow client is disconnected; a client whose request takes the host too long is
// asked to come again.
func TestSlowRequests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		send   string
		lasts  time.Duration
		status int
	}{
		"says nothing":     {"", headerTime, 0},
		"headers trickle":  {"GET / HTTP/1.1\r\nHost:", headerTime, 0},
		"large headers":    {"GET / HTTP/1.1\r\nHost: h\r\nX: " + strings.Repeat("x", 64<<10) + "\r\n\r\n", 0, http.StatusRequestHeaderFieldsTooLarge},
		"body never comes": {strings.Replace(stateRequest, "GET", "PUT", 1) + "Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{", bodyTime, http.StatusRequestTimeout},
		"code never comes": {"POST /_ref/device-exporters/enroll HTTP/1.1\r\nHost: h\r\nX-PDPP-Collector-Protocol: 1\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{", codeTime, http.StatusRequestTimeout},
		"work never ends":  {stateRequest + "Connection: close\r\n\r\n", workTime, http.StatusServiceUnavailable},
		"idle connection":  {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", idleTime, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l := newPipes()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, over(newWaiting()), slog.New(slog.DiscardHandler)) }()
				conn, began := l.dial(), time.Now()
				go func() { _, _ = io.WriteString(conn, tc.send) }()
				r := bufio.NewReader(conn)
				status := statusOn(r)
				_, err := r.ReadByte() // until it hangs up
				if lasts := time.Since(began); status != tc.status || err == nil || lasts < tc.lasts || lasts > tc.lasts+5*time.Second {
					t.Errorf("%d after %v, want %d after %v, %v", status, lasts, tc.status, tc.lasts, err)
				}
				stop()
				if err := <-served; err != nil {
					t.Error(err)
				}
				_ = conn.Close()
			})
		})
	}
}

// Stopped, the server lets requests end that run, and ends those that do not.
func TestServingEnds(t *testing.T) {
	t.Parallel()
	for name, finishes := range map[string]bool{"the request ends": true, "the request hangs": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, w := newPipes(), newWaiting()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, over(w), slog.New(slog.DiscardHandler)) }()
				conn := l.dial()
				status := make(chan int, 1)
				go func() {
					_, _ = io.WriteString(conn, stateRequest+"\r\n")
					status <- statusOn(bufio.NewReader(conn))
				}()
				<-w.asked
				stop()
				began := time.Now()
				synctest.Wait()
				if finishes {
					close(w.let)
					if got := <-status; got != http.StatusOK {
						t.Errorf("answered with %d", got)
					}
				} else if err := <-w.gone; err == nil {
					t.Error("the request goes on")
				}
				if err := <-served; err != nil {
					t.Error(err)
				}
				if lasted := time.Since(began); lasted > windUp+time.Second || finishes && lasted > time.Second {
					t.Errorf("it took %v", lasted)
				}
				_ = conn.Close()
				if !finishes {
					<-status
				}
			})
		})
	}
}

// The server speaks HTTP/1.1 over TLS 1.2 and later, with a certificate that may
// be renewed while it runs.
func TestServingOverTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert, key, pool := writePair(t, dir, "first")
	l, err := Listen(t.Context(), Listening{Address: "127.0.0.1:0", Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, over(newWaiting()), slog.New(slog.DiscardHandler)) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	// get returns the status, and the name on the certificate.
	get := func(c *tls.Config) (int, string, error) {
		transport := &http.Transport{TLSClientConfig: c, ForceAttemptHTTP2: true, DisableKeepAlives: true}
		defer transport.CloseIdleConnections()
		resp, err := (&http.Client{Transport: transport}).Get(fmt.Sprintf("https://%s/", l.Addr()))
		if err != nil {
			return 0, "", err
		}
		defer resp.Body.Close()
		if resp.ProtoMajor != 1 {
			t.Errorf("it speaks %s", resp.Proto)
		}
		return resp.StatusCode, resp.TLS.PeerCertificates[0].Subject.CommonName, nil
	}
	status, name, err := get(&tls.Config{RootCAs: pool})
	if err != nil || status != http.StatusNotFound || name != "first" {
		t.Fatalf("%d %s %v", status, name, err)
	}
	if _, _, err := get(&tls.Config{RootCAs: pool, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("it speaks TLS 1.1")
	}
	_, _, pool = writePair(t, dir, "second")
	if _, name, err = get(&tls.Config{RootCAs: pool}); err != nil || name != "second" {
		t.Errorf("the renewed certificate is not served: %v", err)
	}
}

func TestAnswersAreWrittenWhole(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	a := h.ask(http.MethodHead, "/", nil)
	if a.status != http.StatusNotFound || a.head.Get("Content-Length") == "" || a.head.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %v", a.status, a.head)
	}
	a.failure(t)
}

// A body that breaks off on its way says nothing of what it was the beginning of:
// a collector sends it again, and gives nothing up.
func TestABodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	l := ready(t)
	a := l.send(http.MethodPost, device.PathRunCommits(l.DeviceID, l.SourceInstanceID), "", func(r *http.Request) {
		r.Body, r.ContentLength = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF)), 100
	})
	l.refuses(http.StatusServiceUnavailable, device.CodeRetryable, a)
}
