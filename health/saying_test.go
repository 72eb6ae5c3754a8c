package health_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/health"
)

// AC-10: the words of a provider or a parser are one line of at most 200 bytes without a
// secret.
func TestSaying(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":       "",
		" \n\t ": "",
		"Active premium subscription required for the owner of the app.": "Active premium subscription required for the owner of the app.",
		"two\nlines\r\n\x1b[31mred":                                      "two lines [31mred",
		"file Timeline/2026.json ends at byte 17":                        "file Timeline/2026.json ends at byte 17",
		"bad ghp_16C7e42F292c6912E7710c838347Ae178B4a here":              "bad [hidden] here",
		"token=abc123def456":                                             "[hidden]",
		"id 4f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c is not yours":               "id [hidden] is not yours",
		"a\u202eb\u200bc":                                                "a b c",
	} {
		if got := health.Saying(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("ä", 300), strings.Repeat("word ", 100), "\xff" + strings.Repeat("x ", 200)} {
		if got := health.Saying(long); len(got) > 200 || len(got) < 190 || !utf8.ValidString(got) || !strings.HasSuffix(got, "…") {
			t.Errorf("got %d bytes %q, want valid text of about 200 with its cut shown", len(got), got)
		}
	}
}
