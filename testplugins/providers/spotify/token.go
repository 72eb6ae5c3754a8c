package spotify

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// lifetime is how long an access token is good.
const lifetime = time.Hour

func (p *Provider) expired() bool {
	return p.o.Expire && p.o.Now().Sub(p.issued) >= lifetime
}

// token renews an access token (RFC 6749, section 6) for a public client. Each renewal
// gives a new refresh token, and the one before becomes invalid.
func (p *Provider) token(r *http.Request, body []byte) (int, any) {
	oauth := func(code, what string) (int, any) {
		return http.StatusBadRequest, map[string]any{"error": code, "error_description": what}
	}
	form, err := url.ParseQuery(string(body))
	switch {
	case err != nil || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded"):
		return oauth("invalid_request", "the body is no form")
	case form.Get("grant_type") != "refresh_token":
		return oauth("unsupported_grant_type", "grant_type parameter is missing")
	case form.Get("client_id") != p.o.ClientID || r.Header.Get("Authorization") != "":
		return oauth("invalid_client", "Invalid client")
	case form.Get("refresh_token") != p.refresh || p.revoked:
		return oauth("invalid_grant", "Refresh token revoked")
	}
	p.renewals++
	p.access, p.refresh = fmt.Sprintf("access-%d", p.renewals), fmt.Sprintf("refresh-%d", p.renewals)
	p.issued = p.o.Now()
	return http.StatusOK, map[string]any{
		"access_token": p.access, "token_type": "Bearer", "expires_in": int(lifetime / time.Second), "refresh_token": p.refresh,
		"scope": "playlist-read-private user-library-read user-top-read user-read-recently-played",
	}
}

// ExpireNow ends the access token, as when an hour passed in the middle of a
// run.
func (p *Provider) ExpireNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.access = "(expired)"
}

// Revoke withdraws the owner's consent: no token is renewed from then on.
func (p *Provider) Revoke() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoked, p.access = true, "(revoked)"
}

// Renewals returns how often a token was renewed.
func (p *Provider) Renewals() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.renewals
}
