package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner/access"
	"github.com/pdpp-host/pdpp-host/host/web/listen"
)

type callerKey struct{}

// CallerOf returns who asks; nil: a visitor who has not signed in.
func CallerOf(ctx context.Context) *access.Caller {
	c, _ := ctx.Value(callerKey{}).(*access.Caller)
	return c
}

// Identify returns the request with its caller, where it has one: of a bearer token, and
// otherwise of a session's cookie. It returns tokens.refused for a token that is no good; a
// session that has ended makes the request a visitor's.
func (g *Guard) Identify(r *http.Request) (*http.Request, error) {
	if CallerOf(r.Context()) != nil { // it is identified anew: whoever it was may be nobody now
		r = r.WithContext(context.WithValue(r.Context(), callerKey{}, (*access.Caller)(nil)))
	}
	var who *access.Caller
	var err error
	if v := r.Header.Values("Authorization"); len(v) > 0 {
		scheme, token, _ := strings.Cut(v[0], " ")
		if len(v) > 1 || !strings.EqualFold(scheme, "Bearer") {
			token = ""
		}
		who, err = access.ByToken(r.Context(), g.Owner(r), token)
	} else if secret := g.cookie(r); secret != "" {
		who, err = access.BySession(r.Context(), g.Owner(r), secret)
		if isSignedOut(err) {
			return r, nil
		}
	}
	if err != nil || who == nil {
		return r, err
	}
	listen.Prove(r.Context())
	who.Actor.Address = g.Address(r)
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, who)), nil
}

func (g *Guard) cookie(r *http.Request) string {
	c, err := r.Cookie(g.cookieName(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// cookieName differs by port: two hosts on one machine share its cookies. The prefix
// __Host- is a browser's promise that this origin alone has set the cookie.
func (g *Guard) cookieName(r *http.Request) string {
	if g.Secure(r) {
		return "__Host-pdpp"
	}
	return "pdpp-" + itoa(g.Listening.Port())
}

// cookieLife is longer than any session.
const cookieLife = 90 * 24 * 60 * 60

// Remember has the browser keep a session, and the mark by which it is known once that has ended.
func (g *Guard) Remember(w http.ResponseWriter, r *http.Request, opened *access.Opened) {
	g.setCookie(w, r, g.cookieName(r), opened.Secret, cookieLife)
	g.RememberMark(w, r, opened.Mark)
}

// markLife is the longest that browsers keep a cookie.
const markLife = 400 * 24 * 60 * 60

// markCookie is where a browser keeps its mark: see access.NewMark.
func (g *Guard) markCookie(r *http.Request) string { return g.cookieName(r) + "-known" }

// RememberMark has the browser keep a mark in the place of an earlier one; "" leaves that as it is.
func (g *Guard) RememberMark(w http.ResponseWriter, r *http.Request, mark string) {
	if mark != "" {
		g.setCookie(w, r, g.markCookie(r), mark, markLife)
	}
}

// Mark is what a browser says it is known by; "": it says nothing.
func (g *Guard) Mark(r *http.Request) string {
	c, err := r.Cookie(g.markCookie(r))
	if err != nil {
		return ""
	}
	return c.Value
}

// Forget has the browser drop its session.
func (g *Guard) Forget(w http.ResponseWriter, r *http.Request) {
	g.setCookie(w, r, g.cookieName(r), "", -1)
}

func (g *Guard) setCookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure wherever the browser speaks TLS
		Name: name, Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: g.Secure(r), SameSite: http.SameSiteStrictMode,
	})
}

func itoa(port uint16) string { return strconv.FormatUint(uint64(port), 10) }
