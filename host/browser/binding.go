package browser

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/op"
	"github.com/pdpp-host/pdpp-host/host/browser/profile"
	"github.com/pdpp-host/pdpp-host/host/browser/roles"
)

// Binding is the browser of one run. It starts when it is first used. Close it.
type Binding struct {
	request Request
	asks    *abi.BrowserRequirements
	secret  op.Secret
	roles   *roles.Roles

	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	lock    sync.Mutex
	closed  bool
	waiting int                   // requests that are not answered
	tails   map[int]chan struct{} // by page: closed when its last request is answered

	starting sync.Once
	browser  *Browser
	started  atomic.Pointer[op.Ops]
	err      error // of the start

	fail   func(error, bool)                 // the run; nil: nobody is told
	tell   func(string, map[string]any)      // keeps its events; nil: nobody does
	sends  func(context.Context, bool) error // see Submits; nil: nobody is told
	leased func(abi.Code)                    // see Lease; nil: nobody is told
	fault  atomic.Pointer[error]

	looked func(b *Browser, cookies int) // is told of each look at an owner's window; nil: nobody is

	closing sync.Once
	ended   error // of Close

	replying sync.Mutex // held while an answer is handed over
}

// Bind returns the browser of a run. r has no Admitter, and a Dialer for what is allowed.
func Bind(r Request, asks *abi.BrowserRequirements, governor roles.Governor, secret op.Secret) *Binding {
	b := &Binding{request: r, asks: asks, secret: secret, roles: roles.New(asks.Hosts, governor), tails: map[int]chan struct{}{}}
	b.request.Admitter, b.request.Dialer = b.roles, b.roles.Behind(r.Dialer)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// ProfileOf returns the name of the profile of a connection (BR-02).
func ProfileOf(connector, connection string) string {
	const most, digits = 50, 12
	sum := sha256.Sum256([]byte(connection))
	if len(connector) > most {
		connector = connector[:most]
	}
	return connector + "-" + hex.EncodeToString(sum[:])[:digits]
}

// Forget removes the profile of a connection, so that its sites know its owner no longer.
func Forget(ctx context.Context, profiles, connector, connection string) error {
	return profile.Remove(ctx, profiles, ProfileOf(connector, connection), grace)
}

// Watch has a run fail by what its browser does to it; again says that another run may do
// better. tell keeps an event of the run. It is called before Do.
func (b *Binding) Watch(fail func(why error, again bool), tell func(event string, data map[string]any)) {
	b.fail, b.tell = fail, tell
}

// Submits has keep told before a secret can be sent to a site, and when the site has let the run in.
// A secret that keep refuses is not sent. It is called before Do.
func (b *Binding) Submits(keep func(ctx context.Context, submitted bool) error) { b.sends = keep }

// stalled fails a run whose signing in made no progress (BR-12). Another run would send a secret
// that was sent once more.
func (b *Binding) stalled(label string, submitted bool) {
	hint := "run it again; look at the site when that goes on"
	if submitted {
		hint = "sign in at the site yourself first: your password was sent already"
	}
	if b.fail != nil {
		b.fail(abi.NewError(abi.CodeBrowserStalled, "signing in made no progress after "+label, hint), !submitted)
	}
}

// Asking tells that the owner is asked, or no longer.
func (b *Binding) Asking(open bool) {
	if ops := b.started.Load(); ops != nil {
		ops.Asking(open)
	}
}

// Ready says why no code is to be asked for now: the page of the sign-in that is open, or its browser, is
// gone.
func (b *Binding) Ready(ctx context.Context) error {
	ops := b.started.Load()
	if ops == nil {
		return nil
	}
	if err := ops.Ready(ctx); err != nil {
		return b.browser.because(err)
	}
	return nil
}

// handTime bounds how long a page is made ready for its owner.
const handTime = 2 * time.Minute

// HandOver hands a page over to its owner (BR-15).
func (b *Binding) HandOver(ctx context.Context, h *abi.Handoff) (handoff.Page, error) {
	if !b.hold() {
		return nil, abi.NewError(abi.CodeBrowserClosed, "the run is over", "")
	}
	defer b.working.Done()
	ctx, cancel := context.WithTimeoutCause(ctx, handTime, abi.NewError(abi.CodeBrowserTimeout, "the page cannot be handed over now", "try it again"))
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	ops := b.started.Load()
	if ops == nil {
		return nil, abi.NewError(abi.CodeBrowserPageUnknown, "no page is open", "open one")
	}
	p, err := ops.HandOver(ctx, h)
	if err != nil {
		return nil, b.browser.because(err)
	}
	return &handed{p, b}, nil
}

// hold keeps the browser open until working is done; false: it is closed.
func (b *Binding) hold() bool {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.closed {
		return false
	}
	b.working.Add(1)
	return true
}

// handed is a page that was handed over.
type handed struct {
	handoff.Page

	binding *Binding
}

// Back takes the page back, and keeps what the owner has signed in to.
func (h *handed) Back(ctx context.Context, ok bool) {
	h.Page.Back(ctx, ok)
	if h.binding.hold() {
		defer h.binding.working.Done()
		_ = h.binding.keep() // the end of the run does so again
	}
}

// Do starts a request of the browser operation. Those of one page are carried out one after the
// other, in their order.
func (b *Binding) Do(request []byte, reply func(answer []byte)) error {
	r, invalid := op.Decode(request)
	if invalid != nil {
		r = &abi.BrowserRequest{} // of no page, so that it waits for none
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.closed || b.waiting >= abi.BrowserInFlight {
		return abi.NewError(abi.CodeTooManyInFlight, "too many requests of the browser are unanswered", "take answers with wait first")
	}
	b.waiting++
	before, done := b.tails[r.Page], make(chan struct{})
	b.tails[r.Page] = done
	b.working.Go(func() {
		defer func() {
			b.lock.Lock()
			if b.tails[r.Page] == done {
				delete(b.tails, r.Page)
			}
			b.lock.Unlock()
			close(done)
		}()
		if before != nil {
			<-before
		}
		if invalid != nil {
			b.answer(reply, nil, nil, invalid)
			return
		}
		head, body, err := b.do(r)
		b.answer(reply, head, body, err)
	})
	return nil
}

func (b *Binding) do(r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	b.starting.Do(b.start)
	if b.err != nil {
		return nil, nil, b.err
	}
	head, body, err := b.started.Load().Do(b.ctx, r)
	if hid := b.hide(); hid != nil {
		head, body, err = nil, nil, hid
	}
	switch {
	case b.ctx.Err() != nil:
		err = abi.NewError(abi.CodeBrowserClosed, "the run is over", "")
	case err != nil:
		err = b.browser.because(err)
		b.fails(err, false)
	}
	return head, body, err
}

// start starts the browser.
func (b *Binding) start() {
	defer func() {
		if b.err != nil {
			b.fails(b.err, true)
		}
	}()
	if b.browser, b.err = Acquire(b.ctx, b.request); b.err != nil {
		return
	}
	if b.leased != nil {
		b.leased("")
	}
	o := op.Options{
		Line: b.browser.line, Held: b.browser.gate.Held, Roles: b.roles, StartURL: b.asks.StartURL, Pictures: b.asks.Pictures, BypassCSP: b.asks.BypassCSP, Secret: b.secret, Headers: b.request.Headers,
		Limit: b.request.Limit, Now: b.request.Now, Stalled: b.stalled, Tell: b.tell, Keep: b.sends,
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Halt = b.browser.gate.Close
	if b.request.Capture {
		o.Capture = b.browser.held.Capture
	}
	if b.request.Unsandboxed && b.tell != nil {
		b.tell("run.browser_unsandboxed", nil)
	}
	if b.asks.Downloads {
		o.Downloads = filepath.Join(b.browser.temp.path, "downloads")
	}
	// An empty page stays for as long as the browser does, and its profile with it.
	if _, b.err = (proto.TargetCreateTarget{URL: "about:blank"}).Call(b.browser.line.On(b.ctx, "")); b.err != nil {
		return
	}
	if b.err = b.restore(b.ctx); b.err != nil {
		return
	}
	ops, err := op.New(b.ctx, o)
	if b.err = err; err == nil {
		b.started.Store(ops)
		b.working.Go(func() { b.browser.bound(b.ctx) })
		b.working.Go(b.follow)
	}
}

// follow keeps what the browser ended of, also when no request waits for it.
func (b *Binding) follow() {
	select {
	case <-b.browser.Ended():
		b.fails(b.browser.because(b.browser.line.Err()), false)
	case <-b.ctx.Done():
	}
}

// answer hands an answer over, one at a time: what is not taken waits here, where it counts.
func (b *Binding) answer(reply func([]byte), head *abi.BrowserAnswer, body []byte, err error) {
	if err != nil {
		head, body = &abi.BrowserAnswer{Error: b.started.Load().Failure(err)}, nil
		if f := b.governed(err); f != nil {
			head.Error = f
		}
	}
	b.replying.Lock()
	defer b.replying.Unlock()
	b.lock.Lock()
	b.waiting-- // before the guest can ask again
	b.lock.Unlock()
	reply(op.Encode(head, body))
}

// governed is how a guest reads a failure that was the governor's; nil: it was not.
func (b *Binding) governed(err error) *abi.BrowserFailure {
	var e *abi.Error
	if errors.As(err, &e) && strings.HasPrefix(string(e.Code), "browser.") {
		return nil
	}
	f := b.roles.Failure(err)
	return &abi.BrowserFailure{Code: f.Code, Message: f.Message, Hint: f.Hint, GapReason: f.GapReason, Stop: f.Stop, Final: f.Final}
}

// Keep takes a code that the owner has typed, while a sign-in is open: the host types it.
func (b *Binding) Keep(kind string, data map[string]string) bool {
	ops := b.started.Load()
	return ops != nil && ops.Keep(kind, data)
}

// Refused returns the hosts that the browser did not get to, each with how often it tried.
func (b *Binding) Refused() (names map[string]int, others int) { return b.roles.Refused() }

// Close ends the browser, and returns when everything is answered. It may be called again.
func (b *Binding) Close() error {
	b.closing.Do(func() { b.ended = b.end() })
	return b.ended
}

func (b *Binding) end() error {
	b.lock.Lock()
	b.closed = true
	b.lock.Unlock()
	b.cancel()
	b.working.Wait()
	if ops := b.started.Load(); ops != nil {
		ops.Close()
	}
	if b.browser == nil {
		return nil
	}
	return errors.Join(b.keep(), b.browser.Close())
}
