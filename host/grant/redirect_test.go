package grant

import (
	"strings"
	"testing"
)

// RD-39.1: an owner is sent back to https, or to an app on the same machine, and to nothing
// that a browser reads as something else.
func TestRedirects(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://app.example/back":                                       true,
		"https://app.example:8443/b?x=1":                                 true,
		"http://127.0.0.1/back":                                          true,
		"http://127.0.0.1:5555/back":                                     true,
		"http://[::1]:5555/back":                                         true,
		"http://localhost/":                                              true,
		"com.example.app:/back":                                          true,
		"cursor://anysphere.cursor-mcp/oauth/callback":                   true,
		"vscode://vscode.github-authentication/did-authenticate":         true,
		"vscode-insiders://publisher.extension/back":                     true,
		"cursor:/oauth/callback":                                         false,
		"cursor://":                                                      false,
		"cursors://anysphere.cursor-mcp/back":                            false,
		"vscode://*/back":                                                false,
		"http://app.example/back":                                        false,
		"http://localhost.evil.example/":                                 false,
		"http://127.0.0.1@evil.example/":                                 false,
		"https://user@app.example/":                                      false,
		"https://*.app.example/":                                         false,
		"https://app.example/#here":                                      false,
		"https://app.example/" + strings.Repeat("x", longestRedirect-20): true,
		"https://app.example/" + strings.Repeat("x", longestRedirect-19): false,
		"https://app.example\\@evil.example":                             false,
		"https:///back":                                                  false,
		"javascript:alert(1)":                                            false,
		"data:text/html,x":                                               false,
		"myapp:/back":                                                    false,
		"//app.example/":                                                 false,
		"/back":                                                          false,
		"":                                                               false,
		"https://app.example/ back":                                      false,
		"https://аpp.example/":                                           false,
		"https://app.example/\r\nx":                                      false,
	} {
		if why := CheckRedirect(address); (why == "") != want {
			t.Errorf("%q: got the refusal %q, want it to be taken: %v", address, why, want)
		}
	}
}

// RD-45.1: a redirect is the registered one in each byte, but for the port of a loopback name.
func TestSameRedirect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		registered, used string
		want             bool
	}{
		{"https://app.example/back", "https://app.example/back", true},
		{"https://app.example/back", "https://app.example/back/", false},
		{"https://app.example/back", "https://app.example:443/back", false},
		{"https://app.example/back", "https://APP.example/back", false},
		{"https://app.example/back", "https://app.example/back?x", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:5555/back", true},
		{"http://127.0.0.1:1/back", "http://127.0.0.1:2/back", true},
		{"http://[::1]/back", "http://[::1]:5555/back", true},
		{"http://127.0.0.1/back", "http://localhost/back", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:5555/other", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:5555@evil.example/back", false},
		{"http://127.0.0.1/back", "http://127.0.0.1:5555.evil.example/back", false},
		{"com.example.app:/back", "com.example.app:/other", false},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback", true},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback/", false},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp:1/oauth/callback", false},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://evil/oauth/callback", false},
	} {
		if got := SameRedirect(c.registered, c.used); got != c.want {
			t.Errorf("%s for %s: got %v, want %v", c.used, c.registered, got, c.want)
		}
	}
}
