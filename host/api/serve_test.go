package api

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
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
	"github.com/pdpp-host/pdpp-host/host/web/listen"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

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

func (w waiting) RefuseDelivery(context.Context, *storage.SourceInstance, storage.RefusedDelivery, bool) error {
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
				l := wire.NewPipes()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, over(newWaiting()), slog.New(slog.DiscardHandler)) }()
				conn, began := l.Dial(), time.Now()
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

// Section 13, slow readers: who asks and does not read is cut off, and what was to be written to
// them is let go, whichever face wrote it.
func TestAReaderThatStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, ended := wire.NewPipes(), make(chan error, 1)
		ctx, stop := context.WithCancel(t.Context())
		served := make(chan error, 1)
		answers := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, err := w.Write(make([]byte, 1<<20))
			ended <- err
		})
		go func() { served <- Serve(ctx, l, answers, slog.New(slog.DiscardHandler)) }()
		conn, began := l.Dial(), time.Now()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil || time.Since(began) > answerTime {
			t.Errorf("got %v after %v, want it cut off within %v", err, time.Since(began), answerTime)
		}
		stop()
		if err := errors.Join(<-served, conn.Close()); err != nil {
			t.Error(err)
		}
	})
}

// Stopped, the server lets requests end that run, and ends those that do not.
func TestServingEnds(t *testing.T) {
	t.Parallel()
	for name, finishes := range map[string]bool{"the request ends": true, "the request hangs": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				l, w := wire.NewPipes(), newWaiting()
				ctx, stop := context.WithCancel(t.Context())
				served := make(chan error, 1)
				go func() { served <- Serve(ctx, l, over(w), slog.New(slog.DiscardHandler)) }()
				conn := l.Dial()
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
	cert, key, pool := wire.WriteCertificate(t, dir, "first")
	l, err := listen.Open(t.Context(), listen.Options{Address: "127.0.0.1:0", Cert: cert, Key: key})
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
	_, _, pool = wire.WriteCertificate(t, dir, "second")
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

// Three hundred connections of one machine that say nothing lock no device out.
func TestSilentConnectionsLockNobodyOut(t *testing.T) {
	t.Parallel()
	l, err := listen.Open(t.Context(), listen.Options{Address: "127.0.0.1:0"})
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
