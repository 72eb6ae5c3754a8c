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

// jar holds a run's cookies (RFC 6265). The guest sees none of them.
//
// A cookie for a domain wider than its host is stored for that domain only if the
// manifest names it, and otherwise for the host alone. Therefore no list of public
// suffixes is needed: no cookie for co.uk or github.io passes from one host of the
// manifest to another.
//
// Other cookies than the owner's may belong to an account that the guest signed in to.
// A request with a secret in a header therefore carries only cookies from answers to
// the same slot, and a request with a secret in a query or a body carries none.
//
// The number and size of cookies are bounded, so a provider cannot fill the host or
// the requests with them.
type jar struct {
	cookies *cookiejar.Jar
	own     map[string]*cookiejar.Jar // the cookies that came beside a secret, by its slot
	named   map[string]bool

	mu    sync.Mutex
	known map[cookieName]bool
}

// Limits on a run's cookies; RFC 6265, 6.1, asks for 4 KiB of one and 50 of a domain.
const (
	maxCookie  = 4 << 10
	maxCookies = 100
)

// cookieName identifies a cookie.
type cookieName struct{ host, domain, path, name string }

func newJar(network *abi.NetworkRequirements) *jar {
	cookies, _ := cookiejar.New(nil) // never fails
	j := &jar{cookies: cookies, own: make(map[string]*cookiejar.Jar), named: make(map[string]bool), known: make(map[cookieName]bool)}
	for _, h := range namedHosts(network) {
		j.named[canonicalHost(h)] = true
	}
	for _, c := range network.Credentials {
		if c.In == abi.SlotHeader {
			j.own[c.Name], _ = cookiejar.New(nil)
		}
	}
	return j
}

// store stores the cookies of an answer to a request with the slot's secret, nil for
// none; appendHeaders leaves them out.
func (j *jar) store(u *url.URL, resp *http.Response, beside *slot) {
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
		if domain == host || domain != "" && !j.named[domain] && inDomain(host, domain) {
			c.Domain = "" // the jar refuses a domain that does not contain the host
		}
	}
	list = slices.DeleteFunc(list, func(c *http.Cookie) bool { return !j.hasRoom(host, u.Path, c) })
	j.cookies.SetCookies(u, list)
	if beside != nil && j.own[beside.Name] != nil {
		j.own[beside.Name].SetCookies(u, list)
	}
}

// fitting returns the cookies of an answer that are not too large, for a browser: those that it keeps
// take no place in the jar.
func fitting(u *url.URL, resp *http.Response) []*http.Cookie {
	return slices.DeleteFunc(resp.Cookies(), func(c *http.Cookie) bool { return !isSmall(pathOf(u.Path, c), c) })
}

// pathOf is where a cookie goes that comes from a path.
func pathOf(path string, c *http.Cookie) string {
	if c.Path != "" && c.Path[0] == '/' {
		return c.Path
	}
	return path[:strings.LastIndexByte(path, '/')+1] // RFC 6265, 5.1.4
}

func isSmall(path string, c *http.Cookie) bool {
	return len(c.Name)+len(c.Value)+len(path) <= maxCookie
}

// hasRoom reports whether there is room for a cookie. A stored cookie may always change,
// also to an expired one.
func (j *jar) hasRoom(host, path string, c *http.Cookie) bool {
	if path = pathOf(path, c); !isSmall(path, c) {
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

// addCookies adds the cookies that belong to a request with the slot's secret, nil for none.
func (j *jar) addCookies(out *http.Request, beside *slot) {
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

func inDomain(host, domain string) bool {
	return len(host) > len(domain) && host[len(host)-len(domain)-1] == '.' && host[len(host)-len(domain):] == domain
}
