package roles

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
)

// atOnce is how many requests for the parts of pages a host gets at a time.
const atOnce = 6

// partTime is how long one of them may keep its place.
const partTime = 30 * time.Second

// mostKept bounds how many refusals are kept until an operation asks for them.
const mostKept = 256

// Governor decides when a request to the provider goes. next carries it.
type Governor interface {
	Carry(ctx context.Context, req *http.Request, next http.RoundTripper) error
	// Count sends a request that waits for nothing, within the bytes that the run may send.
	Count(ctx context.Context, req *http.Request, next http.RoundTripper) error
	Failure(err error) abi.HTTPFailure
}

// Roles are what the hosts of a manifest are for. Safe for concurrent use.
type Roles struct {
	hosts    []abi.BrowserHost
	governor Governor

	lock      sync.Mutex
	signingIn bool
	forgone   int                      // how often Forgo was called
	allowed   map[string]bool          // hosts that the owner allows for the hand-off that is open
	open      map[*excepted]bool       // connections to those hosts
	why       map[string]error         // by address: why the governor had no good answer
	parts     map[string]chan struct{} // by host
	refused   map[string]int           // by host: how often it was asked for
	others    int                      // so were hosts that have no row of their own
}

// New returns the roles of the hosts of a manifest.
func New(hosts []abi.BrowserHost, governor Governor) *Roles {
	return &Roles{hosts: hosts, governor: governor, why: map[string]error{}, parts: map[string]chan struct{}{}, refused: map[string]int{}}
}

// Of returns the role of a host; "": it has none. One that is named has the role of its name.
func (r *Roles) Of(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	role := ""
	for _, h := range r.hosts {
		switch {
		case h.Host == host && h.Host != "":
			return h.Role
		case h.Suffix != "" && (h.Suffix == host || strings.HasSuffix(host, "."+h.Suffix)):
			role = h.Role
		}
	}
	return role
}

// Cookies reports whether cookies of a domain go to a host of the connector's. A dot at the
// beginning of domain stands for every host below.
func (r *Roles) Cookies(domain string) bool {
	if below, all := strings.CutPrefix(domain, "."); all {
		for _, h := range r.hosts {
			if name := h.Host + h.Suffix; name == below || strings.HasSuffix(name, domain) {
				return true
			}
		}
		domain = below
	}
	return r.Of(domain) != ""
}

// Named are the hosts that have a role by their own name.
func (r *Roles) Named(role string) []string {
	var names []string
	for _, h := range r.hosts {
		if h.Role == role && h.Host != "" {
			names = append(names, h.Host)
		}
	}
	return names
}

// Has reports whether any host has the role.
func (r *Roles) Has(role string) bool {
	for _, h := range r.hosts {
		if h.Role == role {
			return true
		}
	}
	return false
}

// SignIn opens or shuts the hosts of role sign_in.
func (r *Roles) SignIn(open bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.signingIn = open
}

// Forgo refuses every request that waits here: it was asked for before.
func (r *Roles) Forgo() {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.forgone++
}

// unless returns a Send that sends nothing once Forgo was called.
func (r *Roles) unless(send gate.Send) gate.Send {
	r.lock.Lock()
	before := r.forgone
	r.lock.Unlock()
	return func(ctx context.Context) (*gate.Answer, error) {
		r.lock.Lock()
		over := r.forgone != before
		r.lock.Unlock()
		if over {
			return nil, abi.NewError(abi.CodeBrowserRefused, "the page that asked for it was closed for a sign-in", "ask for it behind the sign-in")
		}
		return send(ctx)
	}
}

// Allow has a host be one of role sign_in, until Disallow (BR-08.4). It reports false for what is
// no name of a host on the internet.
func (r *Roles) Allow(host string) bool {
	if !Allowable(host) {
		return false
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.allowed == nil {
		r.allowed = map[string]bool{}
	}
	r.allowed[host] = true
	return true
}

// Disallow takes back what Allow has allowed, and ends the connections there.
func (r *Roles) Disallow() {
	r.lock.Lock()
	open := r.open
	r.allowed, r.open = nil, nil
	r.lock.Unlock()
	for c := range open {
		_ = c.Conn.Close()
	}
}

// Allowable reports whether a host is one that an owner may allow: a name of two labels or more,
// and no address.
func Allowable(host string) bool {
	if len(host) > longestName || !strings.Contains(host, ".") || net.ParseIP(host) != nil {
		return false
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || l[0] == '-' || strings.Trim(l, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return strings.Trim(last, "0123456789") != "" && last != "localhost" // no address in another spelling
}

// role is the role of a host now.
func (r *Roles) role(host string) string {
	role := r.Of(host)
	r.lock.Lock()
	defer r.lock.Unlock()
	if role == "" && r.allowed[strings.TrimSuffix(strings.ToLower(host), ".")] {
		return abi.RoleSignIn
	}
	return role
}

// reaches says why a host may not be reached now; nil: it may.
func (r *Roles) reaches(host string) error {
	role := r.role(host)
	r.lock.Lock()
	open := r.signingIn
	r.lock.Unlock()
	if role == "" || role == abi.RoleSignIn && !open {
		return hostRefused()
	}
	return nil
}

func hostRefused() error {
	return abi.NewError(abi.CodeBrowserRefused, "the host is not one that the connector declares for that", "declare it in runtime_requirements.browser.hosts")
}

// Target returns the address of a page that an operation may lead to, without what is no part
// of it (BR-09). Parts of pages are no pages.
func (r *Roles) Target(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Port() != "" && u.Port() != "443" {
		return nil, abi.NewError(abi.CodeBrowserRefused, "a page has an https address without a user and a port", "see abi/ABI.md, section Browser")
	}
	if err := r.reaches(u.Hostname()); err != nil {
		return nil, err
	}
	if r.Of(u.Hostname()) == abi.RoleAsset {
		return nil, abi.NewError(abi.CodeBrowserRefused, "the host has parts of pages and no pages", "declare it as a host of role provider")
	}
	return u, nil
}

// longestName is that of a host, in bytes.
const longestName = 253

// count counts a request for a host that may not be reached (BR-08.1).
func (r *Roles) count(host string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if _, known := r.refused[host]; known || len(r.refused) < abi.BrowserRefusals && len(host) <= longestName {
		r.refused[host]++
		return
	}
	r.others++
}

// Refused returns how often pages asked for each host that they may not reach, and how often for
// hosts that have no row of their own.
func (r *Roles) Refused() (names map[string]int, others int) {
	r.lock.Lock()
	defer r.lock.Unlock()
	return maps.Clone(r.refused), r.others
}

// Why returns, once, why the governor had no good answer for an address.
func (r *Roles) Why(address string) error {
	if u, err := url.Parse(address); err == nil {
		address = u.String()
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	err := r.why[address]
	delete(r.why, address)
	return err
}

// Failure is how a guest reads an error of Why that ends its operation.
func (r *Roles) Failure(err error) abi.HTTPFailure { return r.governor.Failure(err) }

// part are the kinds of requests for the parts of pages: not paced.
var part = map[string]bool{"Image": true, "Stylesheet": true, "Script": true, "Font": true, "Media": true}

// Admit is what the gate asks.
func (r *Roles) Admit(ctx context.Context, p gate.Request, send gate.Send) error {
	u, err := url.Parse(p.URL)
	if err != nil {
		return err
	}
	if err := r.reaches(u.Hostname()); err != nil {
		r.count(u.Hostname())
		return err
	}
	req, err := http.NewRequestWithContext(ctx, p.Method, p.URL, http.NoBody)
	if err != nil {
		return err
	}
	req.Header, req.ContentLength = p.Header, p.Bytes
	send = r.unless(send)
	role := r.role(u.Hostname())
	switch {
	case role == abi.RoleAsset && p.Method != http.MethodGet && p.Method != http.MethodHead && p.Kind != "Preflight":
		return abi.NewError(abi.CodeBrowserRefused, "parts of pages are only read", "declare the host as one of role provider")
	case part[p.Kind], role == abi.RoleAsset:
		return r.few(req, send)
	case role == abi.RoleSignIn:
		return r.unpaced(req, send)
	}
	return r.carry(req, send)
}

// few sends the request for a part of a page, of which a host gets a few at a time.
func (r *Roles) few(req *http.Request, send gate.Send) error {
	r.lock.Lock()
	slots := r.parts[req.URL.Host]
	if slots == nil {
		slots = make(chan struct{}, atOnce)
		r.parts[req.URL.Host] = slots
	}
	r.lock.Unlock()
	ctx := req.Context()
	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return r.unpaced(req, send)
}

// unpaced sends a request that counts and waits for nothing, and gives it up after partTime: a page
// that is left does not tell of its requests.
func (r *Roles) unpaced(req *http.Request, send gate.Send) error {
	ctx, cancel := context.WithTimeout(req.Context(), partTime)
	defer cancel()
	return r.governor.Count(ctx, req.WithContext(ctx), sender(send))
}

// carry sends a request behind the governor, which hears of its answer (Invariant 10).
func (r *Roles) carry(req *http.Request, send gate.Send) error {
	err := r.governor.Carry(req.Context(), req, sender(send))
	if err != nil {
		r.lock.Lock()
		if len(r.why) >= mostKept { // of addresses that no operation has asked about
			clear(r.why)
		}
		r.why[req.URL.String()] = err
		r.lock.Unlock()
	}
	return err
}

// sender is a Send as the governor's transport.
type sender gate.Send

// RoundTrip lets the request go.
func (s sender) RoundTrip(req *http.Request) (*http.Response, error) {
	a, err := s(req.Context())
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: a.Status, Header: a.Header, Body: http.NoBody, ContentLength: -1, Request: req}, nil
}
