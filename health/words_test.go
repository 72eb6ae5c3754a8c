package health

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// HL-02.1: a sentence keeps its words, except those that could be a secret or a
// location.
func TestSentence(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"": "", "!": "!",
		`the folder for root "scripted" does not exist`:    `the folder for root "scripted" does not exist`,
		"two\n lines\x1b[2J of it\x00.":                    "two lines [2J of it .",
		"no folder at /home/annabel.":                      "no folder at ….",
		`asks "https://x.example/a?b=c", which it may not`: `asks "…", which it may not`,
		"a@b.example is no name":                           "… is no name",
		"it said ghp_a1b2c3d4e5f6":                         "it said …",
		"rejected 0123456789abcdef01234567 of it":          "rejected … of it",
		"password=hunter2":                                 "",
		"the token: hunter2 was refused":                   "",
		"got bearer\tabc":                                  "",
		strings.Repeat("word ", 100):                       strings.TrimSpace(strings.Repeat("word ", 47)) + " …",
		"\xff\xfe is not text":                             "… is not text",
		strings.Repeat("é", 3000):                          "…",
	} {
		if got := Sentence(raw); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", raw, got, want)
		}
	}
}

func FuzzSentence(f *testing.F) {
	for _, s := range []string{"a folder is missing", "password=hunter2", "\x00\xff", "é é", strings.Repeat("_ ", 300), "bearer x", "a/b c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := Sentence(raw)
		if len(got) > maxSentence || !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }) {
			t.Errorf("%q became %q", raw, got)
		}
		if assignsSecret(strings.ToLower(got)) {
			t.Errorf("%q became %q, want !assignsSecret(strings.ToLower(got))", raw, got)
		}
		for word := range strings.FieldsSeq(got) {
			if strings.ContainsAny(strings.Trim(word, `"'().,;`), `@/\`) || hasTokenPrefix(strings.ToLower(word)) {
				t.Errorf("%q became %q: %q, want !strings.ContainsAny(strings.Trim(word, `\"'().,;`), `@/\\`) && !hasTokenPrefix(strings.ToLower(word))", raw, got, word)
			}
		}
	})
}
