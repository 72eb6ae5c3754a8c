package page

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

const (
	queue      = 4096 // events that wait to be looked at
	small      = 10 * time.Second
	mostCrash  = 3
	openerless = "about:blank" // where a page begins that the host makes
)

// Set are the pages of one browser. Close it.
type Set struct {
	line    *wire.Line
	csp     bool            // pages are read past their own policies
	held    func() []string // frames whose scripts wait at the gate; nil: nobody knows
	ctx     context.Context
	cancel  context.CancelCauseFunc
	working sync.WaitGroup

	lock    sync.Mutex
	pages   map[int]*Page
	last    int
	crashes int
	alone   bool // no page may open another, but with popups
	popups  bool
	popped  chan struct{}
	changed chan struct{} // closed and made anew with each change
	told    string        // what was refused last, see handoff.State
}

// New watches over the pages that line's browser will have. With csp the policy that a page has of
// itself binds nothing that is done in it. held are the frames whose scripts wait at the gate; nil:
// none does.
func New(ctx context.Context, line *wire.Line, csp bool, held func() []string) (*Set, error) {
	s := &Set{line: line, csp: csp, held: held, pages: map[int]*Page{}, popped: make(chan struct{}), changed: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	events := map[string]func(wire.Event){}
	on := func(e proto.Event, do func(wire.Event)) { events[e.ProtoEvent()] = do }
	on(proto.TargetTargetCreated{}, s.created)
	on(proto.TargetTargetDestroyed{}, s.destroyed)
	on(proto.TargetTargetCrashed{}, s.crashed)
	on(proto.TargetTargetInfoChanged{}, s.moved)
	on(proto.PageLifecycleEvent{}, s.lived)
	on(proto.PageJavascriptDialogOpening{}, s.asked)
	on(proto.PageFileChooserOpened{}, s.chose)
	on(proto.PageScreencastFrame{}, s.framed)
	for method, do := range events {
		s.follow(line.Queue(method, queue), do)
	}
	s.follow(line.Together(queue, received, finished, failed), s.answered)
	err := proto.TargetSetDiscoverTargets{Discover: true}.Call(line.On(ctx, ""))
	return s, err
}

// follow hands events on until the pages are closed.
func (s *Set) follow(q <-chan wire.Event, do func(wire.Event)) {
	s.working.Go(func() {
		for {
			select {
			case e := <-q:
				do(e)
			case <-s.line.Ended():
				s.cancel(s.line.Err())
				return
			case <-s.ctx.Done():
				return
			}
		}
	})
}

// Close ends what is done on the pages. They go with their browser.
func (s *Set) Close() {
	s.cancel(abi.NewError(abi.CodeBrowserClosed, "the browser is closed", ""))
	s.working.Wait()
}

// Page returns the page of a number.
func (s *Set) Page(number int) (*Page, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if p := s.pages[number]; p != nil {
		return p, nil
	}
	return nil, abi.NewError(abi.CodeBrowserPageUnknown, "there is no such page, or it is closed", "open one")
}

// All returns the pages in the order in which they were opened.
func (s *Set) All() []*Page {
	s.lock.Lock()
	defer s.lock.Unlock()
	all := make([]*Page, 0, len(s.pages))
	for _, p := range s.pages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *Page) int { return a.Number - b.Number })
	return all
}

// Open opens an empty page.
func (s *Set) Open(ctx context.Context) (*Page, error) {
	s.lock.Lock()
	full := len(s.pages) >= abi.BrowserPages
	s.lock.Unlock()
	if full {
		return nil, abi.NewError(abi.CodeBrowserTooMany, "too many pages are open", "close one first")
	}
	made, err := proto.TargetCreateTarget{URL: openerless}.Call(s.line.On(ctx, ""))
	if err != nil {
		return nil, err
	}
	return s.attach(ctx, made.TargetID, 0, 0)
}

// Anew returns an empty page of p's number in p's place. Nothing in it knows where p has been.
func (s *Set) Anew(ctx context.Context, p *Page) (*Page, error) {
	if err := p.Close(ctx); err != nil {
		return nil, err
	}
	made, err := proto.TargetCreateTarget{URL: openerless}.Call(s.line.On(ctx, ""))
	if err != nil {
		return nil, err
	}
	return s.attach(ctx, made.TargetID, 0, p.Number)
}

// attach takes a page over, under a number of its own unless it is given one.
func (s *Set) attach(ctx context.Context, target proto.TargetTargetID, opener, number int) (*Page, error) {
	attached, err := proto.TargetAttachToTarget{TargetID: target, Flatten: true}.Call(s.line.On(ctx, ""))
	if err != nil {
		return nil, err
	}
	p := &Page{set: s, target: target, session: attached.SessionID, Opener: opener, changed: make(chan struct{}), seen: map[string]bool{}}
	p.ctx, p.cancel = context.WithCancelCause(s.ctx)
	s.lock.Lock()
	if p.Number = number; number == 0 {
		s.last++
		p.Number = s.last
	}
	s.pages[p.Number] = p
	alone := s.alone
	s.lock.Unlock()
	calls := []interface{ Call(c proto.Client) error }{
		proto.PageEnable{}, proto.PageSetBypassCSP{Enabled: s.csp && !alone}, proto.PageSetLifecycleEventsEnabled{Enabled: true}, proto.PageSetInterceptFileChooserDialog{Enabled: true},
	}
	if alone { // it goes past what its site or a connector has left to answer in its place
		calls = append(calls, proto.NetworkEnable{}, proto.NetworkSetBypassServiceWorker{Bypass: true}, proto.NetworkSetCacheDisabled{CacheDisabled: true})
	}
	for _, call := range calls {
		if err := call.Call(s.line.On(ctx, p.session)); err != nil {
			p.end(closed())
			return nil, err
		}
	}
	return p, nil
}

// Alone closes every page, and lets none open another while on is true. Those that are opened then go
// past service workers and the cache.
func (s *Set) Alone(ctx context.Context, on bool) error {
	s.lock.Lock()
	s.alone = on
	s.lock.Unlock()
	if !on {
		return nil
	}
	for _, p := range s.All() {
		if err := p.Close(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Opened returns a page that p has opened since it had n of them, when there is one.
func (s *Set) Opened(ctx context.Context, p *Page, after int) (*Page, error) {
	for {
		s.lock.Lock()
		var found *Page
		for _, q := range s.pages {
			if q.Opener == p.Number && q.Number > after {
				found = q
			}
		}
		popped := s.popped
		s.lock.Unlock()
		if found != nil {
			return found, nil
		}
		select {
		case <-popped:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Last is the highest number that a page has had.
func (s *Set) Last() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.last
}

func (s *Set) of(match func(*Page) bool) *Page {
	s.lock.Lock()
	defer s.lock.Unlock()
	for _, p := range s.pages {
		if match(p) {
			return p
		}
	}
	return nil
}

func (s *Set) ofTarget(id proto.TargetTargetID) *Page {
	return s.of(func(p *Page) bool { return p.target == id })
}

func (s *Set) ofSession(id proto.TargetSessionID) *Page {
	return s.of(func(p *Page) bool { return p.session == id })
}

// created takes over a page that another one has opened, or closes it.
func (s *Set) created(e wire.Event) {
	var t proto.TargetTargetCreated
	if json.Unmarshal(e.Params, &t) != nil || t.TargetInfo == nil || t.TargetInfo.Type != proto.TargetTargetInfoTypePage {
		return
	}
	opener := s.ofTarget(t.TargetInfo.OpenerID)
	if opener == nil && t.TargetInfo.URL == openerless {
		return // the host's own
	}
	s.lock.Lock()
	refused := opener == nil || s.alone && !s.popups || len(s.pages) >= abi.BrowserPages
	s.lock.Unlock()
	ctx, cancel := context.WithTimeout(s.ctx, small)
	defer cancel()
	if !refused {
		_, err := s.attach(ctx, t.TargetInfo.TargetID, opener.Number, 0)
		refused = err != nil
	}
	if refused {
		_, _ = proto.TargetCloseTarget{TargetID: t.TargetInfo.TargetID}.Call(s.line.On(ctx, "")) // it may be gone already
		s.tell(handoff.ToldPopup)
		return
	}
	s.tell("")
	s.lock.Lock()
	close(s.popped)
	s.popped = make(chan struct{})
	s.lock.Unlock()
}

func (s *Set) destroyed(e wire.Event) {
	var t proto.TargetTargetDestroyed
	if json.Unmarshal(e.Params, &t) != nil {
		return
	}
	if p := s.ofTarget(t.TargetID); p != nil {
		p.end(closed())
	}
}

// crashed ends a page whose process is gone, and the browser after too many of them (BR-16).
func (s *Set) crashed(e wire.Event) {
	var t proto.TargetTargetCrashed
	if json.Unmarshal(e.Params, &t) != nil {
		return
	}
	if p := s.ofTarget(t.TargetID); p != nil {
		s.lose(p, abi.NewError(abi.CodeBrowserPageCrashed, "the page has crashed", "open another one"))
	}
}

// lose ends a page that is no use any more.
func (s *Set) lose(p *Page, why error) {
	p.end(why)
	ctx, cancel := context.WithTimeout(s.ctx, small)
	defer cancel()
	_, _ = proto.TargetCloseTarget{TargetID: p.target}.Call(s.line.On(ctx, ""))
	s.lock.Lock()
	s.crashes++
	over := s.crashes > mostCrash
	s.lock.Unlock()
	if over {
		s.line.End(abi.NewError(abi.CodeBrowserUnstable, "pages crashed or hung too often", "run it again"))
	}
}

// moved closes a page that has gone where no page may be (BR-09).
func (s *Set) moved(e wire.Event) {
	var t proto.TargetTargetInfoChanged
	if json.Unmarshal(e.Params, &t) != nil || t.TargetInfo == nil {
		return
	}
	p := s.ofTarget(t.TargetInfo.TargetID)
	if p == nil {
		return
	}
	p.lock.Lock()
	p.url, p.tit = t.TargetInfo.URL, t.TargetInfo.Title
	p.lock.Unlock()
	s.tell("")
	scheme, _, _ := strings.Cut(t.TargetInfo.URL, ":")
	switch scheme {
	case "", "https", "about", "chrome-error":
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, small)
	defer cancel()
	_ = p.Close(ctx)
}

// lived notes how far a page has come.
func (s *Set) lived(e wire.Event) {
	var l proto.PageLifecycleEvent
	p := s.ofSession(e.Session)
	if p == nil || json.Unmarshal(e.Params, &l) != nil || string(l.FrameID) != string(p.target) {
		return
	}
	p.note(string(l.LoaderID), string(l.Name))
}

// asked answers a dialog, which nobody sees: its page would wait for ever.
func (s *Set) asked(e wire.Event) {
	var d proto.PageJavascriptDialogOpening
	if json.Unmarshal(e.Params, &d) != nil {
		return
	}
	s.tell(handoff.ToldDialog)
	ctx, cancel := context.WithTimeout(s.ctx, small)
	defer cancel()
	_ = proto.PageHandleJavaScriptDialog{Accept: d.Type == proto.PageDialogTypeBeforeunload}.Call(s.line.On(ctx, e.Session))
}

func closed() error {
	return abi.NewError(abi.CodeBrowserPageUnknown, "the page is closed", "open one")
}
