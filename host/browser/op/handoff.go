package op

import (
	"context"
	"maps"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
	"github.com/pdpp-host/pdpp-host/host/browser/roles"
)

const (
	doneEvery = 500 * time.Millisecond // it is looked whether the owner is done
	doneTime  = 2 * time.Second        // for a look
	actTime   = 3 * time.Second        // for one event
	mostHosts = 16                     // that are offered to be allowed
	mostTitle = 200                    // characters
)

// hand is the window of a sign-in in its owner's hands (BR-15). It is a handoff.Page.
type hand struct {
	ops    *Ops
	main   *page.Page
	opened bool             // it has opened the window; false: that is a sign-in's
	done   *abi.HandoffDone // nil: the owner says when
	before map[string]int   // hosts that were refused before

	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup
	newest  int // the number of the newest page, of the goroutine that watches

	casting sync.Mutex // held while the page that is shown changes
	cast    *cast      // nil: nobody looks on

	lock     sync.Mutex
	shown    int // the page's number
	viewport string
	refused  []string
	told     handoff.State
	changed  chan struct{} // closed and made anew with each change
	ended    chan struct{}
	outcome  string
}

// HandOver hands a page over to the owner.
func (o *Ops) HandOver(ctx context.Context, h *abi.Handoff) (handoff.Page, error) {
	if err := take(ctx, o.window.TryLock); err != nil { // what goes on is done before
		return nil, err
	}
	defer o.window.Unlock()
	if d := h.DoneWhen; d != nil {
		if err := handedWhen(d); err != nil {
			return nil, err
		}
	}
	p, err := o.pages.Page(max(int(h.Page), 1))
	if err != nil {
		return nil, err
	}
	before, _ := o.options.Roles.Refused()
	w := &hand{
		ops: o, main: p, opened: o.signIn == nil, done: h.DoneWhen, before: before, viewport: handoff.Viewports[0],
		changed: make(chan struct{}), ended: make(chan struct{}),
	}
	o.files.disarm(ctx)
	if err := o.codes.submit(ctx, o.options.Keep); err != nil { // the owner may send what the host has typed
		return nil, err
	}
	if w.opened {
		address, _ := p.Info(ctx)
		if !p.Fresh() { // it is where it was known last (BR-14)
			o.options.Tell("run.browser_metadata_timeout", map[string]any{"page": p.Number})
		}
		u, err := url.Parse(address)
		if err != nil || o.provider(address) != nil && o.options.Roles.Of(u.Hostname()) != abi.RoleSignIn {
			address = o.options.StartURL
		}
		if _, _, err := o.begin(ctx, &abi.BrowserRequest{URL: address}); err != nil {
			return nil, err
		}
		w.main = o.signIn.page
	} else if p != o.signIn.page {
		return nil, abi.NewError(abi.CodeBrowserSignIn, "another page is the one of the sign-in", "hand that one over")
	}
	if err := w.open(ctx); err != nil {
		w.leave(ctx, false)
		return nil, err
	}
	o.hand = w
	return w, nil
}

// handedWhen refuses conditions that could ask for what the owner types.
func handedWhen(d *abi.HandoffDone) error {
	if !plain.MatchString(d.Selector) || strings.ContainsAny(d.URLPrefix, "?#") {
		return abi.NewError(abi.CodeBrowserSignIn, "the condition may ask for what the owner types", "select by names, classes, ids and types, or by an address without a query")
	}
	return nil
}

// open makes the window ready for its owner.
func (w *hand) open(ctx context.Context) error {
	o := w.ops
	if err := o.pages.Deny(ctx); err != nil {
		return err
	}
	if err := w.cover(ctx, w.main, w.viewport); err != nil {
		return err
	}
	w.shown, w.newest = w.main.Number, w.main.Number
	o.pages.Popups(true)
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w.working.Go(w.watch)
	return nil
}

// watch ends the hand-off when what it is for has happened, or its browser is gone.
func (w *hand) watch() {
	look := time.NewTicker(doneEvery)
	defer look.Stop()
	for {
		changed, _ := w.ops.pages.Changed()
		w.note()
		if outcome := w.over(); outcome != "" {
			w.lock.Lock()
			w.outcome = outcome
			close(w.ended)
			w.lock.Unlock()
			return
		}
		select {
		case <-w.ctx.Done():
			return
		case <-w.ops.options.Line.Ended():
		case <-look.C:
		case <-changed:
			select { // not at every step of a page that does nothing else
			case <-w.ctx.Done():
				return
			case <-time.After(doneEvery / 5):
			}
		}
	}
}

// over says how the hand-off has ended by itself; "": it has not.
func (w *hand) over() string {
	pages := w.ops.pages.All()
	if w.ops.options.Line.Err() != nil || len(pages) == 0 {
		return handoff.OutcomeLost
	}
	if w.done == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(w.ctx, doneTime)
	defer cancel()
	if w.holds(ctx, pages) {
		return handoff.OutcomeDone
	}
	return ""
}

// holds reports whether done_when does.
func (w *hand) holds(ctx context.Context, pages []*page.Page) bool {
	if len(w.done.Session) > 0 {
		cookies, err := w.ops.cookies(ctx, w.done.Session)
		return err == nil && !slices.ContainsFunc(cookies, func(c abi.BrowserCookie) bool { return !c.Present })
	}
	for _, p := range pages {
		if w.done.URLPrefix != "" {
			if address, _ := p.Known(); strings.HasPrefix(address, w.done.URLPrefix) {
				return true
			}
			continue
		}
		found, err := p.Probe(ctx, []string{w.done.Selector})
		if err == nil && len(found) == 1 && found[0].Visible {
			return true
		}
	}
	return false
}

// note takes notice of what has changed, and shows a page that was opened, or another in the place
// of one that is gone.
func (w *hand) note() {
	all := w.ops.pages.All()
	for _, p := range all {
		p.Info(w.ctx) // what a page tells of before it is known is not heard
	}
	if len(all) > 0 {
		last := all[len(all)-1]
		if _, _, err := w.current(); err != nil || last.Number > w.newest {
			ctx, cancel := context.WithTimeout(w.ctx, actTime)
			_ = w.show(ctx, last) // it may be gone as well: the next look sees that
			cancel()
			w.newest = last.Number
		}
	}
	names, _ := w.ops.options.Roles.Refused()
	state, _ := w.State()
	w.lock.Lock()
	defer w.lock.Unlock()
	state.Refused = make([]string, 0, len(names))
	for _, h := range slices.Sorted(maps.Keys(names)) {
		if names[h] > w.before[h] && roles.Allowable(h) && len(state.Refused) < mostHosts {
			state.Refused = append(state.Refused, h)
		}
	}
	if !reflect.DeepEqual(state, w.told) {
		w.refused, w.told = state.Refused, state
		w.change()
	}
}

// change wakes those who wait for a change. The lock is held.
func (w *hand) change() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// State implements handoff.Surface.
func (w *hand) State() (handoff.State, <-chan struct{}) {
	_, told := w.ops.pages.Changed()
	w.lock.Lock()
	s := handoff.State{Page: w.shown, Viewport: w.viewport, Refused: w.refused, Told: told}
	changed := w.changed
	w.lock.Unlock()
	for _, p := range w.ops.pages.All() {
		address, title := p.Known()
		host := ""
		if u, err := url.Parse(address); err == nil {
			host = u.Hostname()
		}
		if p.Number == s.Page {
			s.Host = host
		}
		s.Pages = append(s.Pages, handoff.PageShown{Number: p.Number, Host: host[:min(len(host), mostName)], Title: clip(title)})
	}
	return s, changed
}

func clip(title string) string {
	r := []rune(strings.ToValidUTF8(title, ""))
	return string(r[:min(len(r), mostTitle)])
}

// Ended implements handoff.Surface.
func (w *hand) Ended() <-chan struct{} { return w.ended }

// Outcome implements handoff.Surface.
func (w *hand) Outcome() string {
	w.lock.Lock()
	defer w.lock.Unlock()
	return w.outcome
}

// current is the page that is shown.
func (w *hand) current() (p *page.Page, viewport string, err error) {
	w.lock.Lock()
	number, viewport := w.shown, w.viewport
	w.lock.Unlock()
	p, err = w.ops.pages.Page(number)
	return p, viewport, err
}

// Do implements handoff.Surface.
func (w *hand) Do(ctx context.Context, e handoff.Event) error {
	ctx, cancel := context.WithTimeoutCause(ctx, actTime, abi.NewError(abi.CodeBrowserTimeout, "the page does not take it", "wait, or load it again"))
	defer cancel()
	switch e.Do {
	case handoff.Choose, handoff.Close:
		p, err := w.ops.pages.Page(e.Page)
		if err != nil {
			return err
		}
		if e.Do == handoff.Choose {
			return w.show(ctx, p)
		}
		if p.Opener == 0 {
			return abi.NewError(handoff.CodeInputInvalid, "that page is the one it began with", "close one that it has opened")
		}
		return p.Close(ctx)
	case handoff.Allow:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if !w.ops.options.Roles.Allow(e.Host) {
			return abi.NewError(handoff.CodeInputInvalid, "that host cannot be allowed", "tell the connector's author")
		}
		w.ops.options.Tell("run.browser_host_allowed", map[string]any{"host": e.Host})
		w.lock.Lock()
		w.before[e.Host] = math.MaxInt // it is offered no longer
		w.lock.Unlock()
		return nil
	}
	p, _, err := w.current()
	if err != nil {
		return err
	}
	if e.Do == handoff.Viewport {
		w.casting.Lock()
		defer w.casting.Unlock()
		w.lock.Lock()
		w.viewport = e.Viewport
		w.change()
		w.lock.Unlock()
		if w.cast != nil {
			_ = p.Still(ctx)
		}
		return w.cover(ctx, p, e.Viewport)
	}
	return p.Act(ctx, e)
}

// Back implements handoff.Page: the window is as it was, and ends when the hand-off has opened it.
func (w *hand) Back(ctx context.Context, ok bool) {
	w.cancel()
	w.working.Wait()
	w.ops.window.Lock()
	defer w.ops.window.Unlock()
	ctx, cancel := context.WithTimeout(ctx, Deadline(&abi.BrowserRequest{Do: abi.BrowserSignInEnd}))
	defer cancel()
	w.leave(ctx, ok)
	w.ops.hand = nil
}

// leave takes back what the owner was given. The window is held.
func (w *hand) leave(ctx context.Context, ok bool) {
	o := w.ops
	o.pages.Popups(false)
	o.options.Roles.Disallow()
	for _, p := range o.pages.All() {
		if p != w.main {
			_ = p.Close(ctx) // those that fail are gone
		}
	}
	_ = w.main.Still(ctx)
	_ = w.main.Size(ctx, "")
	if w.opened {
		_, _, _ = o.end(ctx, &abi.BrowserRequest{OK: ok}) // it closes the page where that fails
	}
}
