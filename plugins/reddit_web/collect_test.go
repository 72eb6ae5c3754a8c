package main

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/reddit"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// RT-01.1, RT-11.1: the host accepts the manifest.
func TestManifestIsValid(t *testing.T) {
	t.Parallel()
	trial.Valid(t, manifest)
	trial.Worded(t, manifest, required, blocked, "reddit_web_auth_failed", "reddit_web_code_refused", "reddit_web_page_changed", "reddit_web_malformed_response",
		"reddit_web_paging_cycle", "reddit_web_account_changed", "reddit_web_item_unreadable", "reddit_web_list_cut_off")
}

var schemas = trial.SchemasOf(manifest)

// site is Reddit's site as the connector's browser sees it.
type site struct {
	*sdktest.Site

	lists    *reddit.Provider
	fault    func(w http.ResponseWriter, r *http.Request) bool // answers instead; nil: does not
	signedIn bool
	asked    int // for a code
}

func newSite() *site {
	s := &site{lists: reddit.New(reddit.Options{})}
	for i := range 120 {
		s.lists.Put("saved", &reddit.Thing{ID: fmt.Sprint("s", i), Title: "T", Text: "<b>", Created: sdktest.Epoch.Add(-time.Hour)})
	}
	s.lists.Put("comments", &reddit.Thing{ID: "c", Comment: true, Text: "words", Created: sdktest.Epoch.Add(-time.Hour)})
	one := func(selectors ...string) map[string][]string {
		m := map[string][]string{}
		for _, s := range selectors {
			m[s] = []string{s}
		}
		return m
	}
	home := &sdktest.SitePage{Title: "reddit", Texts: one("a.login")}
	form := &sdktest.SitePage{Title: "log in", Texts: one("#user_login", "#passwd_login", login.Send)}
	form.Clicks = map[string]func(*sdktest.Site) string{login.Send: func(p *sdktest.Site) string {
		if p.Filled[login.Code.Field] == "" {
			maps.Copy(form.Texts, one(login.Code.Field))
			return ""
		}
		s.signedIn = true
		home.Texts = one(login.Known)
		return login.Home
	}}
	pages := s.lists.Site(func(*http.Request) bool { return s.signedIn })
	s.Site = &sdktest.Site{Pages: map[string]*sdktest.SitePage{login.Home: home, login.Form: form}, Fetch: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.fault == nil || !s.fault(w, r) {
			pages.ServeHTTP(w, r)
		}
	})}
	return s
}

func (s *site) options() sdktest.Options {
	return sdktest.Options{
		Site: s.Site, Credentials: map[string]bool{"username": true, "password": true},
		Answer: func(abi.Interaction) abi.InteractionResponse {
			s.asked++
			return abi.InteractionResponse{Status: abi.ResponseSuccess}
		},
	}
}

// RT-07: the host types user name, password and code; the second run asks nobody and writes
// nothing, and what leaves a list is gone.
func TestCollect(t *testing.T) {
	t.Parallel()
	s := newSite()
	res := sdktest.Collect(t, connector{}, s.options())
	schemas.Succeeded(t, res)
	if len(res.Keys("saved")) != 120 || len(res.All) != 121 || trial.Skips(res) != "" {
		t.Fatalf("got %d saved of %d records, reports %q, want 120 of 121 and none", len(res.Keys("saved")), len(res.All), trial.Skips(res))
	}
	if got, _ := res.Record("saved", "t3_s7"); got.Text("body") != "<b>" || got.Text("permalink") != "https://www.reddit.com/r/golang/comments/s7/a_post/" {
		t.Errorf("got %s, want the text without entities and the whole address", got.Data)
	}
	want := map[string]string{"#user_login": "{username}", "#passwd_login": "{password}", login.Code.Field: "{code}"}
	if !maps.Equal(s.Filled, want) {
		t.Errorf("got %v typed, want %v, each by the host", s.Filled, want)
	}
	s.lists.Take("saved", "t3_s7")
	clear(s.Filled)
	again := res.SecondRun(t, nil)
	schemas.Succeeded(t, again)
	if got := fmt.Sprint(again.Changes()); s.asked != 1 || len(s.Filled) != 0 || len(again.All) != 0 || !strings.Contains(got, "t3_s7") {
		t.Errorf("the second run: got %d questions, %v typed, %d records, changes %s; want one question so far, and t3_s7 gone", s.asked, s.Filled, len(again.All), got)
	}
}

// Each thing that may go wrong has a code that says what the owner has to do.
func TestTrouble(t *testing.T) {
	t.Parallel()
	saved := func(status int, kind string) func(*site, *sdktest.Options) {
		return func(s *site, _ *sdktest.Options) {
			s.fault = func(w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path != "/user/me/saved.json" || r.URL.Query().Get("after") == "" {
					return false
				}
				w.Header().Set("Content-Type", kind)
				w.WriteHeader(status)
				return true
			}
		}
	}
	for name, c := range map[string]struct {
		change func(*site, *sdktest.Options)
		code   string // of the run, or of the list that fails
		goesOn bool   // with the other lists
	}{
		"nobody to ask": {func(_ *site, o *sdktest.Options) { o.Answer = nil }, required, false},
		"owner declines": {func(_ *site, o *sdktest.Options) {
			o.Answer = func(abi.Interaction) abi.InteractionResponse {
				return abi.InteractionResponse{Status: abi.ResponseCancelled}
			}
		}, required, false},
		"wrong password": {func(s *site, _ *sdktest.Options) { s.refuse("") }, "reddit_web_auth_failed", false},
		"wrong code":     {func(s *site, _ *sdktest.Options) { s.refuse(login.Code.Field) }, "reddit_web_code_refused", false},
		"a captcha":      {func(s *site, _ *sdktest.Options) { s.Pages[login.Form].Clicks = nil }, required, false},
		"another form":   {func(s *site, _ *sdktest.Options) { delete(s.Pages[login.Form].Texts, "#passwd_login") }, "reddit_web_page_changed", false},
		"no password":    {func(_ *site, o *sdktest.Options) { o.Credentials, o.Answer = nil, nil }, "missing_credentials", false},
		"signed out":     {saved(403, "application/json"), required, false},
		"turned away":    {saved(403, "text/html; charset=utf-8"), blocked, false},
		"throttled":      {saved(429, ""), "reddit_web_rate_limited", false},
		"trouble":        {saved(502, ""), "send.attempts_exhausted", true},
		"a web page":     {saved(200, "text/html"), "reddit_web_malformed_response", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite()
			o := s.options()
			c.change(s, &o)
			res := sdktest.Collect(t, connector{}, o)
			schemas.Conform(t, res)
			code := ""
			if e := res.Done.Error; e != nil {
				code = e.Code
			}
			if c.goesOn && len(res.Skips) == 1 {
				code = string(res.Skips[0].Diagnostics)
			}
			if !strings.Contains(code, c.code) || c.goesOn != (len(res.States) == 5) {
				t.Errorf("got %s, %+v after %d lists, want %s", code, res.Done.Error, len(res.States), c.code)
			}
			if f := res.Done.Error; f == nil || f.Retryable && !c.goesOn && c.code != "reddit_web_rate_limited" {
				t.Errorf("got %+v, want nothing tried again that may send the password again", f)
			}
		})
	}
}

// refuse has the form refuse what was filled in, once the field is; "": always.
func (s *site) refuse(field string) {
	form := s.Pages[login.Form]
	before := form.Clicks[login.Send]
	form.Clicks[login.Send] = func(p *sdktest.Site) string {
		if field == "" || p.Filled[field] != "" {
			form.Texts[login.Wrong] = []string{"no"}
			return ""
		}
		return before(p)
	}
}
