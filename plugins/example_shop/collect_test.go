package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is the shop as its pages are, in the order of a sign-in.
func shop(t *testing.T) *sdktest.Site {
	t.Helper()
	signedIn := false
	one := func(texts ...string) map[string][]string {
		m := map[string][]string{}
		for _, s := range texts {
			m[s] = []string{s}
		}
		return m
	}
	s := &sdktest.Site{}
	s.Pages = map[string]*sdktest.SitePage{
		home: {Title: "Shop", Texts: one("#login")},
		login.Form: {Title: "Sign in", Texts: one("#username", "#password", "#next"), Clicks: map[string]func(*sdktest.Site) string{
			"#next": func(*sdktest.Site) string { return "https://accounts.shop.example/code" },
		}},
		"https://accounts.shop.example/code": {Title: "Code", Texts: one("#code", "#next"), Clicks: map[string]func(*sdktest.Site) string{
			"#next": func(s *sdktest.Site) string {
				signedIn = true
				s.Pages[home].Texts = one("#account")
				return home
			},
		}},
		home + "orders/1": {Title: "Order", Texts: one("#invoice"), Files: map[string]sdktest.SiteFile{"#invoice": {Name: "1.pdf", Body: []byte("pdf")}}},
	}
	s.Fetch = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := map[string]any{"orders": []string{}, "next": 0}
		switch id, one := strings.CutPrefix(r.URL.Path, "/api/orders/"); {
		case !signedIn:
			w.WriteHeader(http.StatusUnauthorized)
			return
		case one:
			answer = map[string]any{"id": id, "placed_at": "2026-01-02T03:04:05Z", "total": "1.00", "items": []string{"tea"}, "invoice": id == "1"}
		case r.FormValue("page") == "1":
			answer = map[string]any{"orders": []string{"1", "2"}, "next": 2}
		case r.FormValue("page") == "2":
			answer["orders"] = []string{"3"}
		}
		text, err := json.Marshal(answer)
		if err != nil {
			t.Error(err)
		}
		_, _ = w.Write(text)
	})
	return s
}

// The shop's button is held by the owner, on the shop's page.
func TestHeld(t *testing.T) {
	t.Parallel()
	s := shop(t)
	s.Pages[login.Form].Clicks["#next"] = func(*sdktest.Site) string { return "https://accounts.shop.example/hold" }
	s.Pages["https://accounts.shop.example/hold"] = &sdktest.SitePage{
		Title: "Hold", Texts: map[string][]string{"#hold": {"Press and hold"}},
		Owner: s.Pages["https://accounts.shop.example/code"].Clicks["#next"],
	}
	res := sdktest.Collect(t, connector{}, options(s))
	if got := res.Keys(orders); len(got) != 3 || res.Done.Status != abi.DoneSucceeded {
		t.Fatalf("got %v, %+v, want three orders", got, res.Done)
	}
	if got := res.Interactions; len(got) != 1 || got[0].Browser == nil || got[0].Browser.Reason != abi.HandoffCaptcha || got[0].Browser.DoneWhen.URLPrefix != home {
		t.Errorf("got %+v, want the page handed over until it is at home", got)
	}
}

func options(s *sdktest.Site) sdktest.Options {
	return sdktest.Options{
		Site: s, Credentials: map[string]bool{"username": true, "password": true},
		Answer: func(abi.Interaction) abi.InteractionResponse {
			return abi.InteractionResponse{Status: abi.ResponseSuccess}
		},
	}
}

func TestCollect(t *testing.T) {
	t.Parallel()
	s := shop(t)
	res := sdktest.Collect(t, connector{}, options(s))
	if got := res.Keys(orders); !slices.Equal(got, []string{"1", "2", "3"}) || res.Done.Status != abi.DoneSucceeded {
		t.Fatalf("got %v, %+v, want three orders", got, res.Done)
	}
	if got := res.Records(orders)[0].Text("invoice_name"); got != "1.pdf" {
		t.Errorf("got the invoice %q, want 1.pdf", got)
	}
	want := map[string]string{"#username": "{username}", "#password": "{password}", "#code": "{code}"}
	for selector, credential := range want {
		if s.Filled[selector] != credential {
			t.Errorf("%s: got %q, want %s, which the host types", selector, s.Filled[selector], credential)
		}
	}
	again := res.SecondRun(t, func(o *sdktest.Options) { o.Answer = nil })
	if again.Done.Status != abi.DoneSucceeded || len(s.Filled) != len(want) {
		t.Errorf("the second run: got %+v, want nobody asked", again.Done)
	}
}

// An owner who is not there, or not let in, is told what to do.
func TestNotSignedIn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*sdktest.Site, *sdktest.Options)
		code   string
	}{
		"nobody to ask": {func(_ *sdktest.Site, o *sdktest.Options) { o.Answer = nil }, "example_shop_session_required"},
		"wrong password": {func(s *sdktest.Site, _ *sdktest.Options) {
			s.Pages[login.Form].Texts["#wrong"] = []string{"no"}
			s.Pages[login.Form].Clicks = nil
		}, "example_shop_auth_failed"},
		"wrong code": {func(s *sdktest.Site, _ *sdktest.Options) {
			code := s.Pages["https://accounts.shop.example/code"]
			code.Clicks = map[string]func(*sdktest.Site) string{"#next": func(*sdktest.Site) string { code.Texts["#wrong"] = []string{"no"}; return "" }}
		}, "example_shop_code_refused"},
		"another step": {func(s *sdktest.Site, _ *sdktest.Options) { s.Pages[login.Form].Clicks = nil }, "example_shop_session_required"},
		"another form": {func(s *sdktest.Site, _ *sdktest.Options) { delete(s.Pages[login.Form].Texts, "#password") }, "example_shop_page_changed"},
		"no password":  {func(_ *sdktest.Site, o *sdktest.Options) { o.Credentials, o.Answer = nil, nil }, "missing_credentials"},
	} {
		s := shop(t)
		o := options(s)
		c.change(s, &o)
		res := sdktest.Collect(t, connector{}, o)
		if res.Done.Error == nil || res.Done.Error.Code != c.code {
			t.Errorf("%s: got %+v, want %s", name, res.Done.Error, c.code)
		}
	}
}
