package sites

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
)

// The hosts of Reddit's site.
const (
	redditHost  = "old.reddit.com"
	redditParts = "www.redditstatic.com"
)

// Reddit is Reddit's site with one account, whose lists are a provider's. Its form is sent by a
// script, which shows on the same page what was refused, and asks there for the code.
type Reddit struct {
	Username, Password string
	Code               string // that is asked for behind the password; "": none
	Lists              *reddit.Provider

	// Change changes those below between requests.
	Fault   func(r *http.Request) int // a status to answer with instead; nil, 0: none. With 429 it asks for a second's pause.
	Blocked func(r *http.Request) bool
	Redrawn bool // the form has other names

	lock     sync.Mutex
	sessions map[string]bool
	tries    int
}

// Tries is how often a password was sent.
func (s *Reddit) Tries() int {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.tries
}

// Change runs f while no request looks at the site's fields.
func (s *Reddit) Change(f func()) {
	s.lock.Lock()
	defer s.lock.Unlock()
	f()
}

// SignOut ends all sessions.
func (s *Reddit) SignOut() { s.Change(func() { clear(s.sessions) }) }

// ServeHTTP answers under each name of the site.
func (s *Reddit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	fault, turnsAway, redrawn := s.Fault, s.Blocked, s.Redrawn
	s.lock.Unlock()
	if fault != nil {
		if status := fault(r); status != 0 {
			if status == http.StatusTooManyRequests {
				w.Header().Set("Retry-After", "1")
			}
			w.WriteHeader(status)
			return
		}
	}
	switch {
	case turnsAway != nil && turnsAway(r):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<!doctype html><title>Blocked</title><p>You have been blocked by network security.")
	case r.Host == redditParts:
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, redditScript)
	case r.Host != redditHost:
		http.NotFound(w, r)
	case r.URL.Path == "/":
		s.home(w, r)
	case r.Method+r.URL.Path == "GET/login":
		form(w, redrawn)
	case r.Method+r.URL.Path == "POST/api/login":
		s.signIn(w, r)
	default:
		s.Lists.Site(s.knows).ServeHTTP(w, r)
	}
}

func (s *Reddit) home(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if s.knows(r) {
		fmt.Fprint(w, `<!doctype html><title>reddit</title><span class=user><a href=/user/me>me</a></span><form class="logout hover" method=post action=/logout><a href=#>logout</a></form>`)
		return
	}
	fmt.Fprint(w, `<!doctype html><title>reddit</title><span class=user>Want to join? <a href=/login class="login-required">Log in</a></span>`)
}

// form is the page on which one signs in.
func form(w http.ResponseWriter, redrawn bool) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	page := `<!doctype html><title>reddit.com: log in</title><form id=login-form><input id=user_login name=user><input id=passwd_login name=passwd type=password>
		<input name=otp inputmode=numeric hidden><p class=error hidden></p><button type=submit>log in</button></form><script src="https://` + redditParts + `/login.js"></script>`
	if redrawn {
		page = strings.NewReplacer("user_login", "login-username", "passwd_login", "login-password").Replace(page)
	}
	fmt.Fprint(w, page)
}

// redditScript sends the form without leaving its page.
const redditScript = `document.querySelector("#login-form").onsubmit = async e => {
	e.preventDefault();
	const form = e.target, error = form.querySelector(".error");
	error.hidden = true;
	const got = await (await fetch("/api/login", {method: "POST", body: new URLSearchParams(new FormData(form))})).json();
	if (got.success) location.href = "/";
	else if (got.reason == "TWO_FA_REQUIRED") form.otp.hidden = false;
	else { error.textContent = got.reason; error.hidden = false }
}`

func (s *Reddit) signIn(w http.ResponseWriter, r *http.Request) {
	s.lock.Lock()
	defer s.lock.Unlock()
	reason := ""
	switch otp := r.FormValue("otp"); {
	case r.FormValue("user") != s.Username || r.FormValue("passwd") != s.Password:
		s.tries++
		reason = "WRONG_PASSWORD"
	case s.Code != "" && otp == "":
		s.tries++
		reason = "TWO_FA_REQUIRED"
	case otp != s.Code:
		reason = "WRONG_OTP"
	default:
		if s.Code == "" {
			s.tries++
		}
		if s.sessions == nil {
			s.sessions = map[string]bool{}
		}
		id := "canary-session-" + strconv.Itoa(s.tries)
		s.sessions[id] = true
		http.SetCookie(w, &http.Cookie{Name: "reddit_session", Value: id, Domain: "reddit.com", Path: "/", Secure: true, HttpOnly: true, MaxAge: 3600, SameSite: http.SameSiteLaxMode})
	}
	reply(w, map[string]any{"success": reason == "", "reason": reason})
}

func (s *Reddit) knows(r *http.Request) bool {
	c, err := r.Cookie("reddit_session")
	s.lock.Lock()
	defer s.lock.Unlock()
	return err == nil && s.sessions[c.Value]
}
