package words

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// RD-27.2: case and diacritics are folded, and what is no letter and no number separates.
func TestTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Crème BRÛLÉE, 2nd!":       "creme brulee 2nd",
		"e\u0301te\u0301 İstanbul": "ete istanbul",
		"foo-bar_baz@x.org":        "foo bar baz x org",
		"東京タワー a":                  "東 京 タ ワ ー a",
		"ﬁve ½ \u0301":             "five 12",
		"a\x00b\u202ec":            "a b c",
		"":                         "",
	} {
		if got := strings.Join(Texts(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	if got := Texts(strings.Repeat("é", 200)); len(got) != 1 || len(got[0]) > mostBytes {
		t.Errorf("got %q, want one word that is cut", got)
	}
	if got := len(Texts(strings.Repeat("a ", MostWords+5))); got != MostWords {
		t.Errorf("got %d words, want %d", got, MostWords)
	}
}

// The words of no text are more than a tsvector holds, 1,048,575 bytes: a lexeme takes its
// own, and six at the most for its number of places, the place, and the rest of a word.
func TestWordsFitIntoATsvector(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20_000 { // ﷺ is 3 bytes, and folded 28
		b.WriteString(strconv.FormatInt(int64(36*36*36+i), 36) + "ﷺﷺﷺ ")
	}
	got := 0
	for _, w := range Texts(b.String()) {
		got += len(w) + 6
		if len(w) > mostBytes {
			t.Fatalf("got a word of %d bytes, want at most %d", len(w), mostBytes)
		}
	}
	if want := 1<<20 - 1024; got > want {
		t.Errorf("got %d bytes, want at most %d", got, want)
	}
}

// RD-27.2: words are AND, quotes make a phrase, a last * a prefix, and nothing is an error.
func TestQuery(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		`Hello wörld`:      "[hello] [world]",
		`"to be" OR not`:   "[to be] [or] [not]",
		`a "b c`:           "[a] [b c]",
		`pre*`:             "[pre]*",
		`a pre* `:          "[a] [pre]*",
		`a* b`:             "[a] [b]",
		`"a b"*`:           "[a b]",
		`a *`:              "[a]",
		`foo-bar`:          "[foo] [bar]",
		`東京 x`:             "[東 京] [x]",
		`NEAR(a b, 2) ^c:`: "[near] [a] [b] [2] [c]",
		`"" * ()`:          "",
	} {
		var got []string
		for _, term := range Query(q) {
			text := fmt.Sprint(term.Words)
			if term.Prefix {
				text += "*"
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", q, strings.Join(got, " "), want)
		}
	}
}

// RD-27.6: a snippet is a part of the text, at most 320 characters of it.
func TestFindAndSnippet(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("ä ", 300) + "To Be or not" + strings.Repeat(" ö", 300)
	for q, want := range map[string]bool{`"to be"`: true, "be to": true, `"be to"`: false, "no*": true, "no": false, "nothing": false, "": false} {
		start, end, found := Find(text, Query(q))
		if found != want {
			t.Errorf("%q: found %v, want %v", q, found, want)
		}
		if found && !strings.EqualFold(text[start:end], strings.Trim(text[start:end], " ")) {
			t.Errorf("%q: got %q", q, text[start:end])
		}
	}
	start, _, _ := Find(text, Query(`"to be"`))
	part, before, behind := Snippet(text, start)
	if !strings.Contains(part, "To Be") || utf8.RuneCountInString(part) != snippetChars || !before || !behind || !strings.Contains(text, part) {
		t.Errorf("got %q, %v, %v", part, before, behind)
	}
}

// RD-27.2, RD-27.6: no query panics or makes a word that an index could take for syntax, and
// what a text is searched for by its own words is found in it.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{`"a b" c*`, "東京タワー", "e\u0301", `') OR 1=1 --`, "\xff*", "İ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		for _, term := range Query(q) {
			for _, w := range term.Words {
				if w == "" || strings.ContainsFunc(w, func(r rune) bool { return !part(r) }) || !utf8.ValidString(w) {
					t.Errorf("%q: the word %q", q, w)
				}
			}
		}
		words := Split(q)
		if len(words) == 0 {
			return
		}
		first := words[0]
		start, end, found := Find(q, []Term{{Words: []string{first.Text}}})
		if !found || start != first.Start || end != first.End {
			t.Fatalf("%q: %q is not found where it is: %d, %d, %v", q, first.Text, start, end, found)
		}
		if part, _, _ := Snippet(q, start); !strings.Contains(q, part) || utf8.RuneCountInString(part) > snippetChars {
			t.Errorf("%q: the snippet %q", q, part)
		}
		if !slices.Equal(Texts(q), func() (all []string) {
			for _, w := range words {
				all = append(all, w.Text)
			}
			return all
		}()) {
			t.Errorf("%q: Texts and Split differ", q)
		}
	})
}
