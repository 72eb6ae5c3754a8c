package console_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"os"
)

var (
	marks    = regexp.MustCompile(`(?s)<!--.*?-->|//[^\n]*`)
	strs     = regexp.MustCompile("\"(?:[^\"\\\\\n]|\\\\.)*\"|`[^`]*`")
	inBraces = regexp.MustCompile(`(?s)\{[^{}]*\}`)
	tags     = regexp.MustCompile(`(?s)<[^<>]*>`)
	saying   = regexp.MustCompile(`(?:aria-label|title|placeholder|alt|content)="([^"]*[a-z]{3}[^"]*)"`)
	technics = regexp.MustCompile(`^(width=device-width|light dark)`)
	code     = regexp.MustCompile(`^\s*(templ |if |for |switch |case |default:|\} else|\}|@|package |import |const |\)|type |var |func |return )`)
)

// literal returns the words that stand in a template itself.
func literal(source string) (found []string) {
	source = marks.ReplaceAllString(source, "")
	for _, m := range saying.FindAllStringSubmatch(source, -1) {
		if !technics.MatchString(m[1]) {
			found = append(found, m[1])
		}
	}
	_, body, _ := strings.Cut(source, "\ntempl ")
	body = strs.ReplaceAllString("templ "+body, `""`)
	for range 4 { // the innermost first: what stands in braces is Go
		body = inBraces.ReplaceAllStringFunc(body, func(s string) string {
			if strings.Contains(s, "\n") {
				return s
			}
			return ""
		})
	}
	body = tags.ReplaceAllStringFunc(body, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) + " " })
	for line := range strings.Lines(body) {
		if code.MatchString(line) {
			continue
		}
		for _, word := range strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(word) > 1 {
				found = append(found, word)
			}
		}
	}
	return found
}

// OC-16: every sentence of the console stands in host/console/words; no template has one.
func TestTemplatesHoldNoWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*/*.templ")
	if err != nil || len(files) < 8 {
		t.Fatalf("got %d templates, %v, want the console's", len(files), err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range literal(string(source)) {
			t.Errorf("%s: got the word %q, want it in host/console/words", file, word)
		}
	}
}

// The rule itself: what it finds and what it lets pass.
func TestLiteralWords(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"<p>{ words.Yes }</p>":                              "",
		"<p>Yes, do</p>":                                    "Yes do",
		"<p class=\"soft\">{ a } · { b }</p>":               "",
		"<svg aria-label=\"Runs of a month\"></svg>":        "Runs of a month",
		"<svg aria-label={ label }></svg>":                  "",
		"if x == \"word here\" {\n<b>{ x }</b>\n}":          "",
		"<a href={ templ.SafeURL(\"/add\") }>\nGo on\n</a>": "Go on",
		"// a comment\n@ui.Pill(p)":                         "",
	} {
		if got := strings.Join(literal("package p\n\ntempl x() {\n"+body+"\n}\n"), " "); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
	}
}
