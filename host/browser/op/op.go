package op

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
	"github.com/pdpp-host/pdpp-host/host/browser/roles"
	"github.com/pdpp-host/pdpp-host/host/browser/watch"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// Options are what operations work with.
type Options struct {
	Line      *wire.Line
	Roles     *roles.Roles
	StartURL  string // where the pages of the connector begin
	Secret    Secret
	Headers   func(http.Header) error // says why a connector may not name them; nil: it names none
	Held      func() []string         // frames whose scripts wait at the gate; nil: none does
	Pictures  bool                    // the manifest asks for screenshots
	BypassCSP bool                    // and to pass its pages' policies
	Downloads string                  // the folder for them; "": the manifest asks for none

	Limit   time.Duration // how long signing in may go without progress; 0: watch.DefaultLimit
	Now     func() time.Time
	Stalled func(label string, submitted bool) // signing in made no progress after label; called once
	Tell    func(event string, data map[string]any)
	// Keep is told before a secret can be sent to a site, and when the site has let the run in; nil:
	// nobody is.
	Keep func(ctx context.Context, submitted bool) error
	Halt func() // closes the gate: nothing more goes out

	// Capture keeps what was captured of a page, and returns what it is known by (BR-19); nil:
	// nothing is captured.
	Capture func(at time.Time, text []byte) (id string, err error)
}

// Secret returns the value of a credential's field, and whether it may be seen: what may not is
// typed into fields for passwords alone.
type Secret func(ctx context.Context, field string) (value string, public, ok bool, err error)

// Ops are the operations of one run. Close them.
type Ops struct {
	options Options
	pages   *page.Set
	files   *files

	window sync.RWMutex // held to read by every operation, and to write by those that open and shut it
	signIn *signIn      // nil: nobody is signed in now
	hand   *hand        // nil: no page is in its owner's hands
	codes  codes
	dog    dog
	over   atomic.Bool // signing in made no progress

	lock     sync.Mutex
	label    string
	repeats  int
	labelled int
	marks    int
	outlines int
}

// New returns the operations on the browser of a line.
func New(ctx context.Context, o Options) (*Ops, error) {
	pages, err := page.New(ctx, o.Line, o.BypassCSP, o.Held)
	if err != nil {
		return nil, err
	}
	if o.Tell == nil {
		o.Tell = func(string, map[string]any) {}
	}
	ops := &Ops{options: o, pages: pages}
	ops.dog = dog{now: o.Now, watch: watch.Watch{Limit: o.Limit}, trip: ops.stalled, end: ops.release}
	if ops.files, err = newFiles(ctx, o.Line, o.Downloads); err != nil {
		pages.Close()
		return nil, err
	}
	return ops, nil
}

// stalled ends what goes on in a browser in which signing in made no progress (BR-12): no code that
// still runs can press a button there later. A capture of the page is kept first.
func (o *Ops) stalled(label string) {
	o.over.Store(true)
	o.options.Roles.SignIn(false)
	o.options.Stalled(label, o.codes.submitted()) // first: the run has this reason, and not that its browser is gone
	if o.options.Capture != nil {
		o.options.Halt()
		o.outlineStalled(label)
	}
}

// release ends that browser.
func (o *Ops) release() { o.options.Line.End(stalled()) }

func stalled() error {
	return abi.NewError(abi.CodeBrowserClosed, "signing in made no progress, and was ended", "try it again")
}

// Asking tells that the owner is asked, or no longer: signing in waits for that.
func (o *Ops) Asking(open bool) {
	kind := watch.InteractionClosed
	if open {
		kind = watch.InteractionOpened
	}
	o.dog.happens(kind, "")
}

// Close ends what is done.
func (o *Ops) Close() {
	o.dog.rest()
	o.pages.Close()
	o.files.close()
}

// operation is one of them.
type operation struct {
	do     func(o *Ops, ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error)
	window bool  // it is allowed while the owner is signed in
	still  bool  // it does nothing on a page
	opens  bool  // it opens or shuts that window, and nothing else goes on meanwhile
	most   int64 // milliseconds, when the request names none
}

var operations map[string]operation

func init() { //nolint:gochecknoinits // the operations lead back here
	const long = 120_000
	operations = map[string]operation{
		abi.BrowserOpen:         {do: (*Ops).open, most: long},
		abi.BrowserClose:        {do: (*Ops).close},
		abi.BrowserList:         {do: (*Ops).list, window: true, still: true},
		abi.BrowserGoto:         {do: (*Ops).navigate, window: true, most: long},
		abi.BrowserBack:         {do: (*Ops).back, most: long},
		abi.BrowserReload:       {do: (*Ops).reload, most: long},
		abi.BrowserWait:         {do: (*Ops).wait, window: true},
		abi.BrowserProbe:        {do: (*Ops).probe, window: true},
		abi.BrowserText:         {do: (*Ops).text},
		abi.BrowserAttr:         {do: (*Ops).text},
		abi.BrowserHTML:         {do: (*Ops).html},
		abi.BrowserClick:        {do: (*Ops).click, window: true, most: long},
		abi.BrowserFill:         {do: (*Ops).fill, window: true},
		abi.BrowserPress:        {do: (*Ops).press, window: true},
		abi.BrowserSelect:       {do: (*Ops).choose},
		abi.BrowserEval:         {do: (*Ops).eval},
		abi.BrowserFetch:        {do: (*Ops).fetch, most: abi.BrowserMostMS},
		abi.BrowserDownloadArm:  {do: (*Ops).arm, still: true},
		abi.BrowserDownloadNext: {do: (*Ops).next, still: true, most: long},
		abi.BrowserDownloadRead: {do: (*Ops).read, still: true},
		abi.BrowserCaptureStart: {do: (*Ops).capture},
		abi.BrowserCaptureNext:  {do: (*Ops).captured},
		abi.BrowserCaptureStop:  {do: (*Ops).captureNoMore},
		abi.BrowserScreenshot:   {do: (*Ops).picture},
		abi.BrowserSession:      {do: (*Ops).session, window: true, still: true},
		abi.BrowserCheckpoint:   {do: (*Ops).checkpoint, window: true, still: true},
		abi.BrowserSignInBegin:  {do: (*Ops).begin, opens: true, most: long},
		abi.BrowserSignInEnd:    {do: (*Ops).end, opens: true, window: true, most: long},
	}
}

// Do carries out a request that Decode has returned.
func (o *Ops) Do(ctx context.Context, r *abi.BrowserRequest) (head *abi.BrowserAnswer, body []byte, err error) {
	op := operations[r.Do]
	if op.opens {
		o.window.Lock()
		defer o.window.Unlock()
	} else {
		o.window.RLock()
		defer o.window.RUnlock()
	}
	if o.over.Load() {
		return nil, nil, stalled()
	}
	if o.hand != nil {
		return nil, nil, abi.NewError(abi.CodeBrowserHandedOver, "the page is its owner's, who was asked to act there", "wait for the answer to the INTERACTION")
	}
	if o.signIn != nil && !op.window {
		return nil, nil, abi.NewError(abi.CodeBrowserSignIn, "nothing is read while the owner is signed in", "end that with sign_in.end first")
	}
	if err := o.options.Line.Err(); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, Deadline(r), abi.NewError(abi.CodeBrowserTimeout, "the operation "+r.Do+" took too long", "give it more time, or wait for something that comes sooner"))
	defer cancel()
	if p, err := o.pages.Page(r.Page); err == nil && !op.still {
		defer p.Doing()()
	}
	return op.do(o, ctx, r)
}

// Failure is how a guest reads an error.
func (o *Ops) Failure(err error) *abi.BrowserFailure {
	f := failure(err)
	if o != nil && o.codes.submitted() { // another attempt would sign in again (BR-13.5)
		f.Retryable = false
	}
	return f
}

func failure(err error) *abi.BrowserFailure {
	e := typed(err)
	return &abi.BrowserFailure{Code: e.Code, Message: e.Message, Hint: e.Hint, Retryable: abi.BrowserRetryable(e.Code)}
}

// governed is how a guest reads a request that the governor had no good answer for.
func (o *Ops) governed(err error) *abi.BrowserFailure {
	f := o.options.Roles.Failure(err)
	return &abi.BrowserFailure{Code: f.Code, Message: f.Message, Hint: f.Hint, GapReason: f.GapReason, Stop: f.Stop, Final: f.Final}
}

// Encode writes an answer: its head on a line, and its body behind it.
func Encode(head *abi.BrowserAnswer, body []byte) []byte {
	b, err := json.Marshal(head)
	if err != nil { // nothing in it can fail
		b = []byte(`{"error":{"code":"internal.error","message":"the answer cannot be written"}}`)
	}
	out := make([]byte, 0, len(b)+1+len(body))
	return append(append(append(out, b...), '\n'), body...)
}

const poll = 100 * time.Millisecond

// take takes a lock by try, unless ctx ends before.
func take(ctx context.Context, try func() bool) error {
	for !try() {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(poll):
		}
	}
	return nil
}
