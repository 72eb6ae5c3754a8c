package sites

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"
)

// Hit is one request that a site got.
type Hit struct {
	At                 time.Time
	Method, Host, Path string
}

// Site is a server that has every name that is asked for.
type Site struct {
	server *httptest.Server

	lock sync.Mutex
	hits []Hit
}

// Serve serves h over https until Close.
func Serve(h http.Handler) *Site {
	s := &Site{}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.lock.Lock()
		s.hits = append(s.hits, Hit{time.Now(), r.Method, r.Host, r.URL.Path})
		s.lock.Unlock()
		h.ServeHTTP(w, r)
	}))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0) // a browser ends connections as it likes
	s.server.EnableHTTP2 = true
	s.server.StartTLS()
	return s
}

// Close ends the site.
func (s *Site) Close() { s.server.Close() }

// Key is the hash of the site's key, for a browser that is to trust it.
func (s *Site) Key() string {
	sum := sha256.Sum256(s.server.Certificate().RawSubjectPublicKeyInfo)
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Dial connects to the site, whatever its name.
func (s *Site) Dial(ctx context.Context, _ string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "tcp", s.server.Listener.Addr().String())
}

// Hits are the requests so far.
func (s *Site) Hits() []Hit {
	s.lock.Lock()
	defer s.lock.Unlock()
	return append([]Hit(nil), s.hits...)
}
