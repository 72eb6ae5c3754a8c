package call

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Counts is what a run did over its network.
type Counts struct {
	Sent      int64 `json:"sent"`      // attempts, redirects' hops and renewals included
	Retried   int64 `json:"retried"`   // of these, repetitions after a failure
	Throttled int64 `json:"throttled"` // answers that asked for fewer requests
	Answered  int64 `json:"-"`         // requests that the provider answered well, or as the guest's mistake
	BytesOut  int64 `json:"bytes_out"` // lines, headers and bodies, before TLS
	BytesIn   int64 `json:"bytes_in"`  // headers and bodies, decompressed
}

// Destination is one line of the ledger that an owner reads: where a run's
// bytes went.
type Destination struct {
	Host     string `json:"host"` // host:port
	Requests int64  `json:"requests"`
	BytesOut int64  `json:"bytes_out"`
	BytesIn  int64  `json:"bytes_in"`
}

// ledger counts what goes out and comes in, and bounds the former. Safe for
// concurrent use.
type ledger struct {
	most int64

	mu       sync.Mutex
	counts   Counts
	reserved int64 // sent or about to be
	over     bool  // a request did not fit: smaller ones do not slip through after it
	hosts    map[string]*Destination
}

func newLedger(most int64) *ledger { return &ledger{most: most, hosts: make(map[string]*Destination)} }

// exhausted returns why nothing more is sent; nil when something may be.
func (l *ledger) exhausted() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return l.refusal()
	}
	return nil
}

// reserve takes n bytes of what may be sent.
func (l *ledger) reserve(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || n > l.most-l.reserved {
		l.over = true
		return l.refusal()
	}
	l.reserved += n
	return nil
}

func (l *ledger) refusal() error {
	return abi.NewError(CodeBytesOutExhausted, fmt.Sprintf("the run has used up the %d bytes that it may send", l.most),
		"what was collected is kept; look at where the bytes went before you allow more")
}

// sent counts a request that left, or gives back what one that did not was to
// take.
func (l *ledger) sent(host string, out int64, left bool) *Destination {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !left {
		l.reserved -= out
		return nil
	}
	d := l.hosts[host]
	if d == nil {
		d = &Destination{Host: host}
		l.hosts[host] = d
	}
	d.Requests++
	d.BytesOut += out
	l.counts.Sent++
	l.counts.BytesOut += out
	return d
}

func (l *ledger) received(d *Destination, n int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	d.BytesIn += n
	l.counts.BytesIn += n
}

func (l *ledger) count(retried, throttled int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Retried += retried
	l.counts.Throttled += throttled
}

func (l *ledger) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Answered++
}

func (l *ledger) destinations() []Destination {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]Destination, 0, len(l.hosts))
	for _, d := range l.hosts {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b Destination) int { return cmp.Compare(a.Host, b.Host) })
	return list
}

// metered counts an answer's body when it is closed.
type metered struct {
	io.ReadCloser

	ledger *ledger
	to     *Destination
	room   func(n int64) error // waits until n bytes may be held
	n      int64
}

func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.n += int64(n)
	if full := m.room(m.n); full != nil {
		return n, full
	}
	return n, err
}

func (m *metered) Close() error {
	m.ledger.received(m.to, m.n)
	m.n = 0
	return m.ReadCloser.Close()
}

// sizeOf is what a request takes on the line as HTTP/1.1, about.
func sizeOf(r *http.Request, body []byte) int64 {
	n := len(r.Method) + len(r.URL.RequestURI()) + len(" HTTP/1.1\r\n") + 1 + len("Host: \r\n") + len(r.URL.Host) + 2
	return int64(n+len(body)) + sizeOfHeader(r.Header)
}

func sizeOfHeader(h http.Header) int64 {
	n := 0
	for name, values := range h {
		for _, v := range values {
			n += len(name) + len(v) + 4
		}
	}
	return int64(n)
}
