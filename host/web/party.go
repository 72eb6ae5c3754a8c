package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
)

// Party is this host as devices know it that a request's browser has at hand. It has no ID
// where the browser lets no page use passkeys: at an address without a name, or in the clear
// beyond this machine. Named is then what an address begins with where it does; "": nowhere.
func (g *Guard) Party(r *http.Request) (p passkey.Party, named string) {
	origin := "http://" + r.Host
	if g.Secure(r) {
		origin = "https://" + r.Host
	}
	if p = partyAt(origin); p.ID != "" {
		return p, ""
	}
	if g.Origin != "" && partyAt(g.Origin).ID != "" {
		return p, partyAt(g.Origin).Origin
	}
	if g.local() && g.Origin == "" {
		return p, partyAt(strings.Replace(origin, r.Host, net.JoinHostPort("localhost", itoa(g.Listening.Port())), 1)).Origin
	}
	return p, ""
}

// partyAt is the party of an origin; without an ID: browsers let it have no passkeys.
func partyAt(origin string) passkey.Party {
	u, err := url.Parse(strings.ToLower(origin))
	if err != nil || u.Host == "" {
		return passkey.Party{}
	}
	name := u.Hostname()
	if _, err := netip.ParseAddr(name); err == nil || u.Scheme != "https" && name != "localhost" {
		return passkey.Party{}
	}
	if usual := map[string]string{"http": "80", "https": "443"}; u.Port() == usual[u.Scheme] {
		u.Host = name
	}
	return passkey.Party{ID: name, Origin: u.Scheme + "://" + u.Host}
}

// ticketCookie is where a browser keeps the ticket of what it asks a device.
func (g *Guard) ticketCookie(r *http.Request) string { return g.cookieName(r) + "-passkey" }

// Ticket returns the ticket that a browser brings along, which it needs no more; "": none.
func (g *Guard) Ticket(w http.ResponseWriter, r *http.Request) string {
	c, err := r.Cookie(g.ticketCookie(r))
	if err != nil {
		return ""
	}
	g.setCookie(w, r, g.ticketCookie(r), "", -1)
	return c.Value
}

// GiveTicket has the browser bring a ticket along.
func (g *Guard) GiveTicket(w http.ResponseWriter, r *http.Request, ticket string) {
	g.setCookie(w, r, g.ticketCookie(r), ticket, int(passkey.Life.Seconds()))
}
