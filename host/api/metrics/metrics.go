package metrics

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// Path is where the figures are.
const Path = "/metrics"

// keepFor is how long an answer stands: however many ask, the store is read as often.
const keepFor = time.Second

// Deps is what the figures come from.
type Deps struct {
	Guard    *web.Guard
	Vitals   func(context.Context) (*serving.Vitals, error)
	Watching func() int                           // clients that watch events
	Devices  func() (requests int, records int64) // see api.API.Activity
	Claimed  func(context.Context) (bool, error)  // whether the owner has chosen a password
	Now      func() time.Time
	Logger   *slog.Logger
	Version  string // of the host
}

// Metrics answers GET /metrics. It is safe for concurrent use.
type Metrics struct {
	Deps

	latencies, requests *metrics.Set

	mu   sync.Mutex
	text []byte
	at   time.Time // when text was made
}

// New returns a Metrics that has seen no request.
func New(d Deps) *Metrics {
	return &Metrics{Deps: d, latencies: metrics.NewSet(), requests: metrics.NewSet()}
}

// ServeHTTP answers with the figures.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this path takes GET, HEAD", http.StatusMethodNotAllowed)
		return
	}
	err := m.admit(r)
	var text []byte
	if err == nil {
		text, err = m.current(r.Context())
	}
	if err != nil {
		m.refuse(w, err)
		return
	}
	h.Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write(text) // the client may be gone
}

// refuse answers with an error: its message, and nothing that it wraps.
func (m *Metrics) refuse(w http.ResponseWriter, err error) {
	code := abi.CodeOf(err)
	status, text := web.Status(code), "the figures cannot be read"
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer")
		text = "a token of this host is needed: make one with `pdpp-host tokens create`, and send it as Authorization: Bearer"
	case http.StatusForbidden, http.StatusMisdirectedRequest:
		text = "the request is refused"
	default:
		m.Logger.Warn(text, "code", string(code))
	}
	http.Error(w, text+" ("+string(code)+")", status)
}

// current returns the text of now, or of a moment ago.
func (m *Metrics) current(ctx context.Context) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.Now()
	if m.text != nil && now.Sub(m.at).Abs() < keepFor {
		return m.text, nil
	}
	v, err := m.Vitals(ctx)
	if err != nil {
		return nil, err
	}
	f := &figures{Vitals: v, version: m.Version, watching: m.Watching()}
	f.deviceRequests, f.deviceRecords = m.Devices()
	m.text, m.at = m.write(f), now
	return m.text, nil
}

func (m *Metrics) write(f *figures) []byte {
	var b bytes.Buffer
	for i := range families {
		family := &families[i]
		b.WriteString("# HELP " + family.Name + " " + family.Help + "\n# TYPE " + family.Name + " " + string(family.Kind) + "\n")
		switch {
		case family.Name == nameLatency:
			m.latencies.WritePrometheus(&b)
		case family.Name == nameRequests:
			m.requests.WritePrometheus(&b)
		case family.Kind == Counter:
			family.read(f, func(v float64, labels ...string) { metrics.WriteCounterFloat64(&b, family.series(labels...), v) })
		default:
			family.read(f, func(v float64, labels ...string) { metrics.WriteGaugeFloat64(&b, family.series(labels...), v) })
		}
	}
	return b.Bytes()
}
