package owner

import "testing"

// An address whose letters look like those of another alphabet has its name as it is looked up beside it.
func TestAddressInASCII(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://api.github.com/v3":      "https://api.github.com/v3",
		"https://API.github.com":         "https://API.github.com",
		"https://\u0430pi.github.com/v3": "https://\u0430pi.github.com/v3 (xn--pi-6kc.github.com)",
		"https://münchen.example:8443":   "https://münchen.example:8443 (xn--mnchen-3ya.example)",
		"http://[::1]:8096":              "http://[::1]:8096",
		"://":                            "://",
	} {
		if got := inASCII(address); got != want {
			t.Errorf("%s: got %s, want %s", address, got, want)
		}
	}
}
