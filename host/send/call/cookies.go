package call

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"

	"github.com/pdpp-host/pdpp-host/abi"
)

// jar keeps a run's cookies (RFC 6265). The guest sees none of them.
//
// A cookie for a wider domain than its host is kept for that domain only when
// the manifest names it, and otherwise for its host alone. That needs no list
// of public suffixes: no cookie for co.uk or github.io goes from one host of
// the manifest to another.
type jar struct {
	cookies *cookiejar.Jar
	named   map[string]bool
}

func newJar(network *abi.NetworkRequirements) *jar {
	cookies, _ := cookiejar.New(nil) // fails never
	j := &jar{cookies: cookies, named: make(map[string]bool)}
	for _, h := range network.Hosts {
		j.named[canonicalHost(h.Host)] = true
	}
	return j
}

// keep takes an answer's cookies in; appendHeaders leaves them out.
func (j *jar) keep(u *url.URL, resp *http.Response) {
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
	j.cookies.SetCookies(u, list)
}

// put adds the cookies that belong to a request.
func (j *jar) put(out *http.Request) {
	for _, c := range j.cookies.Cookies(out.URL) {
		out.AddCookie(c)
	}
}

func within(host, domain string) bool {
	return len(host) > len(domain) && host[len(host)-len(domain)-1] == '.' && host[len(host)-len(domain):] == domain
}
