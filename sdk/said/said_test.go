package said_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/said"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A refusal's own sentence is found where providers put it, and nothing else of the answer.
func TestSaid(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"error":{"status":403,"message":"Active premium subscription required for the owner of the app."}}`: "Active premium subscription required for the owner of the app.",
		`{"error":{"id":"403.1","name":"subscription_lapsed","detail":"Subscription has lapsed"}}`:            "Subscription has lapsed",
		`{"object":"error","status":401,"code":"unauthorized","message":"API token is invalid."}`:             "API token is invalid.",
		`{"error":"invalid_grant","error_description":"The code has expired"}`:                                "The code has expired",
		`{"ok":false,"error":"account_inactive"}`:                                                             "account_inactive",
		`{"errors":[{"error":{"message":"too deep?"}}]}`:                                                      "too deep?",
		`{"errors":["one","two"]}`:                  "one",
		`{"message":"","error":"fallback"}`:         "fallback",
		`{"data":{"message":"not of the failure"}}`: "",
		`{"message":"cut`:                           "",
		"Check settings on developer.spotify.com/dashboard, the user may not be registered.\n":                                                                                                  "Check settings on developer.spotify.com/dashboard, the user may not be registered.",
		"<html><head><title>Blocked</title><style>p {}</style></head><body><h1>whoa&nbsp;there, pardner!</h1><script>x()</script><p>Your request has been blocked due to a network policy.</p>": "whoa there, pardner! Your request has been blocked due to a network policy.",
		"<html><head><title>Just a moment</title></head><body></body></html>":                                                                                                                   "Just a moment",
		"<html><scr": "",
		`{"message":"token gho_16C7e42F292c6912E7710c838347Ae178B4a is bad"}`: "token … is bad",
		`{"message":"one\r\n\u202Etwo\u0000\u001b[31m"}`:                      "one two [31m",
		``:                        "",
		`{"message":"say \"x\""}`: "say 'x'",
		`null`:                    "",
		"\xff\xfe bad":            "bad",
	} {
		if got := said.In([]byte(body), ""); got != want {
			t.Errorf("%s: got %q, want %q", body, got, want)
		}
	}
	long := said.In([]byte(strings.Repeat("words ", 100)), "")
	if n := utf8.RuneCountInString(long); n > 200 || n < 190 || !strings.HasSuffix(long, "…") {
		t.Errorf("a long sentence has %d characters: %q", n, long)
	}
}

func FuzzSaid(f *testing.F) {
	for _, body := range []string{`{"error":{"message":"x"}}`, "<html><title>x</title><p>y", "plain", `{"errors":[[[[[["a"]]]]]]}`, "<script>", "<head>", "\xff<p", "<İ><title>"} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		text := said.In([]byte(body), "")
		if strings.ContainsAny(text, "\n\r\t\x1b\u202e\"") || utf8.RuneCountInString(text) > 200 || !utf8.ValidString(text) {
			t.Errorf("%q of %q", text, body)
		}
		if v, err := jsonvalue.Parse([]byte(body)); err == nil && len(body) < 64<<10 && said.Of(v) != text {
			t.Errorf("the value of %q says %q, and the answer %q", body, said.Of(v), text)
		}
	})
}
