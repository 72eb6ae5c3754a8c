package gate

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// Host is where the request goes that proves the gate. Nothing has this name (RFC 6761).
const Host = "gate.pdpp.invalid"

const (
	queue     = 4096 // pauses that wait to be looked at
	waiting   = 512  // requests that an Admitter holds at once; more are refused
	closeTime = 2 * time.Second
	takeTime  = 30 * time.Second // for an answer to be taken
	random    = 16               // bytes in the proof's address
)

// Request is a paused request.
type Request struct {
	Method string
	URL    string
	Kind   string // Document, XHR, Fetch, Image, ...
	Header http.Header
	Bytes  int64 // of its body
}

// Admitter decides on requests; nil: this one may go. Admit may wait, until ctx ends, and may
// send the request itself, once, to hear what comes back. It is called from many goroutines.
type Admitter interface {
	Admit(ctx context.Context, r Request, send Send) error
}

// Send lets a request go, and returns what its server has answered, before the page has it.
type Send func(ctx context.Context) (*Answer, error)

// Answer is the head of an answer.
type Answer struct {
	Status int
	Header http.Header
}

// Gate is the pause before each request of a browser. Close it.
type Gate struct {
	line           *wire.Line
	admitter       Admitter
	name, password string // of the wall

	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup
	slots   chan struct{}

	lock   sync.Mutex
	canary string
	seen   chan struct{}                  // closed when the canary was paused
	sent   map[proto.FetchRequestID]*sent // requests whose Admitter has not returned
	held   map[string]int                 // by frame: its requests by script that wait
}

// sent is a request that its Admitter has sent.
type sent struct {
	heard  chan outcome // has room for one, and gets one at most
	paused bool         // the browser waits with the answer until the Admitter has returned
}

// outcome is what came of a request that was sent.
type outcome struct {
	answer *Answer
	err    error
}

// New returns the gate of a browser, which is open. The wall asks for name and password.
func New(line *wire.Line, admitter Admitter, name, password string) *Gate {
	g := &Gate{line: line, admitter: admitter, name: name, password: password, slots: make(chan struct{}, waiting), seen: make(chan struct{}), sent: map[proto.FetchRequestID]*sent{}, held: map[string]int{}}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

// Shut makes every request of the browser wait from now on. A page that is there already would
// go on as before, so there may be none (BR-07.5).
func (g *Gate) Shut(ctx context.Context) error {
	targets, err := proto.TargetGetTargets{}.Call(g.line.On(ctx, ""))
	if err != nil {
		return err
	}
	for _, t := range targets.TargetInfos {
		if t.Type == proto.TargetTargetInfoTypePage {
			return abi.NewError(abi.CodeBrowserGate, "the browser has a page before its requests are governed", "another version of the browser may help; nothing was sent")
		}
	}
	paused, asked := g.line.Queue(proto.FetchRequestPaused{}.ProtoEvent(), queue), g.line.Queue(proto.FetchAuthRequired{}.ProtoEvent(), queue)
	g.working.Go(func() { g.work(paused, asked) })
	everything := []*proto.FetchRequestPattern{{URLPattern: "*", RequestStage: proto.FetchRequestStageRequest}}
	return proto.FetchEnable{Patterns: everything, HandleAuthRequests: true}.Call(g.line.On(ctx, ""))
}

// Prove has the browser ask for a page that does not exist, and returns nil when the gate has
// paused that. Otherwise the browser is not governed, and is to be ended.
func (g *Gate) Prove(ctx context.Context, from io.Reader) error {
	secret := make([]byte, random)
	if _, err := io.ReadFull(from, secret); err != nil {
		return err
	}
	canary := "https://" + Host + "/" + hex.EncodeToString(secret)
	g.lock.Lock()
	g.canary = canary
	g.lock.Unlock()
	page, err := proto.TargetCreateTarget{URL: "about:blank"}.Call(g.line.On(ctx, ""))
	if err != nil {
		return err
	}
	attached, err := proto.TargetAttachToTarget{TargetID: page.TargetID, Flatten: true}.Call(g.line.On(ctx, ""))
	if err != nil {
		return err
	}
	// The answer comes when the request has ended, in whatever way: a paused one, with the gate.
	if _, err := (proto.PageNavigate{URL: canary}).Call(g.line.On(ctx, attached.SessionID)); err != nil {
		return err
	}
	select {
	case <-g.seen:
	default:
		return abi.NewError(abi.CodeBrowserGate, "the browser's requests go past the gate", "another version of the browser may help; nothing was sent")
	}
	_, err = proto.TargetCloseTarget{TargetID: page.TargetID}.Call(g.line.On(ctx, ""))
	return err
}

// Close refuses every request from now on, also those that wait. The line is still there.
func (g *Gate) Close() {
	g.cancel()
	g.working.Wait()
}

// work answers pauses until the gate is closed or the line ends.
func (g *Gate) work(paused, asked <-chan wire.Event) {
	for {
		select {
		case e := <-paused:
			g.paused(e)
		case e := <-asked:
			g.asked(e)
		case <-g.line.Ended():
			g.cancel()
			return
		case <-g.ctx.Done():
			return
		}
	}
}

// verdict is what becomes of a request.
type verdict int

const (
	refuse verdict = iota
	ask            // the Admitter
	let            // nothing leaves the browser
	prove          // it is the proof
)

// decide says what becomes of a request, without a look at where it may go.
func decide(address, canary string) verdict {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return refuse
	case canary != "" && address == canary:
		return prove
	case u.Hostname() == Host:
		return refuse
	case u.Scheme == "https" && u.Host != "":
		return ask
	case u.Scheme == "data", u.Scheme == "blob":
		return let
	default:
		return refuse
	}
}

// paused decides on one request (Invariant 10).
func (g *Gate) paused(e wire.Event) {
	var p proto.FetchRequestPaused
	if err := json.Unmarshal(e.Params, &p); err != nil || p.Request == nil {
		g.line.End(abi.NewError(abi.CodeBrowserClosed, "the browser pauses a request and does not say which", "another version of the browser may help"))
		return
	}
	if p.ResponseStatusCode != nil || p.ResponseErrorReason != "" {
		g.answered(e, &p)
		return
	}
	g.lock.Lock()
	v := decide(p.Request.URL, g.canary)
	if v == prove {
		g.canary = "" // once
	}
	g.lock.Unlock()
	switch v {
	case prove:
		close(g.seen) // before the answer, which ends the navigation
		_ = g.answer(e, proto.FetchFulfillRequest{RequestID: p.RequestID, ResponseCode: 204, Body: []byte{}})
	case let:
		_ = g.answer(e, proto.FetchContinueRequest{RequestID: p.RequestID})
	case refuse:
		g.fail(e, p.RequestID)
	case ask:
		select {
		case g.slots <- struct{}{}:
			g.working.Go(func() {
				defer func() { <-g.slots }()
				g.ask(e, &p)
			})
		default: // a page asks for more than anybody waits for
			g.fail(e, p.RequestID)
		}
	}
}

// Held are the frames that wait here for what a script of theirs has asked for. A script that waits
// for that, and for nothing else meanwhile, answers nobody.
func (g *Gate) Held() []string {
	g.lock.Lock()
	defer g.lock.Unlock()
	return slices.Collect(maps.Keys(g.held))
}

// hold counts a request by script of a frame, until it is called again with -1.
func (g *Gate) hold(frame string, n int) {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.held[frame] += n; g.held[frame] == 0 {
		delete(g.held, frame)
	}
}

// ask has the Admitter decide on one request.
func (g *Gate) ask(e wire.Event, p *proto.FetchRequestPaused) {
	if p.ResourceType == proto.NetworkResourceTypeXHR {
		g.hold(string(p.FrameID), 1)
		defer g.hold(string(p.FrameID), -1)
	}
	r := Request{Method: p.Request.Method, URL: p.Request.URL, Kind: string(p.ResourceType), Header: http.Header{}, Bytes: int64(len(p.Request.PostData))}
	for name, value := range p.Request.Headers {
		r.Header.Set(name, value.Str())
	}
	for _, entry := range p.Request.PostDataEntries {
		r.Bytes += int64(len(entry.Bytes))
	}
	var out *sent
	err := g.admitter.Admit(g.ctx, r, func(ctx context.Context) (*Answer, error) {
		if out != nil {
			return nil, abi.NewError(abi.CodeInternal, "a paused request was sent twice", "this is a fault of the host")
		}
		out = &sent{heard: make(chan outcome, 1)}
		return g.send(ctx, e, p.RequestID, out)
	})
	switch {
	case out != nil:
		g.hand(e, p.RequestID, out)
	case err != nil || g.ctx.Err() != nil:
		g.fail(e, p.RequestID)
	default:
		_ = g.answer(e, proto.FetchContinueRequest{RequestID: p.RequestID})
	}
}

// send lets a request go and waits for the head of its answer.
func (g *Gate) send(ctx context.Context, e wire.Event, id proto.FetchRequestID, out *sent) (*Answer, error) {
	g.lock.Lock()
	g.sent[id] = out
	g.lock.Unlock()
	if err := g.answer(e, proto.FetchContinueRequest{RequestID: id, InterceptResponse: true}); err != nil {
		return nil, abi.NewError(abi.CodeBrowserClosed, "the page has given the request up", "").Wrap(err)
	}
	select {
	case o := <-out.heard:
		return o.answer, o.err
	case <-ctx.Done():
		// A page that is left tells nobody of the requests that it takes along.
		return nil, abi.NewError(abi.CodeBrowserTimeout, "no answer to a request of a page was heard", "").Wrap(context.Cause(ctx))
	case <-g.ctx.Done():
		return nil, abi.NewError(abi.CodeBrowserClosed, "the browser is closed", "")
	case <-g.line.Ended():
		return nil, g.line.Err()
	}
}

// hand lets the page have the answer to a request whose Admitter has returned. Before that, the
// page could read an answer that the governor has not judged yet.
func (g *Gate) hand(e wire.Event, id proto.FetchRequestID, out *sent) {
	g.lock.Lock()
	delete(g.sent, id)
	paused := out.paused
	g.lock.Unlock()
	if paused {
		_ = g.answer(e, proto.FetchContinueRequest{RequestID: id})
	}
}

// answered tells the Admitter the head of an answer. The page has the answer when the Admitter
// has returned, and at once when no Admitter waits.
func (g *Gate) answered(e wire.Event, p *proto.FetchRequestPaused) {
	o := outcome{err: fmt.Errorf("the browser could not fetch it: %s", p.ResponseErrorReason)}
	if p.ResponseStatusCode != nil {
		o = outcome{answer: &Answer{Status: *p.ResponseStatusCode, Header: http.Header{}}}
		for _, h := range p.ResponseHeaders {
			o.answer.Header.Add(h.Name, h.Value)
		}
	}
	g.lock.Lock()
	out := g.sent[p.RequestID]
	first := out != nil && !out.paused
	if first {
		out.paused = true
		out.heard <- o
	}
	g.lock.Unlock()
	if !first {
		_ = g.answer(e, proto.FetchContinueRequest{RequestID: p.RequestID})
	}
}

func (g *Gate) fail(e wire.Event, id proto.FetchRequestID) {
	_ = g.answer(e, proto.FetchFailRequest{RequestID: id, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
}

// asked answers a question for a name and a password: the wall's own, and nobody else's.
func (g *Gate) asked(e wire.Event) {
	var a proto.FetchAuthRequired
	if err := json.Unmarshal(e.Params, &a); err != nil || a.AuthChallenge == nil {
		g.line.End(abi.NewError(abi.CodeBrowserClosed, "the browser asks for a password and does not say whose", "another version of the browser may help"))
		return
	}
	response := &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth}
	if a.AuthChallenge.Source == proto.FetchAuthChallengeSourceProxy {
		response = &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: g.name, Password: g.password}
	}
	_ = g.answer(e, proto.FetchContinueWithAuth{RequestID: a.RequestID, AuthChallengeResponse: response})
}

// answer makes a call about a paused request. The browser refuses one about a request that it
// has given up meanwhile. Another error means that its pauses are not answered any more.
func (g *Gate) answer(e wire.Event, call interface{ Call(c proto.Client) error }) error {
	ctx, cancel := context.WithTimeoutCause(g.ctx, takeTime, // the run has failed: its pages ask for what they never get (BR-07.6)
		abi.NewError(abi.CodeBrowserUnstable, "the browser takes no answers to its requests any more", "run it again"))
	if g.ctx.Err() != nil { // the gate closes: what waits is refused
		cancel()
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	}
	defer cancel()
	var refusal *wire.Refusal
	err := call.Call(g.line.On(ctx, e.Session))
	if err != nil && !errors.As(err, &refusal) && g.ctx.Err() == nil {
		g.line.End(err)
	}
	return err
}
