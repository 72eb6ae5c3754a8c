package gate

import "testing"

// The gate's own decisions: only https is asked for, and nothing that leaves the browser goes
// without (BR-07, BR-09).
func TestDecide(t *testing.T) {
	t.Parallel()
	const canary = "https://gate.pdpp.invalid/0123"
	for address, want := range map[string]verdict{
		canary:                              prove,
		"https://gate.pdpp.invalid/0124":    refuse,
		"https://gate.pdpp.invalid/":        refuse,
		"https://shop.example/":             ask,
		"https://shop.example:8443/x?y#z":   ask,
		"https://127.0.0.1/":                ask, // the Admitter and the wall refuse it
		"http://shop.example/":              refuse,
		"HTTPS://shop.example/":             ask,
		"https:///x":                        refuse,
		"data:text/html,x":                  let,
		"blob:https://shop.example/1":       let,
		"file:///etc/hostname":              refuse,
		"chrome://settings":                 refuse,
		"devtools://devtools/x":             refuse,
		"view-source:https://shop.example/": refuse,
		"javascript:1":                      refuse,
		"filesystem:https://shop.example/x": refuse,
		"ftp://shop.example/":               refuse,
		"ws://shop.example/":                refuse,
		"about:blank":                       refuse,
		"":                                  refuse,
		"://":                               refuse,
		"https://shop.example/\x7f":         refuse,
	} {
		if got := decide(address, canary); got != want {
			t.Errorf("%q: got %d, want %d", address, got, want)
		}
	}
	if got := decide("", ""); got != refuse {
		t.Errorf("no address, when there is no proof: got %d, want %d", got, refuse)
	}
}
