package call

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

func acceptSlots(o *Options) { o.Accepted = func(string) bool { return true } }

// A format has the secret within a header's value, and an answer that repeats the secret is hidden.
func TestFormat(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.Network.Credentials = append(o.Network.Credentials, abi.CredentialSlot{
			Name: "format", Hosts: []string{"api.example.com"}, In: abi.SlotHeader, Key: "Authorization", Field: "token", Format: `MediaBrowser Token="{}"`,
		})
	})
	token := b.vault.values["token"]
	b.get(api, "format")
	if got := b.seen[len(b.seen)-1].Header.Get("Authorization"); got != `MediaBrowser Token="`+token+`"` {
		t.Errorf("got %q, want the token in its place", got)
	}
	for _, wrong := range []abi.CredentialSlot{{In: abi.SlotQuery, Format: "{}"}, {In: abi.SlotHeader, Format: "none"}, {In: abi.SlotHeader, As: abi.SlotBearer, Format: "{}"}} {
		wrong.Name, wrong.Hosts, wrong.Key, wrong.Field = "format", []string{"api.example.com"}, "X-Key", "token"
		n := network()
		n.Credentials = append(n.Credentials, wrong)
		if _, err := Open(Options{Network: n, Connector: "github"}); abi.CodeOf(err) != CodeSlotInvalid {
			t.Errorf("%+v: %v, want %s", wrong, err, CodeSlotInvalid)
		}
	}
}

// Each placement, as the provider sees it.
func TestPlacements(t *testing.T) {
	t.Parallel()
	b := newBed(t, acceptSlots)
	token := b.vault.values["token"]
	header := func(name string) string { return b.seen[len(b.seen)-1].Header.Get(name) }
	b.get(api, "bearer")
	if got := header("Authorization"); got != "Bearer "+token {
		t.Errorf("bearer: %q, want %v", got, "Bearer "+token)
	}
	b.get(api, "raw")
	if got := header("X-Api-Key"); got != token {
		t.Errorf("raw: %q, want %v", got, token)
	}
	b.get(api, "basic")
	user, password, ok := b.seen[len(b.seen)-1].BasicAuth()
	if !ok || user != "me" || password != token {
		t.Errorf(`basic: %q %q, want ok && user == "me" && password == token`, user, password)
	}
	r := b.get(api+"?z=1&a=%2f+x", "query")
	if got := b.seen[len(b.seen)-1].URL.RawQuery; got != "z=1&a=%2f+x&api_key="+url.QueryEscape(token) {
		t.Errorf(`query: %q, want got == "z=1&a=%%2f+x&api_key=" + url.QueryEscape(token)`, got)
	}
	if r.URL != api+"?z=1&a=%2f+x" {
		t.Errorf("the guest sees %q, want %v", r.URL, api+"?z=1&a=%2f+x")
	}
	for body, want := range map[string]string{
		"":                `{"secret":"tok-CANARY/+ü?&\"<7f3a"}`,
		"{}":              `{"secret":"tok-CANARY/+ü?&\"<7f3a"}`,
		"\t{ }\n":         "\t" + `{"secret":"tok-CANARY/+ü?&\"<7f3a" }` + "\n",
		`{"a":{"b":[1]}}`: `{"secret":"tok-CANARY/+ü?&\"<7f3a","a":{"b":[1]}}`,
	} {
		b.do(abi.HTTPRequest{Method: "POST", URL: api, Credential: "body", Headers: map[string]string{"content-type": "application/json; charset=utf-8"}}, body)
		if got := b.seen[len(b.seen)-1].body; got != want {
			t.Errorf("%q became %q, want %v", body, got, want)
		}
	}
	b.do(abi.HTTPRequest{Method: "POST", URL: api, Credential: "body", Headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}}, "a=1")
	if got := b.seen[len(b.seen)-1].body; got != "a=1&secret="+url.QueryEscape(token) {
		t.Errorf(`form: %q, want got == "a=1&secret=" + url.QueryEscape(token)`, got)
	}
	// The secret is asked for once a run.
	if b.vault.asked != 2 {
		t.Errorf("the vault was asked %d times, want 2", b.vault.asked)
	}
	b.sweep("canary", "7f3a")
}

// A secret that cannot be placed is an error, and nothing is sent.
func TestRefusedPlacements(t *testing.T) {
	t.Parallel()
	b := newBed(t, acceptSlots)
	json := map[string]string{"Content-Type": "application/json"}
	form := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
	for _, test := range []struct {
		in   abi.HTTPRequest
		body string
		code abi.Code
	}{
		{abi.HTTPRequest{Credential: "bearer", Headers: map[string]string{"authorization": "mine"}}, "", CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "raw", Headers: map[string]string{"X-API-KEY": "mine"}}, "", CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "query", URL: api + "?a=1&api%5Fkey=mine"}, "", CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: json}, `{"a":1,"secret":""}`, CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: json}, `{"a":1,"secr\u0065t":""}`, CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: form}, `a=1&secret=x`, CodeCredentialConflict},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: json}, `[1]`, CodeRequestInvalid},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: json}, `{"a":1}{}`, CodeRequestInvalid},
		{abi.HTTPRequest{Credential: "body", Method: "POST", Headers: json}, `{"a":`, CodeRequestInvalid},
		{abi.HTTPRequest{Credential: "body", Method: "POST"}, `{}`, CodeRequestInvalid},
		{abi.HTTPRequest{Credential: "none"}, "", CodeCredentialMissing},
		{abi.HTTPRequest{Credential: "unknown"}, "", CodeCredentialUnknown},
		{abi.HTTPRequest{Credential: "bearer", URL: "https://cdn.example.com/"}, "", CodeCredentialElsewhere},
		{abi.HTTPRequest{Credential: "bearer", URL: "http://api.example.com/"}, "", CodeCredentialElsewhere},
		{abi.HTTPRequest{Credential: "bearer", URL: "https://api.example.com:8443/"}, "", CodeCredentialElsewhere},
		{abi.HTTPRequest{Credential: "bearer", URL: "https://api.example.com.evil.org/"}, "", CodeCredentialElsewhere},
	} {
		if test.in.URL == "" {
			test.in.URL = api
		}
		if r := b.do(test.in, test.body); r.Error.Code != test.code || r.Error.Final || r.Error.GapReason != "" {
			t.Errorf(`b.do(test.in, test.body): got %+v %s: %+v, want r.Error.Code == test.code && !r.Error.Final && r.Error.GapReason == ""`, test.in, test.body, r.Error)
		}
	}
	if len(b.seen) > 0 {
		t.Errorf("%d requests were sent, want len(b.seen) <= 0", len(b.seen))
	}
	// Without the slot the header is the guest's own.
	if r := b.do(abi.HTTPRequest{URL: api, Headers: map[string]string{"authorization": "mine"}}, ""); r.Status != 200 || b.seen[0].Header.Get("Authorization") != "mine" {
		t.Errorf(`got %+v, want r.Status == 200 && b.seen[0].Header.Get("Authorization") == "mine"`, r)
	}
	b.sweep("canary", "7f3a")
	b = newBed(t, nil)
	b.vault.values["token"] = "two\r\nlines"
	if r := b.get(api, "raw"); r.Error.Code != CodeCredentialInvalid || strings.Contains(r.Error.Message, "lines") {
		t.Errorf(`b.get(api, "raw"): got %+v, want r.Error.Code == CodeCredentialInvalid && !strings.Contains(r.Error.Message, "lines")`, r.Error)
	}
}

// A redirect carries the secret to a place that the slot is for, and to no
// other: not to another host, port or scheme, and not within the address.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, slot := range []string{"bearer", "raw", "query", "basic", "body"} {
		for to, carried := range map[string]bool{
			"https://api.example.com/2":      true,
			"/2":                             true,
			"https://cdn.example.com/2":      false,
			"https://api.example.com:444/2":  false,
			"//login.example.com/2":          false,
			"https://api.example.com.evil/2": false,
		} {
			b := newBed(t, nil)
			b.script(says{status: 302, headers: []string{"Location: " + to}}, says{})
			b.do(abi.HTTPRequest{URL: api, Credential: slot, Headers: map[string]string{"Content-Type": "application/json"}}, "{}")
			if len(b.seen) != 2 {
				t.Fatalf("%s to %s: %d requests, want 2", slot, to, len(b.seen))
			}
			for i, want := range []bool{true, carried} {
				if holds(b.seen[i], "CANARY") != want {
					t.Errorf("%s to %s, hop %d: carried %v, want %v", slot, to, i, !want, want)
				}
			}
			b.sweep("canary", "7f3a")
		}
	}
	// A provider that repeats the query in its Location.
	b := newBed(t, nil)
	b.answer = func(n int, r got) says {
		if n == 1 {
			return says{status: 302, headers: []string{"Location: https://cdn.example.com/?" + r.URL.RawQuery}}
		}
		return says{}
	}
	if r := b.get(api, "query"); r.Error.Code != send.CodeRedirectRefused || len(b.seen) != 1 {
		t.Errorf("%+v after %d requests, want r.Error.Code == send.CodeRedirectRefused && len(b.seen) == 1", r, len(b.seen))
	}
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/2" {
			return says{}
		}
		return says{status: 302, headers: []string{"Location: /2?a=1&" + r.URL.RawQuery}}
	}
	r := b.get(api, "query")
	if q := b.seen[len(b.seen)-1].URL.Query(); r.Status != 200 || len(q["api_key"]) != 1 || q["api_key"][0] != b.vault.values["token"] {
		t.Errorf(`b.seen[len(b.seen)-1].URL.Query(): got %+v, want r.Status == 200 && len(q["api_key"]) == 1 && q["api_key"][0] == b.vault.values["token"]`, r)
	}
	if r.URL != "https://api.example.com/2?a=1&api_key=[redacted]" {
		t.Errorf(`got %+v, want r.URL == "https://api.example.com/2?a=1&api_key=[redacted]"`, r.URL)
	}
	b.sweep("canary", "7f3a")
}

// holds looks for a word anywhere in a request, also in base64.
func holds(r got, word string) bool {
	text := r.URL.String() + r.body
	for _, values := range r.Header {
		text += strings.Join(values, " ")
	}
	if _, pair, ok := strings.Cut(r.Header.Get("Authorization"), "Basic "); ok {
		plain, _ := base64.StdEncoding.DecodeString(pair)
		text += string(plain)
	}
	return strings.Contains(text, word)
}

// The owner's base_url is where the credentials go too: there, and at no other
// port or scheme.
func TestBaseURL(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) {
		o.BaseURL, o.AllowPrivate = "http://LOCALHOST:8080/github", []string{"localhost:8080"}
	})
	if r := b.get("http://localhost:8080/github/x", "bearer"); r.Status != 200 || !holds(b.seen[0], "CANARY") {
		t.Errorf(`b.get("http://localhost:8080/github/x", "bearer"): got %+v, want r.Status == 200 && holds(b.seen[0], "CANARY")`, r)
	}
	for _, other := range []string{"https://localhost:8080/", "http://localhost:8081/", "http://127.0.0.1:8080/"} {
		if r := b.get(other, "bearer"); r.Error.Code != CodeCredentialElsewhere {
			t.Errorf("%s: r.Error.Code: got %+v, want %v", other, r, CodeCredentialElsewhere)
		}
	}
	b.answer = func(_ int, r got) says {
		if r.URL.Host == "localhost:8080" {
			return says{status: 307, headers: []string{"Location: https://cdn.example.com/"}}
		}
		return says{}
	}
	b.get("http://localhost:8080/", "bearer")
	if last := b.seen[len(b.seen)-1]; last.URL.Host != "cdn.example.com" || holds(last, "CANARY") {
		t.Errorf(`%v carries the secret, want last.URL.Host == "cdn.example.com" && !holds(last, "CANARY")`, last.URL)
	}
}

func TestUserAgent(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.get(api, "")
	b.do(abi.HTTPRequest{URL: api, Headers: map[string]string{"user-agent": "mine/1"}}, "")
	for i, want := range []string{"pdpp-host (+github)", "mine/1"} {
		if got := b.seen[i].Header["User-Agent"]; len(got) != 1 || got[0] != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The address of the next page, as a provider gives it that repeats the query,
// can be asked for as the guest got it.
func TestNextPageWithTheKeyInIt(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	b.answer = func(_ int, r got) says {
		next := *r.URL
		next.RawQuery = "page=2&" + r.URL.RawQuery
		return says{headers: []string{"Link: <" + next.String() + ">; rel=next"}}
	}
	link := b.get(api, "query").Headers["link"]
	next, _, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
	if !strings.Contains(next, "page=2&api_key="+redacted) {
		t.Fatalf(`got %+v, want strings.Contains(next, "page=2&api_key="+redacted)`, link)
	}
	if r := b.get(next, "query"); r.Status != 200 {
		t.Fatalf("r.Status: got %+v, want 200", r)
	}
	if q := b.seen[1].URL.Query(); len(q["api_key"]) != 1 || q.Get("api_key") != "tok-"+canary || q.Get("page") != "2" {
		t.Errorf(`b.seen[1].URL.Query(): got %v, want len(q["api_key"]) == 1 && q.Get("api_key") == "tok-" + canary && q.Get("page") == "2"`, q)
	}
	if r := b.get(next+"&api_key=mine", "query"); r.Error.Code != CodeCredentialConflict {
		t.Errorf("r.Error.Code: got %+v, want %v", r, CodeCredentialConflict)
	}
	b.sweep(canary)
}
