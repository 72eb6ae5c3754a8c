package tables

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// AC-03: what an owner says of a file while a run goes on holds when its books come, and so does what is taken back. The
// word on a file that the run found changed ends.
func TestBooksMeetTheOwnersWords(t *testing.T) {
	t.Parallel()
	torn := AmissFile{Root: "r", Path: "a.ics", As: "damaged", Reason: "torn", Size: 5}
	word := manifest.AsItWas(torn.State(), "a.ics", []string{"torn"})
	for name, c := range map[string]struct {
		words          []manifest.Word // in the row, when the run ends
		books          Books
		files, settled int
		left           int // words
	}{
		"said meanwhile":         {[]manifest.Word{word}, Books{Amiss: Amiss{Files: []AmissFile{torn}}}, 0, 1, 1},
		"said before":            {[]manifest.Word{word}, Books{Words: []manifest.Word{word}, Amiss: Amiss{Settled: []string{"torn"}}}, 0, 1, 1},
		"taken back meanwhile":   {nil, Books{Words: []manifest.Word{word}, Amiss: Amiss{Settled: []string{"torn"}}}, 0, 0, 0},
		"of a file that changed": {[]manifest.Word{word}, Books{Words: []manifest.Word{word}, Over: []manifest.Word{word}, Amiss: Amiss{Files: []AmissFile{{Root: "r", Path: "a.ics", Reason: "torn", Size: 6}}}}, 1, 0, 0},
		"nothing said":           {nil, Books{Amiss: Amiss{Files: []AmissFile{torn}}}, 1, 0, 0},
	} {
		var row BooksRow
		if err := row.Say(c.words); err != nil {
			t.Fatal(err)
		}
		if err := row.Take(&c.books); err != nil {
			t.Fatal(err)
		}
		b, words, err := row.Read()
		if err != nil || len(b.Amiss.Files) != c.files || len(b.Amiss.Settled) != c.settled || len(words) != c.left {
			t.Errorf("%s: got %+v and the words %+v, %v; want %d files, %d reasons settled and %d words", name, b.Amiss, words, err, c.files, c.settled, c.left)
		}
	}
}

// Rules are what an older program reads: patterns alone, without the words on single files.
func TestRulesOfAnOlderStore(t *testing.T) {
	t.Parallel()
	row := BooksRow{Ignores: `["*.bak","/old.zip"]`}
	_, words, err := row.Read()
	if err == nil {
		err = row.Say(append(words, manifest.Word{Pattern: "/a", For: []string{""}}))
	}
	if err != nil || row.Ignores != `["*.bak","/old.zip"]` || !slices.EqualFunc(words, []string{"*.bak", "/old.zip"}, func(w manifest.Word, p string) bool { return w.Pattern == p && w.IsRule() }) {
		t.Errorf("got %+v, %v, want two rules", words, err)
	}
}
