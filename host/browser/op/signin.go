package op

import (
	"context"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/page"
	"github.com/pdpp-host/pdpp-host/host/browser/watch"
)

// signIn is the time in which the owner is signed in, on one page.
type signIn struct{ page *page.Page }

// codes are what the owner typed for the window that is open, and what was typed of it.
type codes struct {
	lock   sync.Mutex
	open   bool
	once   map[string]string // by the name of the question's property
	typed  bool              // a secret stands on the page
	handed bool              // and may have been sent, and the connector has not said since that it let the run in
	sent   bool              // the same, whatever the connector says
}

// Keep takes an answer of the owner's to a question that was asked while the window is open.
func (o *Ops) Keep(kind string, data map[string]string) bool {
	if kind != abi.InteractionOTP {
		return false
	}
	o.codes.lock.Lock()
	defer o.codes.lock.Unlock()
	if !o.codes.open {
		return false
	}
	maps.Copy(o.codes.once, data)
	return true
}

// Ready says why the window that is open takes no code from its owner: its page or its browser is
// gone. A code that is asked for then is used up for nothing.
func (o *Ops) Ready(ctx context.Context) error {
	if err := take(ctx, o.window.TryRLock); err != nil {
		return err
	}
	defer o.window.RUnlock()
	if o.signIn == nil {
		return nil
	}
	return o.signIn.page.Answers(ctx)
}

func (c *codes) set(open bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.open, c.once, c.typed = open, map[string]string{}, false
}

// SigningIn reports whether the owner is signed in now.
func (o *Ops) SigningIn() bool {
	o.codes.lock.Lock()
	defer o.codes.lock.Unlock()
	return o.codes.open
}

func (c *codes) value(name string) (string, bool) {
	c.lock.Lock()
	defer c.lock.Unlock()
	v, ok := c.once[name]
	return v, ok
}

// keeper keeps whether something that was typed stands with a site that has not let the run in. It
// returns when that is durable.
type keeper func(ctx context.Context, submitted bool) error

// note notes that a credential is typed now. A secret counts as sent from its first letter on: a
// page can send what is typed without a click.
func (c *codes) note(ctx context.Context, secret bool, keep keeper) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.typed = true
	return c.hand(ctx, secret, keep)
}

// submit notes that what was typed may be sent now.
func (c *codes) submit(ctx context.Context, keep keeper) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.hand(ctx, c.typed, keep)
}

// hand keeps that something may be sent before it can be: a host that is killed behind it leaves
// no other word (BR-13.5). The lock is held.
func (c *codes) hand(ctx context.Context, goes bool, keep keeper) error {
	if !goes || c.handed {
		return nil
	}
	if keep != nil {
		if err := keep(ctx, true); err != nil {
			return err
		}
	}
	c.handed, c.sent = true, true
	return nil
}

func (c *codes) submitted() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.handed
}

// enter notes that the connector says that the site has let the run in. It may lie: that alone
// makes no run one to repeat at once.
func (c *codes) enter(ctx context.Context, keep keeper) error {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.handed && keep != nil {
		if err := keep(ctx, false); err != nil {
			return err
		}
	}
	c.handed = false
	return nil
}

// Submitted reports whether a secret was sent to a site that has not let the run in since.
func (o *Ops) Submitted() bool { return o.codes.submitted() }

// Sent reports whether a secret was sent to a site in this run, whatever the connector says of it.
func (o *Ops) Sent() bool {
	o.codes.lock.Lock()
	defer o.codes.lock.Unlock()
	return o.codes.sent
}

// begin opens the window: every other page is closed, and a new one goes to the site, past the
// service worker and the cache that the site or the connector has left there (BR-13.1).
func (o *Ops) begin(ctx context.Context, r *abi.BrowserRequest) (a *abi.BrowserAnswer, body []byte, err error) {
	if o.signIn != nil {
		return nil, nil, abi.NewError(abi.CodeBrowserSignIn, "the owner is signed in already", "end that with sign_in.end first")
	}
	o.options.Roles.SignIn(true)
	if o.dog.begins() { // the connector has not begun to look for its session before
		o.mark(watch.LabelBegin)
		o.outline(ctx, r.Page, watch.LabelBegin, abi.BrowserCaptures-1)
	}
	defer func() {
		if err != nil {
			o.shut()
			_ = o.pages.Alone(context.WithoutCancel(ctx), true)
			_ = o.pages.Alone(ctx, false)
		}
	}()
	u, err := o.options.Roles.Target(r.URL)
	if err != nil {
		return nil, nil, err
	}
	o.files.disarm(ctx) // what the site hands out here is the owner's
	if err := o.pages.Alone(ctx, true); err != nil {
		return nil, nil, err
	}
	p, err := o.pages.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	// A worker or a cache that the connector has left at a host of its own could answer in the site's
	// place, also in a page that the site opens (BR-13.7).
	for _, host := range append(o.options.Roles.Named(abi.RoleProvider), u.Host) {
		if err := p.Clear(ctx, "https://"+host); err != nil {
			return nil, nil, err
		}
	}
	o.options.Roles.Forgo() // of pages that are closed: the answer would be in the cache again
	if err := p.ClearCache(ctx); err != nil {
		return nil, nil, err
	}
	o.signIn = &signIn{p}
	o.codes.set(true)
	if a, err = o.lead(ctx, p, r); err == nil {
		err = p.Forget(ctx) // to the empty page that it was nobody goes back
	}
	return a, nil, err
}

// shut shuts the window, and forgets what was typed there.
func (o *Ops) shut() {
	o.dog.happens(watch.End, "")
	o.signIn = nil
	o.codes.set(false)
	o.options.Roles.SignIn(false)
}

// end ends the window: a new page in the place of its own goes to where the connector's data is, and is
// the connector's. One that had been the window's would know where it was: `navigation.activation` has
// the address, and a form of method GET puts the password there (BR-13.4).
func (o *Ops) end(ctx context.Context, r *abi.BrowserRequest) (a *abi.BrowserAnswer, body []byte, err error) {
	if o.signIn == nil {
		return nil, nil, abi.NewError(abi.CodeBrowserSignIn, "the owner is not signed in", "begin with sign_in.begin")
	}
	p := o.signIn.page
	defer func() {
		if err != nil { // the site may have led back to what was typed
			_ = p.Close(context.WithoutCancel(ctx))
		}
		o.shut()
		_ = o.pages.Alone(ctx, false)
		if err == nil && a.URL != "" && r.OK {
			o.mark(watch.LabelEstablished)
			o.outline(ctx, p.Number, watch.LabelEstablished, abi.BrowserCaptures-1)
		}
	}()
	fresh, err := o.pages.Anew(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	p = fresh
	if err := p.ClearCache(ctx); err != nil { // it is asked by addresses
		return nil, nil, err
	}
	if err := p.PassCSP(ctx); err != nil { // it holds from the next document on
		return nil, nil, err
	}
	if _, err := p.Goto(ctx, o.options.StartURL, r.Until); err != nil {
		if why := o.options.Roles.Why(o.options.StartURL); why != nil {
			return nil, nil, why
		}
		return nil, nil, err
	}
	if typed, err := p.Typed(ctx); err != nil || typed {
		if err == nil {
			err = abi.NewError(abi.CodeBrowserSignIn, "a password stands on the page still", "the page was closed")
		}
		return nil, nil, err
	}
	if err := p.Forget(ctx); err != nil { // the empty page that it began with
		return nil, nil, err
	}
	address, _ := p.Info(ctx)
	a = &abi.BrowserAnswer{Page: p.Number, State: "provider"}
	if o.provider(address) != nil { // the site has led it back to where one signs in
		a.State = "elsewhere"
		_, err = o.pages.Anew(ctx, p)
		return a, nil, err
	}
	a.URL, a.Title = p.Info(ctx)
	if r.OK {
		if err := o.codes.enter(ctx, o.options.Keep); err != nil {
			return nil, nil, err
		}
	}
	return a, nil, nil
}

// fill types into a field: a text of the connector's, or a secret that the connector names and
// never sees (BR-13.3).
func (o *Ops) fill(ctx context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	p, err := o.pages.Page(r.Page)
	if err == nil {
		err = o.selectors(r.Selector)
	}
	if err != nil {
		return nil, nil, err
	}
	if (r.Value == nil) == (r.Credential == "") {
		return nil, nil, invalid("fill has either a value or a credential")
	}
	if r.Value != nil {
		return &abi.BrowserAnswer{}, nil, p.Type(ctx, r.Selector, r.Nth, r.Keep, *r.Value, func(f page.Field) error {
			if f.Password {
				return refused("a password is not the connector's to type", "name it as a credential, in a sign-in")
			}
			return nil
		})
	}
	if o.signIn == nil || p != o.signIn.page {
		return nil, nil, refused("a credential is typed while the owner is signed in alone", "begin with sign_in.begin")
	}
	secret, ok := o.codes.value(r.Credential)
	public := ok // a code is good once
	if !ok && o.options.Secret != nil {
		if secret, public, ok, err = o.options.Secret(ctx, r.Credential); err != nil {
			return nil, nil, err
		}
	}
	if !ok || secret == "" {
		return nil, nil, refused("the owner has given no such credential", "ask for it first")
	}
	err = p.Type(ctx, r.Selector, r.Nth, r.Keep, secret, func(f page.Field) error {
		if !f.Secure || !o.typesAt(f.Host) {
			return refused("a credential is not typed there", "declare the host as one of role sign_in")
		}
		if !public && !f.Password { // a site may keep and show what is typed elsewhere, as what was searched for
			return refused("a secret is typed into fields for passwords alone", "declare the credential as no secret, if it is none")
		}
		return o.codes.note(ctx, !public, o.options.Keep)
	})
	return &abi.BrowserAnswer{}, nil, err
}

// typesAt reports whether secrets are typed at a host: where the manifest says that one signs
// in, or at its provider when it says of no host that.
func (o *Ops) typesAt(host string) bool {
	role := o.options.Roles.Of(host)
	return role == abi.RoleSignIn || role == abi.RoleProvider && !o.options.Roles.Has(abi.RoleSignIn)
}

func refused(text, hint string) *abi.Error {
	return abi.NewError(abi.CodeBrowserCredential, text, hint)
}

// provider says why what is at an address is not the connector's to read; nil: it is.
func (o *Ops) provider(address string) error {
	u, err := url.Parse(address)
	if err == nil && u.Scheme == "https" && o.options.Roles.Of(u.Hostname()) == abi.RoleProvider {
		return nil
	}
	return abi.NewError(abi.CodeBrowserRefused, "the page is not one of the connector's provider", "lead it to a host of role provider")
}

// plain are selectors that ask for nothing that was typed: sites copy values into attributes,
// and a connector could ask for a password letter by letter.
var plain = regexp.MustCompile(`^([a-zA-Z0-9_\s.#>+~,*-]|:nth-(child|of-type)\([0-9]+\)|:(first|last|only)-(child|of-type)|:(disabled|enabled)|` +
	`\[(id|name|type|for|role|href|action|autocomplete|placeholder|data-testid|aria-label)(=("[^"\\]*"|'[^'\\]*'|[a-zA-Z0-9_-]+))?\])*$`)

// selectors refuses selectors that could ask for what is typed while the owner is signed in.
func (o *Ops) selectors(all ...string) error {
	if o.signIn == nil {
		return nil
	}
	for _, s := range all {
		if !plain.MatchString(s) {
			return abi.NewError(abi.CodeBrowserSignIn, "the selector may ask for what is typed", "select by names, classes, ids and types, while the owner is signed in")
		}
	}
	return nil
}

// conditions does the same for those of wait.
func (o *Ops) conditions(all []abi.BrowserCondition) error {
	if o.signIn == nil {
		return nil
	}
	for _, c := range all {
		if c.Text != "" || strings.ContainsAny(c.URLPrefix, "?#") {
			return abi.NewError(abi.CodeBrowserSignIn, "no text is looked for while the owner is signed in", "wait for an element, or for an address without a query")
		}
		if err := o.selectors(c.Selector); err != nil {
			return err
		}
	}
	return nil
}
