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

// ledger counts outgoing and incoming bytes, and bounds the outgoing ones. Safe for
// concurrent use.
type ledger struct {
	most int64

	mu       sync.Mutex
	counts   abi.RequestCounts
	reserved int64 // sent or about to be
	over     bool  // a request did not fit: smaller ones are refused as well
	hosts    map[string]*abi.Destination
}

func newLedger(most int64) *ledger {
	return &ledger{most: most, hosts: make(map[string]*abi.Destination)}
}

// exhausted returns why nothing more may be sent; nil if something may.
func (l *ledger) exhausted() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return l.refusal()
	}
	return nil
}

// reserve reserves n of the bytes that may be sent.
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

// sent counts a request that left, or releases the reservation of one that did not.
func (l *ledger) sent(host string, out int64, left bool) *abi.Destination {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !left {
		l.reserved -= out
		return nil
	}
	d := l.hosts[host]
	if d == nil {
		d = &abi.Destination{Host: host}
		l.hosts[host] = d
	}
	d.Requests++
	d.BytesOut += out
	l.counts.Sent++
	l.counts.BytesOut += out
	return d
}

func (l *ledger) received(d *abi.Destination, n int64) {
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

func (l *ledger) destinations() []abi.Destination {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]abi.Destination, 0, len(l.hosts))
	for _, d := range l.hosts {
		list = append(list, *d)
	}
	slices.SortFunc(list, func(a, b abi.Destination) int { return cmp.Compare(a.Host, b.Host) })
	return list
}

// metered counts an answer's body when it is closed.
type metered struct {
	io.ReadCloser

	ledger *ledger
	to     *abi.Destination
	room   func(n int64) error // waits until n bytes may be buffered
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

// sizeOf returns the approximate size of a request as HTTP/1.1.
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
