package records

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/wire"
)

// RD-57: who reads slowly takes a place among what runs of its token, and none of all the others'.
func TestASlowReaderHoldsNoTurn(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	for _, path := range []string{b.keep("one", "a", "title", "text/plain", "slow"), "/v1/streams/notes/records", "/v1/search?q=slow", "/v1/none"} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+path, nil)
		r.Header.Set("Authorization", "Bearer client")
		all, own := -1, true
		b.server.ServeHTTP(&cutting{ResponseWriter: httptest.NewRecorder(), cut: func() {
			all = len(b.server.limits.all)
			own = path != "/v1/none" && b.server.limits.clients.Running.Take(sha256.Sum256([]byte("g")), 1)
		}}, r)
		if all != 0 || own {
			t.Errorf("%s, while it is written: got %d turns of all and a free place of its own (%v), want no turn, and its place", path, all, own)
		}
		if left := len(b.server.limits.all); left != 0 {
			t.Errorf("%s, behind it: got %d turns, want 0", path, left)
		}
	}
}

// Section 13, slow readers: who reads a blob slowly and steadily has it, and who stops reading is
// cut off within half a minute, however long the whole may take.
func TestAReaderOfABlobThatStops(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l, ended := wire.NewPipes(), make(chan error, 1)
		s := &http.Server{ReadHeaderTimeout: time.Second, WriteTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			c := &call{w: w}
			for {
				if _, err := c.write(make([]byte, storage.BlobPartBytes)); err != nil {
					ended <- err
					return
				}
			}
		})}
		served := make(chan error, 1)
		go func() { served <- s.Serve(l) }()
		conn := l.Dial()
		if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		for range 20 {
			time.Sleep(stalled / 3) // a part is sent within two of these, as it comes with a head
			if _, err := io.CopyN(io.Discard, conn, storage.BlobPartBytes); err != nil {
				t.Fatalf("a slow reader is cut off: %v", err)
			}
		}
		began := time.Now()
		if err := <-ended; !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > stalled {
			t.Errorf("who stops reading: got %v after %v, want it cut off within %v", err, time.Since(began), stalled)
		}
		if err := errors.Join(conn.Close(), s.Close()); err != nil {
			t.Error(err)
		}
		<-served
	})
}

// cutting calls cut behind the first part.
type cutting struct {
	http.ResponseWriter

	cut func()
}

func (c *cutting) Write(p []byte) (int, error) {
	if c.cut != nil {
		c.cut()
		c.cut = nil
	}
	return c.ResponseWriter.Write(p)
}

func (c *cutting) Unwrap() http.ResponseWriter { return c.ResponseWriter }
