package health_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
)

// AC-10: two runs said the same if only the provider's own words are different.
func TestSaidMark(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{`status 500; its own words: "Request 1 failed."`, `status 500; its own words: "Request 2 failed."`, true},
		{`status 500; its own words: "Request 1 failed."`, `status 500`, true},
		{`status 500; its own words: "Down."`, `status 502; its own words: "Down."`, false},
		{`status 500`, `status 502`, false},
		{`a (m; its own words: "1"); b (n)`, `a (m; its own words: "2"); b (n)`, true},
		{`a (m; its own words: "1"); b (n)`, `a (m; its own words: "1"); b (o)`, false},
		{`a (m; its own words: "1"); b (m; its own words: "1")`, `a (m; its own words: "2"); b (m; its own words: "3")`, true},
		{`a (m; its own words: "1"); b (m; its own words: "1")`, `a (m; its own words: "1"); c (m; its own words: "1")`, false},
	} {
		if got := health.SaidMark(c.a, "x") == health.SaidMark(c.b, "x"); got != c.same {
			t.Errorf("%s\n%s\ngot the same: %v, want %v", c.a, c.b, got, c.same)
		}
	}
	if health.SaidMark(`a; its own words: "b"`) != health.SaidMark(`a; its own words: "b`) || health.SaidMark(`a; its own words: "b" c`) == health.SaidMark("a") {
		t.Error("got a mark of the words, want one of what stands around them")
	}
	if health.SaidMark("a", "x") == health.SaidMark("a", "y") {
		t.Error("got one mark of two reasons, want two")
	}
}

// AC-11: a message's quotation is the provider's, and no other part of it.
func TestProviderWords(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		`status 401; its own words: "The account is suspended."`:                                                      "The account is suspended.",
		`1 stream was not collected to the end: a (github: status 500; its own words: "Down.")`:                       "Down.",
		`2 streams were not collected to the end: a (m; its own words: "Down."); b (github: status 403: not allowed)`: "Down.",
		`2 streams were not collected to the end: a (m; its own words: "Down."); b (m; its own words: "Up.")`:         "Down.",
		`status 401; its own words: "cut`: "cut",
		`status 401`:                      "",
		"":                                "",
	} {
		if got := health.ProviderWords(message); got != want {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
	}
}
