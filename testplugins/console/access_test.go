package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// OC-03, OC-03.1, OC-04, OC-04.1, OC-17: an owner follows the link that a new host prints, chooses
// a password, signs out, mistypes the password, and signs in to the page that was asked for.
func TestAnOwnerComesAndGoes(t *testing.T) {
	t.Parallel()
	told(t, func(t *testing.T, o browser.Options) {
		owner := bed.New(t)
		link := owner.Serve()
		v := browser.Visit(t, owner.Origin(), o)
		p := v.Page()
		p.Open("/")
		p.See("This host has no owner yet", "pdpp-host owner reset")
		p.Open(link)
		p.See("Choose how you sign in")
		p.Fill("New password", bed.Password)
		p.Fill("The same again", bed.Password+"!")
		p.Refused(http.StatusUnprocessableEntity)
		p.Press("Set the password")
		p.See("The two passwords differ")
		p.Fill("New password", bed.Password)
		p.Fill("The same again", bed.Password)
		p.Press("Set the password")
		p.See("you are signed in", "Nothing is collected yet")
		first := v.Cookies()
		for _, c := range first {
			if len(first) != 2 || !c.HTTPOnly || c.SameSite != "Strict" {
				t.Errorf("the cookies: %+v, want a session and a mark, HttpOnly, SameSite=Strict", first)
			}
		}
		p.Press("Sign out")
		p.See("You are signed out")
		p.Open("/?after=x")
		p.At("/sign-in?next=")
		p.Fill("Password", "not the password")
		p.Refused(http.StatusForbidden)
		p.Press("Sign in")
		p.See("is not the owner's")
		p.Fill("Password", bed.Password)
		p.Press("Sign in")
		p.At("/?after=x")
		now := v.Cookies()
		same := 0
		for _, was := range first {
			for _, c := range now {
				if was.Value == c.Value {
					same++
				}
			}
		}
		if len(now) != 2 || same != 1 {
			t.Errorf("the cookies after signing in again: %+v, want another session than before, and the mark of the browser", now)
		}
		p.Refused(http.StatusForbidden)
		p.Open(link)
		p.See("That did not work")
	})
}

// OC-07: every answer of the console confines the browser.
func TestEveryAnswerConfinesTheBrowser(t *testing.T) {
	t.Parallel()
	owner := bed.New(t)
	cookie := owner.Claim()
	for _, path := range []string{"/", "/sign-in", "/set-up", "/no-such-page"} {
		got := owner.Sends(http.MethodGet, path, url.Values{}, map[string]string{"Cookie": cookie.Name + "=" + cookie.Value})
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		} {
			if has := got.Header.Get(name); has != want {
				t.Errorf("%s answers %s: %q, want %q", path, name, has, want)
			}
		}
		for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
			if has := got.Header.Get("Content-Security-Policy"); !strings.Contains(has, want) || strings.Contains(has, "unsafe") {
				t.Errorf("%s has the policy %q, want %s in it, and nothing unsafe", path, has, want)
			}
		}
	}
}
