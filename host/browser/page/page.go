package page

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// The worlds of a page besides its own.
const (
	hosts = "pdpp_host" // the host's
	guest = "pdpp"      // the connector's
)

const infoTime = 2 * time.Second

// Page is one page.
type Page struct {
	Number int // from 1, and never another page's
	Opener int // the number of the page that opened it; 0: the host

	set     *Set
	target  proto.TargetTargetID
	session proto.TargetSessionID
	ctx     context.Context
	cancel  context.CancelCauseFunc

	lock     sync.Mutex
	loader   string // of the document that is there
	passed   int    // documents so far
	seen     map[string]bool
	changed  chan struct{} // closed and made anew with each change
	url, tit string        // that were known last
	fresh    bool          // the browser said so
	take     func(jpeg []byte, ack func())
	capture  *capture // nil: no answers are kept
	doing    int      // operations
	rest     func()   // ends the watch over them

	held atomic.Bool // the owner holds the button of the mouse
}

// end ends the page for a reason.
func (p *Page) end(why error) {
	p.set.lock.Lock()
	if p.set.pages[p.Number] == p { // see Anew
		delete(p.set.pages, p.Number)
	}
	p.set.lock.Unlock()
	p.cancel(why) // last, so that whoever hears of it finds the page no more
	p.lock.Lock()
	p.capture = nil
	p.lock.Unlock()
	p.set.tell("")
}

// on returns what calls of the page go to, for as long as both ctx and the page live.
func (p *Page) on(ctx context.Context) (*wire.Target, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.ctx, func() { cancel(context.Cause(p.ctx)) })
	return p.set.line.On(ctx, p.session), func() {
		stop()
		cancel(nil)
	}
}

// call makes one call that returns nothing.
func (p *Page) call(ctx context.Context, c interface{ Call(c proto.Client) error }) error {
	on, done := p.on(ctx)
	defer done()
	return c.Call(on)
}

// Close closes the page.
func (p *Page) Close(ctx context.Context) error {
	p.end(closed())
	_, err := proto.TargetCloseTarget{TargetID: p.target}.Call(p.set.line.On(ctx, ""))
	if refused(err) { // it is gone already
		return nil
	}
	return err
}

// refused reports whether the browser answered a call, and did not carry it out.
func refused(err error) bool {
	_, is := errors.AsType[*wire.Refusal](err)
	return is
}

// Info returns the page's address and title, which the browser knows without the page: also
// one that hangs has them (BR-14).
func (p *Page) Info(ctx context.Context) (url, title string) {
	ctx, cancel := context.WithTimeout(ctx, infoTime)
	defer cancel()
	got, err := proto.TargetGetTargetInfo{TargetID: p.target}.Call(p.set.line.On(ctx, ""))
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.fresh = err == nil && got.TargetInfo != nil; p.fresh {
		p.url, p.tit = got.TargetInfo.URL, got.TargetInfo.Title
	}
	return p.url, p.tit
}

// Fresh reports whether the browser has answered the newest Info.
func (p *Page) Fresh() bool {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.fresh
}

// note takes notice of a step in the life of the page's document.
func (p *Page) note(loader, step string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if loader != p.loader {
		p.loader, p.seen = loader, map[string]bool{}
		p.passed++
	}
	p.seen[step] = true
	close(p.changed)
	p.changed = make(chan struct{})
}

// Passed counts the documents that the page has had.
func (p *Page) Passed() int {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.passed
}

// steps are the steps by what they are waited for as.
var steps = map[string]string{abi.UntilCommit: "init", abi.UntilDOM: "DOMContentLoaded", abi.UntilLoad: "load", "": "load", abi.UntilQuiet: "networkIdle"}

// arrived returns when the document of loader, or one that has followed it, has come as far as
// until says. With no loader it is any document behind the first passed ones.
func (p *Page) arrived(ctx context.Context, loader string, passed int, until string) error {
	on, done := p.on(ctx)
	defer done()
	if loader != "" {
		passed++
	}
	for {
		p.lock.Lock()
		there := p.seen[steps[until]] && (loader != "" && p.loader == loader || p.passed > passed)
		changed := p.changed
		p.lock.Unlock()
		if there {
			return nil
		}
		select {
		case <-changed:
		case <-on.GetContext().Done():
			return context.Cause(on.GetContext())
		}
	}
}

// world returns the context of a world in the document that is there.
func (p *Page) world(ctx context.Context, name string) (proto.RuntimeExecutionContextID, error) {
	on, done := p.on(ctx)
	defer done()
	got, err := proto.PageCreateIsolatedWorld{FrameID: proto.PageFrameID(p.target), WorldName: name}.Call(on)
	if err != nil {
		return 0, err
	}
	return got.ExecutionContextID, nil
}

// evaluate evaluates an expression whose value is a text.
func (p *Page) evaluate(ctx context.Context, in proto.RuntimeExecutionContextID, expression string) (string, error) {
	on, done := p.on(ctx)
	defer done()
	got, err := proto.RuntimeEvaluate{Expression: expression, ContextID: in, AwaitPromise: true, ReturnByValue: true, Silent: true}.Call(on)
	switch {
	case err != nil:
		p.revive(err)
		return "", err
	case got.ExceptionDetails != nil:
		text := got.ExceptionDetails.Text
		if x := got.ExceptionDetails.Exception; x != nil && x.Description != "" {
			text = x.Description
		}
		return "", abi.NewError(abi.CodeBrowserScript, "the function threw: "+clip(text, mostText), "this is the connector's, or the site has changed")
	}
	return got.Result.Value.Str(), nil
}

// revive ends a script that does not end, and the page with it when that does not help.
func (p *Page) revive(err error) {
	if abi.CodeOf(err) != abi.CodeBrowserTimeout || p.ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, aliveTime)
	defer cancel()
	_ = proto.RuntimeTerminateExecution{}.Call(p.set.line.On(ctx, p.session))
	if !p.alive(p.ctx) && p.ctx.Err() == nil {
		p.set.lose(p, hung())
	}
}

// run runs one of the host's functions in the host's world of the document that is there.
func (p *Page) run(ctx context.Context, into any, fn string, args ...any) error {
	in, err := p.world(ctx, hosts)
	if err != nil {
		return p.settled(err)
	}
	packed, err := json.Marshal(append([]any{}, args...)) // a list, also of nothing
	if err != nil {
		return err
	}
	text, err := p.evaluate(ctx, in, "(async () => JSON.stringify(await ("+fn+")(..."+string(packed)+") ?? null))()")
	if err != nil {
		return p.settled(err)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal([]byte(text), into)
}

// settled says of a document that went away under a call that it did.
func (p *Page) settled(err error) error {
	if refused(err) {
		return abi.NewError(abi.CodeBrowserNotLoaded, "the page went elsewhere meanwhile", "wait for it, and try again").Wrap(err)
	}
	return err
}

// mostText bounds what an exception says, in bytes.
const mostText = 512

func clip(s string, most int) string {
	if len(s) > most {
		s = s[:most]
		for len(s) > 0 && s[len(s)-1]&0xC0 == 0x80 {
			s = s[:len(s)-1]
		}
	}
	return s
}
