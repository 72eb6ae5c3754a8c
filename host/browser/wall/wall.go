package wall

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Dialer connects to host:port, or says why it does not.
type Dialer interface {
	Dial(ctx context.Context, hostport string) (net.Conn, error)
}

const (
	headerTimeout = 10 * time.Second
	headerBytes   = 16 << 10
	most          = 256    // tunnels at once
	secretBytes   = 16     // of the name and of the password
	longestName   = 253    // of a host, in bytes
	realm         = "pdpp" // what the browser is asked for
)

// Wall is a proxy that listens. Close it.
type Wall struct {
	Name, Password string // what its browser answers with

	dialer   Dialer
	listener net.Listener
	server   *http.Server
	ctx      context.Context
	cancel   context.CancelFunc
	tunnels  sync.WaitGroup
	slots    chan struct{}
	sockets  chan struct{} // of WebSockets
	budget   atomic.Int64  // bytes that they may still carry

	lock    sync.Mutex
	refused map[string]int
	others  int
	watch   chan struct{} // closed and made anew with each refusal
}

// New listens on the loopback address, with credentials from random.
func New(dialer Dialer, random io.Reader) (*Wall, error) {
	secret := make([]byte, 2*secretBytes)
	if _, err := io.ReadFull(random, secret); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0") //nolint:noctx // listens as long as its browser lives
	if err != nil {
		return nil, err
	}
	w := &Wall{
		Name: hex.EncodeToString(secret[:secretBytes]), Password: hex.EncodeToString(secret[secretBytes:]),
		dialer: dialer, listener: listener, slots: make(chan struct{}, most), refused: map[string]int{}, watch: make(chan struct{}),
	}
	w.sockets = make(chan struct{}, abi.BrowserSockets)
	w.budget.Store(abi.BrowserSocketIO)
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.server = &http.Server{
		Handler: w, ReadHeaderTimeout: headerTimeout, MaxHeaderBytes: headerBytes,
		ErrorLog: log.New(io.Discard, "", 0), // it would name what others send to this port
	}
	w.tunnels.Go(func() { _ = w.server.Serve(listener) }) // until Close
	return w, nil
}

// Address is host:port of the proxy.
func (w *Wall) Address() string { return w.listener.Addr().String() }

// open counts a tunnel that Close waits for; false: the wall is closed.
func (w *Wall) open() bool {
	w.lock.Lock()
	defer w.lock.Unlock()
	if w.ctx.Err() != nil {
		return false
	}
	w.tunnels.Add(1)
	return true
}

// Close ends every tunnel, and returns when none is left.
func (w *Wall) Close() error {
	w.lock.Lock()
	w.cancel()
	w.lock.Unlock()
	err := w.server.Close()
	w.tunnels.Wait()
	return err
}

// Refused returns how often each host was refused, and how often hosts that have no row
// of their own.
func (w *Wall) Refused() (names map[string]int, others int) {
	w.lock.Lock()
	defer w.lock.Unlock()
	return maps.Clone(w.refused), w.others
}

// Refuses returns when a host was refused, or with the cause of ctx's end.
func (w *Wall) Refuses(ctx context.Context, host string) error {
	for {
		w.lock.Lock()
		n, changed := w.refused[host], w.watch
		w.lock.Unlock()
		if n > 0 {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (w *Wall) refuse(host string) {
	if len(host) > longestName {
		host = host[:longestName]
	}
	w.lock.Lock()
	defer w.lock.Unlock()
	if _, known := w.refused[host]; known || len(w.refused) < abi.BrowserRefusals {
		w.refused[host]++
	} else {
		w.others++
	}
	close(w.watch)
	w.watch = make(chan struct{})
}

// ServeHTTP answers one request.
func (w *Wall) ServeHTTP(out http.ResponseWriter, req *http.Request) {
	if !w.known(req) {
		out.Header().Set("Proxy-Authenticate", `Basic realm="`+realm+`"`)
		out.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	host, port, err := net.SplitHostPort(req.Host)
	if req.Method != http.MethodConnect {
		// Any answer would read as an answer of the site.
		w.refuse(req.URL.Hostname())
		panic(http.ErrAbortHandler)
	}
	if err != nil || port != "443" {
		w.refuse(host)
		out.WriteHeader(http.StatusForbidden)
		return
	}
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	default:
		out.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.tunnel(out, host, req.Host)
}

// tunnel connects the browser to a host, until either hangs up (Invariant 10).
func (w *Wall) tunnel(out http.ResponseWriter, host, hostport string) {
	if !w.open() {
		return
	}
	defer w.tunnels.Done()
	far, err := w.dialer.Dial(w.ctx, hostport)
	if err != nil {
		w.refuse(host)
		out.WriteHeader(http.StatusForbidden)
		return
	}
	hijacker, ok := out.(http.Hijacker)
	if !ok {
		_ = far.Close()
		return
	}
	near, buffered, err := hijacker.Hijack()
	if err != nil {
		_ = far.Close()
		return
	}
	stop := context.AfterFunc(w.ctx, func() { _ = errors.Join(near.Close(), far.Close()) })
	defer stop()
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		_ = errors.Join(near.Close(), far.Close())
		return
	}
	socket := &socket{wall: w}
	defer socket.leave()
	var both sync.WaitGroup
	both.Go(func() {
		from := io.MultiReader(io.LimitReader(buffered, int64(buffered.Reader.Buffered())), near)
		hello, is := first(from)
		if is && !socket.enter() {
			w.refuse(host)
			_ = errors.Join(near.Close(), far.Close())
			return
		}
		forward(far, near, io.MultiReader(hello, socket.of(from)))
	})
	both.Go(func() { forward(near, far, socket.of(far)) })
	both.Wait()
	_ = errors.Join(near.Close(), far.Close()) // each is at its end
}

// forward copies what comes of from to to, and tells to when there is no more.
func forward(to, from net.Conn, all io.Reader) {
	_, err := io.Copy(to, all)
	half, ok := to.(interface{ CloseWrite() error })
	if err != nil || !ok || half.CloseWrite() != nil {
		_ = errors.Join(to.Close(), from.Close())
	}
}

// known reports whether a request carries this wall's name and password.
func (w *Wall) known(req *http.Request) bool {
	r := http.Request{Header: http.Header{"Authorization": req.Header["Proxy-Authorization"]}}
	name, password, ok := r.BasicAuth()
	got, want := sha256.Sum256([]byte(name+"\x00"+password)), sha256.Sum256([]byte(w.Name+"\x00"+w.Password))
	return ok && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}
