package page

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// Captured is an answer that a page has got.
type Captured struct {
	URL     string
	Status  int
	Headers map[string]string // in lower case, without cookies
	Body    []byte
}

// capture keeps answers of a page until they are taken: the newest of them.
type capture struct {
	wants func(address, kind string) bool
	whole chan proto.NetworkRequestID // whose bodies are to be read
	ended chan struct{}

	lock    sync.Mutex
	begun   map[proto.NetworkRequestID]*Captured // without their bodies
	queue   []*Captured
	size    int
	dropped int64
	changed chan struct{} // closed and made anew with each answer
}

// kinds are the browser's words for the kinds of requests.
var kinds = map[proto.NetworkResourceType]string{
	proto.NetworkResourceTypeXHR: abi.CaptureXHR, proto.NetworkResourceTypeFetch: abi.CaptureFetch, proto.NetworkResourceTypeDocument: abi.CaptureDocument,
}

// Capture keeps the answers that wants asks for from now on, and none of before.
func (p *Page) Capture(ctx context.Context, wants func(address, kind string) bool) error {
	p.CaptureNoMore()
	most := abi.BrowserFetchBytes
	all := abi.BrowserCapturedAll
	if err := p.call(ctx, proto.NetworkEnable{MaxResourceBufferSize: &most, MaxTotalBufferSize: &all}); err != nil {
		return err
	}
	c := &capture{
		wants: wants, whole: make(chan proto.NetworkRequestID, abi.BrowserCaptured), ended: make(chan struct{}),
		begun: map[proto.NetworkRequestID]*Captured{}, changed: make(chan struct{}),
	}
	p.lock.Lock()
	p.capture = c
	p.lock.Unlock()
	p.set.working.Go(func() { c.read(p) })
	return nil
}

// CaptureNoMore forgets what was kept and not taken.
func (p *Page) CaptureNoMore() {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.capture != nil {
		close(p.capture.ended)
		p.capture = nil
	}
}

// Taken returns the oldest answer that was kept, and how many were dropped so far. It waits for
// one.
func (p *Page) Taken(ctx context.Context) (*Captured, int64, error) {
	p.lock.Lock()
	c := p.capture
	p.lock.Unlock()
	if c == nil {
		return nil, 0, abi.NewError(abi.CodeBrowserRequest, "nothing is captured on this page", "begin with capture.start")
	}
	for {
		c.lock.Lock()
		changed, dropped := c.changed, c.dropped
		var first *Captured
		if len(c.queue) > 0 {
			first, c.queue = c.queue[0], c.queue[1:]
			c.size -= len(first.Body)
		}
		c.lock.Unlock()
		if first != nil {
			return first, dropped, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		case <-p.ctx.Done():
			return nil, 0, context.Cause(p.ctx)
		}
	}
}

// read reads the bodies of answers that are whole.
func (c *capture) read(p *Page) {
	for {
		select {
		case id := <-c.whole:
			ctx, cancel := context.WithTimeout(p.ctx, small)
			got, err := proto.NetworkGetResponseBody{RequestID: id}.Call(p.set.line.On(ctx, p.session))
			cancel()
			c.keep(id, got, err)
		case <-c.ended:
			return
		case <-p.ctx.Done():
			return
		}
	}
}

// keep keeps an answer, in the place of older ones where there are too many.
func (c *capture) keep(id proto.NetworkRequestID, got *proto.NetworkGetResponseBodyResult, err error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	answer := c.begun[id]
	delete(c.begun, id)
	if answer == nil {
		return
	}
	var body []byte
	if err == nil {
		body, err = bodyOf(got)
	}
	if err != nil || len(body) > abi.BrowserFetchBytes { // its page went on, or it is too large
		c.dropped++
		return
	}
	answer.Body = body
	c.queue, c.size = append(c.queue, answer), c.size+len(body)
	for len(c.queue) > abi.BrowserCaptured || c.size > abi.BrowserCapturedAll {
		c.size -= len(c.queue[0].Body)
		c.queue = slices.Delete(c.queue, 0, 1)
		c.dropped++
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

func bodyOf(got *proto.NetworkGetResponseBodyResult) ([]byte, error) {
	if got.Base64Encoded {
		return base64.StdEncoding.DecodeString(got.Body)
	}
	return []byte(got.Body), nil
}

// capturing returns what a session's page keeps; nil: nothing, or the owner is signed in there.
func (s *Set) capturing(session proto.TargetSessionID) *capture {
	p := s.ofSession(session)
	s.lock.Lock()
	alone := s.alone
	s.lock.Unlock()
	if p == nil || alone {
		return nil
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.capture
}

// The events of an answer, in their order: it begins, and it ends well or not.
var (
	received = proto.NetworkResponseReceived{}.ProtoEvent()
	finished = proto.NetworkLoadingFinished{}.ProtoEvent()
	failed   = proto.NetworkLoadingFailed{}.ProtoEvent()
)

// answered takes notice of an answer that a page gets.
func (s *Set) answered(e wire.Event) {
	c := s.capturing(e.Session)
	var r proto.NetworkResponseReceived // the others have its request, too
	if c == nil || json.Unmarshal(e.Params, &r) != nil {
		return
	}
	if e.Method != received {
		c.ends(r.RequestID, e.Method == finished)
		return
	}
	if r.Response == nil || kinds[r.Type] == "" || !c.wants(r.Response.URL, kinds[r.Type]) {
		return
	}
	answer := &Captured{URL: r.Response.URL, Status: r.Response.Status, Headers: map[string]string{}}
	for name, value := range r.Response.Headers {
		if name = strings.ToLower(name); name != "set-cookie" {
			answer.Headers[name] = value.Str()
		}
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if len(c.begun) >= 2*abi.BrowserCaptured { // answers that do not end
		c.dropped++
		return
	}
	c.begun[r.RequestID] = answer
}

// ends has the body of an answer read that is whole now, or forgets one that broke off.
func (c *capture) ends(id proto.NetworkRequestID, well bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.begun[id] == nil {
		return
	}
	if well {
		select {
		case c.whole <- id:
			return
		default: // more than are read in time
		}
	}
	delete(c.begun, id)
	c.dropped++
}
