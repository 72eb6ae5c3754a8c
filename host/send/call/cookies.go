package call

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// jar keeps a run's cookies (RFC 6265). The guest sees none of them.
//
// A cookie for a wider domain than its host is kept for that domain only when
// the manifest names it, and otherwise for its host alone. That needs no list
// of public suffixes: no cookie for co.uk or github.io goes from one host of
// the manifest to another.
//
// Others than the owner's may be of an account that the guest signed in to. So
// beside a secret in a header go only the cookies that came with answers to the same
// slot, and beside one in a query or a body none.
//
// A provider cannot fill the host or the requests with them: it gets so many,
// and none that is large.
type jar struct {
	cookies *cookiejar.Jar
	own     map[string]*cookiejar.Jar // those of them that came beside a secret, by its slot
	named   map[string]bool

	mu    sync.Mutex
	known map[cookieName]bool
}

// What is kept of a run's cookies; RFC 6265, 6.1, asks for 4 KiB of one and 50
// of a domain.
const (
	maxCookie  = 4 << 10
	maxCookies = 100
)

// cookieName is what tells two cookies apart.
type cookieName struct{ host, domain, path, name string }

func newJar(network *abi.NetworkRequirements) *jar {
	cookies, _ := cookiejar.New(nil) // fails never
	j := &jar{cookies: cookies, own: make(map[string]*cookiejar.Jar), named: make(map[string]bool), known: make(map[cookieName]bool)}
	for _, h := range network.Hosts {
		j.named[canonicalHost(h.Host)] = true
	}
	for _, c := range network.Credentials {
		if c.In == abi.SlotHeader {
			j.own[c.Name], _ = cookiejar.New(nil)
		}
	}
	return j
}

// keep takes in the cookies of an answer to a request with the slot's secret, nil for
// none; appendHeaders leaves them out.
func (j *jar) keep(u *url.URL, resp *http.Response, beside *slot) {
	if len(resp.Header["Set-Cookie"]) == 0 {
		return
	}
	list := resp.Cookies()
	host := canonicalHost(u.Hostname())
	for _, c := range list {
		domain := canonicalHost(c.Domain)
		if len(domain) > 0 && domain[0] == '.' {
			domain = domain[1:]
		}
		if domain == host || domain != "" && !j.named[domain] && within(host, domain) {
			c.Domain = "" // a domain that does not hold the host is the jar's to refuse
		}
	}
	list = slices.DeleteFunc(list, func(c *http.Cookie) bool { return !j.takes(host, u.Path, c) })
	j.cookies.SetCookies(u, list)
	if beside != nil && j.own[beside.Name] != nil {
		j.own[beside.Name].SetCookies(u, list)
	}
}

// takes reports whether there is room for a cookie. One that is there already
// may always change, also into one that has expired.
func (j *jar) takes(host, path string, c *http.Cookie) bool {
	if c.Path != "" && c.Path[0] == '/' {
		path = c.Path
	} else {
		path = path[:strings.LastIndexByte(path, '/')+1] // RFC 6265, 5.1.4
	}
	if len(c.Name)+len(c.Value)+len(path) > maxCookie {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	id := cookieName{host, c.Domain, path, c.Name}
	if !j.known[id] && len(j.known) >= maxCookies {
		return false
	}
	j.known[id] = true
	return true
}

// put adds the cookies that belong to a request with the slot's secret, nil for none.
func (j *jar) put(out *http.Request, beside *slot) {
	from := j.cookies
	if beside != nil {
		from = j.own[beside.Name]
	}
	if from == nil {
		return
	}
	for _, c := range from.Cookies(out.URL) {
		out.AddCookie(c)
	}
}

func within(host, domain string) bool {
	return len(host) > len(domain) && host[len(host)-len(domain)-1] == '.' && host[len(host)-len(domain):] == domain
}
