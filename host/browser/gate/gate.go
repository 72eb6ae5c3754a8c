package gate

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/url"
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
	random    = 16 // bytes in the proof's address
)

// Request is a paused request.
type Request struct {
	Method string
	URL    string
	Kind   string // Document, XHR, Fetch, Image, ...
}

// Admitter decides on requests; nil: this one may go. Admit may wait, until ctx ends. It is
// called from many goroutines.
type Admitter interface {
	Admit(ctx context.Context, r Request) error
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
	seen   chan struct{} // closed when the canary was paused
}

// New returns the gate of a browser, which is open. The wall asks for name and password.
func New(line *wire.Line, admitter Admitter, name, password string) *Gate {
	g := &Gate{line: line, admitter: admitter, name: name, password: password, slots: make(chan struct{}, waiting), seen: make(chan struct{})}
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

// paused decides on one request.
func (g *Gate) paused(e wire.Event) {
	var p proto.FetchRequestPaused
	if err := json.Unmarshal(e.Params, &p); err != nil || p.Request == nil {
		g.line.End(abi.NewError(abi.CodeBrowserClosed, "the browser pauses a request and does not say which", "another version of the browser may help"))
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
		g.answer(e, proto.FetchFulfillRequest{RequestID: p.RequestID, ResponseCode: 204, Body: []byte{}})
	case let:
		g.answer(e, proto.FetchContinueRequest{RequestID: p.RequestID})
	case refuse:
		g.fail(e, p.RequestID)
	case ask:
		select {
		case g.slots <- struct{}{}:
			g.working.Go(func() {
				defer func() { <-g.slots }()
				r := Request{p.Request.Method, p.Request.URL, string(p.ResourceType)}
				if err := g.admitter.Admit(g.ctx, r); err != nil || g.ctx.Err() != nil {
					g.fail(e, p.RequestID)
					return
				}
				g.answer(e, proto.FetchContinueRequest{RequestID: p.RequestID})
			})
		default: // a page asks for more than anybody waits for
			g.fail(e, p.RequestID)
		}
	}
}

func (g *Gate) fail(e wire.Event, id proto.FetchRequestID) {
	g.answer(e, proto.FetchFailRequest{RequestID: id, ErrorReason: proto.NetworkErrorReasonBlockedByClient})
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
	g.answer(e, proto.FetchContinueWithAuth{RequestID: a.RequestID, AuthChallengeResponse: response})
}

// answer makes a call about a paused request. The browser refuses one about a request that it
// has given up meanwhile. Another error means that its pauses are not answered any more.
func (g *Gate) answer(e wire.Event, call interface{ Call(c proto.Client) error }) {
	ctx, cancel := g.ctx, context.CancelFunc(func() {})
	if ctx.Err() != nil { // the gate closes: what waits is refused
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	}
	defer cancel()
	var refusal *wire.Refusal
	if err := call.Call(g.line.On(ctx, e.Session)); err != nil && !errors.As(err, &refusal) && g.ctx.Err() == nil {
		g.line.End(err)
	}
}
