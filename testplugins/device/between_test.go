package device

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// The kinds of requests, as a test names them.
const (
	ingest    = "ingest"
	commit    = "commit"
	readState = "read state"
	putState  = "put state"
	manifest  = "manifest"
	heartbeat = "heartbeat"
	gap       = "gap"
	enroll    = "enroll"
	other     = "other"
)

func kindOf(r *http.Request) string {
	path := r.URL.Path
	switch {
	case strings.HasSuffix(path, "/ingest-batches"):
		return ingest
	case strings.HasSuffix(path, "/terminal-run-commits"):
		return commit
	case strings.HasSuffix(path, "/state") && r.Method == http.MethodGet:
		return readState
	case strings.HasSuffix(path, "/state"):
		return putState
	case strings.HasSuffix(path, "/manifest"):
		return manifest
	case strings.HasSuffix(path, "/heartbeat"):
		return heartbeat
	case strings.Contains(path, "/local-collector-gaps"):
		return gap
	case strings.HasSuffix(path, "/enroll"):
		return enroll
	}
	return other
}

// request is a request that passed along the way.
type request struct {
	kind, source string
	run, batch   string
	status       int // of the answer that arrived; 0: none did
}

// trouble is an interference with requests of a kind.
type trouble struct {
	kind   string
	source string // "": of any
	skip   int    // so many pass before
	times  int    // so many are met; below 0: all
	do     func(w http.ResponseWriter, hop *hop)
}

// hop is one request on its way.
type hop struct {
	way  *way
	r    *http.Request
	body []byte
}

// way is the network between machines and a host.
type way struct {
	t      *testing.T
	server *httptest.Server
	client *http.Client

	mu       sync.Mutex
	host     string // its address
	troubles []*trouble
	seen     []*request
	answers  map[string]string // of batches that were taken
	open     map[net.Conn]bool // connections of machines
	private  string            // the home of a machine, which only its records may name
}

// newWay returns a way to a host.
func newWay(t *testing.T, s *host) *way {
	t.Helper()
	w := &way{t: t, host: s.address, answers: map[string]string{}, open: map[net.Conn]bool{}}
	w.client = &http.Client{Transport: &http.Transport{DisableCompression: true}}
	t.Cleanup(w.client.CloseIdleConnections)
	w.server = httptest.NewUnstartedServer(w)
	w.server.Config.ConnState = func(c net.Conn, state http.ConnState) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if state == http.StateClosed || state == http.StateHijacked {
			delete(w.open, c)
		} else {
			w.open[c] = true
		}
	}
	w.server.Start()
	t.Cleanup(w.server.Close)
	return w
}

// leadsTo is where the host is now.
func (w *way) leadsTo(s *host) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.host = s.address
}

// settled is asked for by the way itself.
const settled = "/settled"

// awaitDead waits until no request of a dead machine is on its way, so that later ones
// can be distinguished from them. Connections are accepted in the order in which they
// came, so those of the dead machine are known once a later one is answered.
func (w *way) awaitDead() {
	w.t.Helper()
	ask := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := ask.Get(w.server.URL + settled)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = answer.Body.Close()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for range 5000 {
		w.mu.Lock()
		n := len(w.open)
		w.mu.Unlock()
		if n == 0 {
			return
		}
		<-tick.C
	}
	w.t.Error("the dead are still connected")
}

// hides is a folder that nothing but a record may name (LC-07.4).
func (w *way) hides(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.private = dir
}

// addTrouble adds trouble, in front of the existing troubles.
func (w *way) addTrouble(t trouble) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.times == 0 {
		t.times = 1
	}
	w.troubles = append([]*trouble{&t}, w.troubles...)
}

// clears takes all trouble away.
func (w *way) clears() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.troubles = nil
}

// clearAccount clears the account of requests.
func (w *way) clearAccount() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = nil
}

// account lists the requests since the last clearing, of the given kinds, or of all.
func (w *way) account(kinds ...string) []request {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []request
	for _, r := range w.seen {
		if len(kinds) == 0 || slices.Contains(kinds, r.kind) {
			out = append(out, *r)
		}
	}
	return out
}

// ServeHTTP implements http.Handler.
func (w *way) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // its sender is gone
	}
	if r.URL.Path == settled {
		return
	}
	h := &hop{w, r, body}
	seen := &request{kind: kindOf(r)}
	var of struct {
		SourceInstanceID string `json:"source_instance_id"`
		RunID            string `json:"run_id"`
		BatchID          string `json:"batch_id"`
	}
	_ = json.Unmarshal(body, &of) // there may be none
	seen.source, seen.run, seen.batch = of.SourceInstanceID, of.RunID, of.BatchID
	if _, after, found := strings.Cut(r.URL.Path, "/source-instances/"); found {
		seen.source, _, _ = strings.Cut(after, "/")
	}
	counted := &counting{ResponseWriter: rw, seen: seen, way: w}
	w.mu.Lock()
	if w.private != "" && seen.kind != ingest && bytes.Contains(body, []byte(w.private)) {
		w.t.Errorf("%s names the machine's home", seen.kind)
	}
	w.inOrder(seen)
	w.seen = append(w.seen, seen)
	do := w.troubleFor(seen)
	w.mu.Unlock()
	if do == nil {
		do = pass
	}
	do(counted, h)
}

// inOrder checks that every batch of a run is acknowledged before the run's end
// (LC-04). It cannot check checkpoints: batches behind one may go before it.
func (w *way) inOrder(seen *request) {
	if seen.kind != commit {
		return
	}
	for _, r := range w.seen {
		if r.kind == ingest && r.source == seen.source && r.run == seen.run && w.answers[r.batch] == "" {
			w.t.Errorf("%s came before batch %s was acknowledged", seen.kind, r.batch)
		}
	}
}

// troubleFor returns the trouble for a request, nil without one.
func (w *way) troubleFor(r *request) func(http.ResponseWriter, *hop) {
	for _, t := range w.troubles {
		if t.kind != r.kind || t.source != "" && t.source != r.source || t.times == 0 {
			continue
		}
		if t.skip > 0 {
			t.skip--
			continue
		}
		t.times--
		return t.do
	}
	return nil
}

// counting notes the answer that arrives. The same batch has one answer, however
// often it is delivered.
type counting struct {
	http.ResponseWriter

	seen *request
	way  *way
}

// WriteHeader implements http.ResponseWriter.
func (c *counting) WriteHeader(status int) {
	c.way.mu.Lock()
	c.seen.status = status
	c.way.mu.Unlock()
	c.ResponseWriter.WriteHeader(status)
}

// Unwrap is for http.ResponseController.
func (c *counting) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (w *way) took(h *hop, answer []byte) {
	if kindOf(h.r) != ingest {
		return
	}
	var b device.Batch
	if err := json.Unmarshal(h.body, &b); err != nil {
		w.t.Error(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if before := w.answers[b.BatchID]; before != "" && before != string(answer) {
		w.t.Errorf("batch %s was answered in two ways:\n%s\n%s", b.BatchID, before, answer)
	}
	w.answers[b.BatchID] = string(answer)
}

// answer is the host's.
type answer struct {
	status int
	header http.Header
	text   []byte
}

// forward lets the host answer. It returns nil when nobody does.
func (h *hop) forward() *answer {
	h.way.mu.Lock()
	at := h.way.host
	h.way.mu.Unlock()
	r, err := http.NewRequestWithContext(h.r.Context(), h.r.Method, "http://"+at+h.r.URL.RequestURI(), bytes.NewReader(h.body))
	if err != nil {
		h.way.t.Error(err)
		return nil
	}
	r.Header = h.r.Header.Clone()
	got, err := h.way.client.Do(r)
	if err != nil {
		return nil
	}
	defer func() { _ = got.Body.Close() }()
	text, err := io.ReadAll(got.Body)
	if err != nil {
		return nil
	}
	if got.StatusCode/100 == 2 {
		h.way.took(h, text)
	}
	return &answer{got.StatusCode, got.Header, text}
}

// pass forwards a request as if there were no way in between.
func pass(w http.ResponseWriter, h *hop) {
	got := h.forward()
	if got == nil {
		cut(w, h)
		return
	}
	maps.Copy(w.Header(), got.header)
	w.WriteHeader(got.status)
	_, _ = w.Write(got.text)
}

// cut ends the connection before the host hears of the request.
func cut(w http.ResponseWriter, h *hop) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		h.way.t.Error(err)
		return
	}
	_ = conn.Close()
}

// lose has the host answer, and the answer never arrives.
func lose(w http.ResponseWriter, h *hop) {
	h.forward()
	cut(w, h)
}

// tear has the host answer, and half of the answer arrives.
func tear(w http.ResponseWriter, h *hop) {
	got := h.forward()
	if got == nil {
		cut(w, h)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(got.text)))
	_, _ = w.Write(got.text[:len(got.text)/2])
	_ = http.NewResponseController(w).Flush()
	cut(w, h)
}

// delay hands a request on after a while.
func delay(d time.Duration) func(http.ResponseWriter, *hop) {
	return func(w http.ResponseWriter, h *hop) {
		select {
		case <-h.r.Context().Done():
		case <-time.After(d):
			pass(w, h)
		}
	}
}

// refuse answers in the host's place.
func refuse(status int, code, after string) func(http.ResponseWriter, *hop) {
	return func(w http.ResponseWriter, _ *hop) {
		w.Header().Set("Content-Type", "application/json")
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(device.Failure{Error: device.FailureDetail{Code: code, Message: "the way refuses", Type: "api_error", RequestID: "req_way"}})
	}
}
