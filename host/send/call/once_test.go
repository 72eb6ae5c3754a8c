package call

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
)

// overSockets is a bed whose provider is a server of this machine, behind the
// egress guard; its address is the second result.
func overSockets(t *testing.T, provider string, run *send.RunBudget, answer func(now time.Time, w http.ResponseWriter, r *http.Request)) (*bed, string) {
	t.Helper()
	var clock send.Clock
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(clock.Now(), w, r) }))
	t.Cleanup(server.Close)
	b := newBed(t, func(o *Options) {
		clock = o.Clock
		o.Network.Provider, o.Run, o.Transport = providerOf(provider), run, nil
		o.BaseURL, o.AllowPrivate = server.URL, []string{server.Listener.Addr().String()}
	})
	return b, server.URL
}

// A provider that cuts every connection at its second request is sent no more
// requests than the run may send, each of them counted and paced.
func TestCutRequestsAreCountedAndPaced(t *testing.T) {
	t.Parallel()
	const most = 20
	var mu sync.Mutex
	var arrived []time.Time
	known := make(map[string]bool)
	provider := `{"min_interval_ms":100,"discovery_interval_ms":100,"tolerance_ms":0,"max_attempts":1,"breaker":{"disabled":true}}`
	b, address := overSockets(t, provider, send.NewRunBudget(most, 0), func(now time.Time, _ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		arrived = append(arrived, now)
		if known[r.RemoteAddr] {
			panic(http.ErrAbortHandler)
		}
		known[r.RemoteAddr] = true
	})
	for range most {
		b.get(address, "bearer")
	}
	if r := b.get(address, "bearer"); r.Error.Stop != abi.ReasonRequestCapReached {
		t.Errorf("%+v, want the stop %s", r.Error, abi.ReasonRequestCapReached)
	}
	mu.Lock()
	defer mu.Unlock()
	if sent := b.Counts().Sent; len(arrived) != most || sent != most {
		t.Errorf("%d requests arrived and %d were counted, want %d", len(arrived), sent, most)
	}
	for i := range arrived[1:] {
		if gap := arrived[i+1].Sub(arrived[i]); gap < 100*time.Millisecond {
			t.Errorf("request %d came %v after the one before, want 100ms", i+2, gap)
		}
	}
}

// An answer in another protocol is an error, and not a body without an end.
func TestSwitchedProtocol(t *testing.T) {
	t.Parallel()
	b, address := overSockets(t, `{}`, nil, func(_ time.Time, w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := conn.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")); err != nil {
			t.Error(err)
		}
	})
	if r := b.get(address, "bearer"); r.Error.Code != egress.CodeUpgradeRefused || r.Error.GapReason != "" {
		t.Errorf("%+v, want %s", r, egress.CodeUpgradeRefused)
	}
}
