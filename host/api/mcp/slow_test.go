package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/read"
)

// anyone takes each token for a grant of its own.
type anyone struct{ scope *read.Scope }

func (a anyone) Caller(_ context.Context, token string) (*read.Caller, error) {
	return &read.Caller{Client: token, Grant: token, Scope: a.scope}, nil
}

// stuck is a client that does not read its answer before it is let go.
type stuck struct {
	*httptest.ResponseRecorder

	writes, release chan struct{}
	once            sync.Once
}

func (s *stuck) Write(p []byte) (int, error) {
	s.once.Do(func() { s.writes <- struct{}{}; <-s.release })
	return s.ResponseRecorder.Write(p)
}

// unsent is a body that does not come before it is let go.
type unsent struct {
	body    *strings.Reader
	reads   chan struct{}
	release chan struct{}
	once    sync.Once
}

func (u *unsent) Read(p []byte) (int, error) {
	u.once.Do(func() { u.reads <- struct{}{}; <-u.release })
	return u.body.Read(p)
}

// RD-57, section 13: as many models as may ask at once send no body, and whoever asks then is
// answered.
func TestSlowSendersHoldNoTurn(t *testing.T) {
	t.Parallel()
	holdNoTurn(t, "send nothing", func(reads, release chan struct{}, w *httptest.ResponseRecorder) (io.Reader, http.ResponseWriter) {
		return &unsent{strings.NewReader(toolsList), reads, release, sync.Once{}}, w
	})
}

// RD-57, section 13, slow readers: as many models as may ask at once stop reading their answers,
// and whoever asks then is answered.
func TestSlowModelsHoldNoTurn(t *testing.T) {
	t.Parallel()
	holdNoTurn(t, "do not read", func(writes, release chan struct{}, w *httptest.ResponseRecorder) (io.Reader, http.ResponseWriter) {
		return strings.NewReader(toolsList), &stuck{ResponseRecorder: w, writes: writes, release: release}
	})
}

const toolsList = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// holdNoTurn has as many models ask as may at once. model returns what one sends and where its answer
// goes: one of them tells that it is held up, until it is let go. The host answers another app
// meanwhile, and each model then.
func holdNoTurn(t *testing.T, that string, model func(held, release chan struct{}, w *httptest.ResponseRecorder) (io.Reader, http.ResponseWriter)) {
	t.Helper()
	b := newBed(t)
	b.reader.Callers = anyone{b.caller.Scope}
	h := NewHandler(Options{Version: "v", Logger: slog.New(slog.DiscardHandler)}, b.reader, "/about")
	const atOnce, ofOne = 32, 4
	held, release := make(chan struct{}, atOnce), make(chan struct{})
	var asking sync.WaitGroup
	answers := make([]*httptest.ResponseRecorder, atOnce)
	for i := range answers {
		answers[i] = httptest.NewRecorder()
		asking.Go(func() {
			body, w := model(held, release, answers[i])
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+Path, body)
			r.Header.Set("Authorization", fmt.Sprint("Bearer ", i/ofOne))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			h.ServeHTTP(w, r)
		})
	}
	for range answers {
		<-held
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+"/v1/streams", nil)
	r.Header.Set("Authorization", "Bearer another")
	w := httptest.NewRecorder()
	b.reader.ServeHTTP(w, r)
	close(release)
	asking.Wait()
	if w.Code != http.StatusOK {
		t.Errorf("beside %d that %s: got %d %s, want an answer", atOnce, that, w.Code, w.Body)
	}
	for i, a := range answers {
		if a.Code != http.StatusOK {
			t.Errorf("model %d: got %d %s, want an answer", i, a.Code, a.Body)
		}
	}
}
