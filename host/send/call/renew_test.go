package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/send"
)

// login is a provider with a token endpoint: it takes the access token of the
// moment and the refresh token of the moment, and replaces both.
type login struct {
	mu       sync.Mutex
	n        int // access tokens issued
	access   string
	refresh  string
	expires  string // what expires_in is; "": left out
	renewals int
	denies   string // every renewal gets this error
	never    bool   // no access token is ever taken
	headed   bool   // the client has to authenticate in the header
}

func newLogin(b *bed) *login {
	l := &login{access: "at-1", refresh: b.vault.values["refresh"], n: 1}
	b.answer = func(_ int, r got) says { return l.answer(r) }
	return l
}

func (l *login) answer(r got) says {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.URL.Path != "/token" {
		if l.never || r.Header.Get("Authorization") != "Bearer "+l.access {
			return says{status: 401, body: r.Header.Get("Authorization")}
		}
		return says{body: "hello " + l.access}
	}
	l.renewals++
	form, _ := url.ParseQuery(r.body)
	id, secret, headed := r.BasicAuth()
	switch {
	case l.denies != "":
		return says{status: 400, body: `{"error":"` + l.denies + `","error_description":` + string(appendString(nil, form.Get("refresh_token"))) + `}`}
	case l.headed && (!headed || form.Has("client_secret")):
		return says{status: 401, body: `{"error":"invalid_client"}`}
	case l.headed && (id != "id" || secret != url.QueryEscape("cs-"+canary)), !l.headed && form.Get("client_secret") != "cs-"+canary:
		return says{status: 400, body: `{"error":"invalid_client"}`}
	case r.Method != http.MethodPost || form.Get("grant_type") != "refresh_token" || form.Get("refresh_token") != l.refresh:
		return says{status: 400, body: `{"error":"invalid_grant"}`}
	}
	l.n++
	l.access, l.refresh = fmt.Sprintf("at-%d-%s", l.n, "CANARY-7f3a"), fmt.Sprintf("rt-%d-%s", l.n, "CANARY-7f3a")
	expires := ""
	if l.expires != "" {
		expires = `,"expires_in":` + l.expires
	}
	return says{body: fmt.Sprintf(`{"access_token":%q,"refresh_token":%q,"token_type":"bearer"%s}`, l.access, l.refresh, expires)}
}

// RFC 6749, section 6: a token that is refused once is renewed, the new refresh
// token is kept before the new access token is used, and the request goes once
// more. The guest sees neither.
func TestRenewal(t *testing.T) {
	t.Parallel()
	for _, headed := range []bool{false, true} {
		b := newBed(t, nil)
		l := newLogin(b)
		l.headed = headed
		l.access = "at-other" // the provider has forgotten at-1
		b.answer = func(_ int, r got) says {
			if r.URL.Path != "/token" && len(b.vault.replaced) == 0 && r.Header.Get("Authorization") != "Bearer at-1" {
				t.Error("a token was used before it was kept")
			}
			return l.answer(r)
		}
		r := b.get(api, "oauth")
		if r.Status != 200 || r.body != "hello [redacted]" {
			t.Fatalf(`got %+v, want r.Status == 200 && r.body == "hello [redacted]"`, r)
		}
		if len(b.vault.replaced) != 1 || b.vault.values["access"] != l.access || b.vault.values["refresh"] != l.refresh {
			t.Errorf(`kept %v, want len(b.vault.replaced) == 1 && b.vault.values["access"] == l.access && b.vault.values["refresh"] == l.refresh`, b.vault.replaced)
		}
		b.get(api, "oauth")
		want := map[bool]int{false: 4, true: 5}[headed] // 401, token (twice), again, next
		if len(b.seen) != want || b.Counts().Sent != int64(want) {
			t.Errorf("%d requests, want len(b.seen) == want && b.Counts().Sent == int64(want)", len(b.seen))
		}
		if b.seen[1].URL.String() != "https://login.example.com/token" {
			t.Errorf(`got %+v, want b.seen[1].URL.String() == "https://login.example.com/token"`, b.seen[1].URL)
		}
		b.sweep("canary", "7f3a")
	}
}

// A token that is known to end is renewed before it is used.
func TestExpiry(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	l := newLogin(b)
	delete(b.vault.values, "access") // nor is a token needed to begin with
	l.expires = `"3600"`
	if r := b.get(api, "oauth"); r.body != "hello [redacted]" {
		t.Errorf(`r.body: got %+v, want "hello [redacted]"`, r)
	}
	b.clock.Advance(3569 * time.Second)
	b.get(api, "oauth")
	if l.renewals != 1 {
		t.Errorf("%d renewals before the end, want 1", l.renewals)
	}
	b.clock.Advance(2 * time.Second)
	if r := b.get(api, "oauth"); r.Status != 200 || l.renewals != 2 || b.Counts().Sent != 5 {
		t.Errorf("%+v after %d renewals and %d requests, want r.Status == 200 && l.renewals == 2 && b.Counts().Sent == 5", r, l.renewals, b.Counts().Sent)
	}
	for raw, want := range map[string]time.Duration{
		"3600": time.Hour, `"60"`: time.Minute, "0": 0, "-1": 0, "null": 0, "": 0, `"soon"`: 0, "NaN": 0, "1e300": 10 * 365 * 24 * time.Hour, "{}": 0,
	} {
		if got := lifetime([]byte(raw)); got != want {
			t.Errorf("%s: lifetime([]byte(raw)): got %v, want %v", raw, got, want)
		}
	}
}

// A sign-in that is over ends in one typed error, said again without asking.
func TestSignInExpired(t *testing.T) {
	t.Parallel()
	for denies, code := range map[string]abi.Code{
		"invalid_grant": CodeCredentialExpired, "unauthorized_client": CodeRenewalRefused, "CANARY-own": CodeRenewalRefused,
	} {
		b := newBed(t, nil)
		l := newLogin(b)
		l.denies, l.access = denies, "at-other"
		for range 5 {
			r := b.get(api, "oauth")
			if r.Error.Code != code || r.Error.GapReason != "" || !strings.Contains(r.Error.Hint, "sign in again") {
				t.Errorf(`got %+v, want r.Error.Code == code && r.Error.GapReason == "" && strings.Contains(r.Error.Hint, "sign in again")`, r.Error)
			}
		}
		if l.renewals != 1 || b.pressed() {
			t.Errorf("%s: %d renewals, want l.renewals == 1 && !b.pressed()", denies, l.renewals)
		}
		b.sweep("canary", "7f3a")
	}
}

// A provider that renews and never accepts gets one renewal and no storm.
// AC-11: one that is refused after that is refused for another reason than its age.
func TestNeverAccepted(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	l := newLogin(b)
	l.never = true
	for range 6 {
		if r := b.get(api, "oauth"); r.Status != 401 {
			t.Errorf("r.Status: got %+v, want 401", r)
		}
		b.clock.Advance(2 * pause)
	}
	if cause, host := b.Trouble(); cause != abi.CauseRenewedRefused || host != "" {
		t.Errorf("got the trouble %q at %q, want %q", cause, host, abi.CauseRenewedRefused)
	}
	if l.renewals != 1 || len(b.seen) != 8 {
		t.Errorf("%d renewals in %d requests, want l.renewals == 1 && len(b.seen) == 8", l.renewals, len(b.seen))
	}
	b.sweep("canary", "7f3a")
}

// An address that refuses every token, among others that take it, makes one
// renewal a minute at most.
func TestOneAddressRefuses(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	l := newLogin(b)
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/forbidden" {
			return says{status: 401}
		}
		return l.answer(r)
	}
	for range 5 {
		if r := b.get("https://api.example.com/forbidden", "oauth"); r.Status != 401 {
			t.Errorf("r.Status: got %+v, want 401", r)
		}
		if r := b.get(api, "oauth"); r.Status != 200 {
			t.Errorf("r.Status: got %+v, want 200", r)
		}
	}
	if cause, _ := b.Trouble(); cause != "" { // AC-11: it was accepted elsewhere
		t.Errorf("got the trouble %q, want none", cause)
	}
	if l.renewals != 1 {
		t.Errorf("%d renewals, want 1", l.renewals)
	}
	b.clock.Advance(pause)
	b.get("https://api.example.com/forbidden", "oauth")
	if l.renewals != 2 {
		t.Errorf("%d renewals after a minute, want 2", l.renewals)
	}
}

// Failures of a renewal.
func TestRenewalFails(t *testing.T) {
	t.Parallel()
	b := newBed(t, nil)
	newLogin(b).access = "at-other"
	b.vault.err = errors.New("disk full: rt-" + canary)
	for range 2 {
		if r := b.get(api, "oauth"); r.Error.Code != CodeCredentialNotKept {
			t.Errorf("r.Error.Code: got %+v, want %v", r, CodeCredentialNotKept)
		}
	}
	if len(b.seen) != 3 { // 401, token, 401; the token that was not kept is not used
		t.Errorf("%d requests, want 3", len(b.seen))
	}
	b.sweep("canary", "7f3a")

	b = newBed(t, nil)
	delete(b.vault.values, "refresh")
	newLogin(b).access = "at-other"
	if r := b.get(api, "oauth"); r.Error.Code != CodeCredentialMissing {
		t.Errorf("r.Error.Code: got %+v, want %v", r, CodeCredentialMissing)
	}

	for _, body := range []string{"", "{", "[]", `{"access_token":""}`, `{"access_token":"a\nb"}`, `{"access_token":"x","refresh_token":"é"}`, strings.Repeat(" ", maxTokenAnswer) + `{"access_token":"x"}`} {
		b = newBed(t, nil)
		b.answer = func(_ int, r got) says {
			if r.URL.Path == "/token" {
				return says{body: body}
			}
			return says{status: 401}
		}
		if r := b.get(api, "oauth"); r.Error.Code != CodeRenewalRefused || len(b.vault.replaced) > 0 {
			t.Errorf(`b.get(api, "oauth"): got %.40q: %+v, want r.Error.Code == CodeRenewalRefused && len(b.vault.replaced) <= 0`, body, r)
		}
	}

	// A token endpoint that is down is a stop like any other, and tried again by
	// the next request.
	b = newBed(t, nil)
	down := true
	l := newLogin(b)
	l.access = "at-other"
	b.answer = func(_ int, r got) says {
		if r.URL.Path == "/token" && down {
			return says{status: 429}
		}
		return l.answer(r)
	}
	if r := b.get(api, "oauth"); r.Error.Message != "github_rate_limited" || r.Error.GapReason != abi.ReasonRateLimited || !b.pressed() {
		t.Errorf(`b.get(api, "oauth"): got %+v, want r.Error.Message == "github_rate_limited" && r.Error.GapReason == abi.ReasonRateLimited && b.pressed()`, r)
	}
	down = false
	b.clock.Advance(time.Hour)
	if r := b.get(api, "oauth"); r.Status != 200 {
		t.Errorf("r.Status: got %+v, want 200", r)
	}
}

// With a base_url the renewal goes there too, and the provider receives no part of it.
func TestRenewalAtBaseURL(t *testing.T) {
	t.Parallel()
	b := newBed(t, func(o *Options) { o.BaseURL, o.AllowPrivate = "http://127.0.0.1:8080", []string{"127.0.0.1:8080"} })
	newLogin(b).access = "at-other"
	if r := b.get("http://127.0.0.1:8080/x", "oauth"); r.Status != 200 || b.seen[1].URL.String() != "http://127.0.0.1:8080/token" {
		t.Errorf(`%+v, the token was asked at %v, want r.Status == 200 && b.seen[1].URL.String() == "http://127.0.0.1:8080/token"`, r, b.seen[1].URL)
	}
}

// Many requests that find the token expired at once make one renewal, and all
// of them succeed. On a real clock within a bubble: they have to overlap.
func TestSingleFlight(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		v := &vault{values: map[string]string{"access": "at-1", "refresh": "rt-1", "client": "id"}}
		n := network()
		for i := range n.Credentials {
			if n.Credentials[i].OAuth != nil {
				n.Credentials[i].OAuth.ClientSecretField = ""
			}
		}
		var mu sync.Mutex
		renewals, current := 0, "at-2"
		s, err := Open(Options{
			Network: n, Connector: "github", Secrets: v, Clock: send.SystemClock{}, Random: func() float64 { return 0.5 },
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				time.Sleep(20 * time.Millisecond) // the line is slow
				mu.Lock()
				defer mu.Unlock()
				answer := &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: http.NoBody}
				if r.URL.Path == "/token" {
					renewals++
					answer.Body = body(`{"access_token":"at-2"}`)
				} else if r.Header.Get("Authorization") != "Bearer "+current {
					answer.StatusCode = 401
				}
				return answer, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if r := decoded(t, answerOf(t.Context(), s, `{"url":"`+api+`","credential":"oauth"}`)); r.Status != 200 {
					t.Errorf("r.Status: got %+v, want 200", r)
				}
			})
		}
		wg.Wait()
		if renewals != 1 || len(v.replaced) != 1 || s.Counts().Sent != 33 {
			t.Errorf("%d renewals, %d kept, %d sent, want renewals == 1 && len(v.replaced) == 1 && s.Counts().Sent == 33", renewals, len(v.replaced), s.Counts().Sent)
		}
		if _, rotated := v.replaced[0]["refresh"]; rotated {
			t.Error("a refresh token was replaced by none")
		}
	})
}

// A run that was stopped begins no renewal.
func TestStoppedBeforeRenewing(t *testing.T) {
	t.Parallel()
	for range 20 {
		b := newBed(t, nil)
		delete(b.vault.values, "access")
		l := newLogin(b)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if r := b.raw(ctx, `{"url":"`+api+`","credential":"oauth"}`); r.Error.Code != abi.CodeInterrupted || l.renewals != 0 {
			t.Errorf("%+v after %d renewals, want r.Error.Code == abi.CodeInterrupted && l.renewals == 0", r, l.renewals)
		}
	}
}

// A run that is stopped while the provider renews still keeps the new tokens,
// and does not wait for a provider that never answers.
func TestStoppedWhileRenewing(t *testing.T) {
	t.Parallel()
	for takes, kept := range map[time.Duration]int{time.Second: 1, time.Hour: 0} {
		synctest.Test(t, func(t *testing.T) {
			v := &vault{values: map[string]string{"refresh": "rt-1", "client": "id", "client_secret": "s"}}
			s, err := Open(Options{
				Network: network(), Connector: "github", Secrets: v, Clock: send.SystemClock{}, Random: func() float64 { return 0.5 },
				Transport: transport(func(r *http.Request) (*http.Response, error) {
					if err := (send.SystemClock{}).Sleep(r.Context(), takes); err != nil {
						return nil, err
					}
					return &http.Response{StatusCode: http.StatusOK, Header: make(http.Header), Body: body(`{"access_token":"at-2","refresh_token":"rt-2"}`)}, nil
				}),
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			began := time.Now()
			r := decoded(t, answerOf(ctx, s, `{"url":"`+api+`","credential":"oauth"}`))
			if r.Error.Code != abi.CodeInterrupted || !r.Error.Final || len(v.replaced) != kept || time.Since(began) > 500*time.Millisecond+grace {
				t.Errorf("after %v: %+v, kept %v, want r.Error.Code == abi.CodeInterrupted && r.Error.Final && len(v.replaced) == kept && time.Since(began) <= 500*time.Millisecond + grace", time.Since(began), r, v.replaced)
			}
		})
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }
