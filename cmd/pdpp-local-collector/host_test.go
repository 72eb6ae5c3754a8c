package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/api"
	"github.com/pdpp-host/pdpp-host/storage"
)

// testHost is an owner's host: the real device API over a real store, on this
// machine, which a test can break.
type testHost struct {
	store  *storage.Store
	server *httptest.Server

	mu       sync.Mutex
	hang     string    // what lies under this part of a path is never answered
	down     bool      // no answer comes
	refusals []refusal // what is answered in the API's place
	seen     []string  // method and path of each request
	onCall   func(*http.Request)
}

// refusal answers what lies under a part of a path.
type refusal struct {
	part   string
	status int
	code   string
}

func newTestHost(ctx context.Context, dir string) (*testHost, error) {
	store, err := storage.Open(ctx, storage.Options{Path: filepath.Join(dir, "host.sqlite"), Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return nil, err
	}
	h := &testHost{store: store}
	answers := api.New(api.Deps{Store: store, Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.DiscardHandler)})
	h.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		down, hangs, refused := h.look(r)
		switch {
		case hangs:
			_, _ = io.Copy(io.Discard, r.Body) // who asks can be noticed to be gone after the body alone
			<-r.Context().Done()
		case down:
			panic(http.ErrAbortHandler)
		case refused != nil:
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			if refused.status == http.StatusServiceUnavailable {
				w.Header().Set("Retry-After", "3600")
			}
			w.WriteHeader(refused.status)
			fmt.Fprintf(w, `{"error":{"code":%q,"message":"a test refuses this","type":"invalid_request","request_id":"req_test"}}`, refused.code)
		default:
			answers.ServeHTTP(w, r)
		}
	}))
	return h, nil
}

func (h *testHost) look(r *http.Request) (down, hangs bool, refused *refusal) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen = append(h.seen, r.Method+" "+r.URL.Path)
	if h.onCall != nil {
		h.onCall(r)
	}
	for i, x := range h.refusals {
		if strings.Contains(r.URL.Path, x.part) {
			refused = &h.refusals[i]
		}
	}
	return h.down, h.hang != "" && strings.Contains(r.URL.Path, h.hang), refused
}

// set changes what the host does.
func (h *testHost) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

// requests is what came in so far.
func (h *testHost) requests() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]string(nil), h.seen...)
}

// code makes an enrollment code of a connector, as the owner does.
func (h *testHost) code(ctx context.Context, connector, binding string) (string, error) {
	code, err := device.NewCode(rand.Reader)
	if err != nil {
		return "", err
	}
	return code, h.store.NewEnrollmentCode(ctx, storage.EnrollmentCode{
		CodeHash: device.SecretHash(code), ConnectorID: connector, Binding: binding, ExpiresAt: time.Now().Add(time.Hour),
	})
}

// source returns the only source instance that is enrolled.
func (h *testHost) source(ctx context.Context) (*storage.SourceInstance, error) {
	all, err := h.store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%d source instances", len(all))
	}
	return &all[0], nil
}

func (h *testHost) close() error {
	h.server.CloseClientConnections()
	h.server.Close()
	return errors.Join(h.store.Close())
}

// records counts what the host holds of a stream of the only source instance.
func (h *testHost) records(ctx context.Context, stream string) (int64, error) {
	src, err := h.source(ctx)
	if err != nil {
		return 0, err
	}
	all, err := h.store.Streams(ctx, src.ConnectionName)
	for _, s := range all {
		if s.Name == stream {
			return s.Live, err
		}
	}
	return 0, err
}
