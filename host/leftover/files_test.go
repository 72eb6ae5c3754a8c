package leftover

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-03: the owner's word settles a reason once it covers every file that has it, and taking a
// word back settles nothing.
func TestTheOwnersWordSettlesAReason(t *testing.T) {
	t.Parallel()
	books := func() storage.Books {
		var b storage.Books
		b.Unread = []storage.UnreadFile{{Path: "strange"}}
		b.Amiss.Files = []storage.AmissFile{{Path: "a", Reason: "torn"}, {Path: "b", Reason: "torn"}, {Path: "c", Reason: "old"}, {Path: "d", Reason: "open"}}
		b.Amiss.Open, b.Amiss.Settled = []string{"open"}, []string{"earlier"}
		return b
	}
	for name, c := range map[string]struct {
		ignores []string
		heed    []string
		settled []string
		files   int
	}{
		"one of two":      {[]string{"a"}, nil, []string{"earlier"}, 3},
		"both":            {[]string{"a", "b"}, nil, []string{"earlier", "torn"}, 2},
		"another":         {[]string{"c"}, nil, []string{"earlier", "old"}, 3},
		"not all named":   {[]string{"d"}, nil, []string{"earlier"}, 3},
		"taken back":      {[]string{"a", "b"}, []string{"z"}, nil, 2},
		"nothing covered": {[]string{"z"}, nil, []string{"earlier"}, 4},
	} {
		var words []manifest.Word
		for _, pattern := range c.ignores {
			words = append(words, manifest.Word{Pattern: pattern})
		}
		b := change{heed: c.heed}.leave(books(), words)
		if !slices.Equal(b.Amiss.Settled, c.settled) || len(b.Amiss.Files) != c.files || len(b.Unread) != 1 {
			t.Errorf("%s: got %q settled, %d files and %d unread, want %q, %d and 1", name, b.Amiss.Settled, len(b.Amiss.Files), len(b.Unread), c.settled, c.files)
		}
	}
}

// AC-03: what names a file of the list is about that file as it is, and never a pattern; a word that is taken back may
// be named as its file, and one that is said twice is one.
func TestANameIsNoPattern(t *testing.T) {
	t.Parallel()
	entry := func(name string, more int64) storage.UnreadFile {
		return storage.UnreadFile{Root: "r", Path: "t.zip/" + name, Archive: "t.zip", Size: 5, ChangedMS: 6, More: more}
	}
	b := storage.Books{Unread: []storage.UnreadFile{{Root: "r", Path: "*", Size: 1}, {Root: "r", Path: "a.json", Size: 2}, {Root: "s", Path: "a.json", Size: 3}, entry("x", 36), entry("y", 0)}, Beyond: 40}
	torn := storage.AmissFile{Root: "r", Path: "cut.ics", Reason: "torn", Size: 4, ChangedMS: 7}
	old := torn
	old.Reason = "old"
	b.Amiss.Files = []storage.AmissFile{torn, old, {Root: "r", Path: "d/e.ics", Reason: "torn"}}
	kept := []manifest.Word{{Pattern: "/b.json", For: []string{""}}, {Pattern: "*.tmp"}, {Pattern: "/z.zip", Root: "r", For: []string{"torn"}}}
	ch, err := Change{Ignore: []string{"*", "a.json", "/cut.ics", "t.zip", "*.bak", "z.zip", "/z.zip"}, Heed: []string{"b.json", "*.tmp"}}.read(&b, kept)
	if err != nil {
		t.Fatal(err)
	}
	unexplained := []string{""}
	want := []manifest.Word{
		{Pattern: "*.bak"}, {Pattern: "/*", Root: "r", For: unexplained, Size: 1}, {Pattern: "/a.json", Root: "r", For: unexplained, Size: 2}, {Pattern: "/a.json", Root: "s", For: unexplained, Size: 3},
		{Pattern: "/cut.ics", Root: "r", For: []string{"old", "torn"}, Size: 4, ChangedMS: 7}, {Pattern: "/t.zip", Root: "r", For: unexplained, Size: 5, ChangedMS: 6}, kept[2],
	}
	words := ch.apply(kept)
	if !reflect.DeepEqual(words, want) {
		t.Errorf("got %+v, want %+v", words, want)
	}
	for _, c := range []Change{{Ignore: []string{"/strange.json"}}, {Ignore: []string{"cut.ics/inner"}}, {Ignore: []string{"d"}}, {Ignore: []string{"*.*"}}, {Heed: []string{"a.json"}}} {
		if _, err := c.read(&b, kept); abi.CodeOf(err) != abi.CodeUsage {
			t.Errorf("%+v: got %v, want it refused", c, err)
		}
	}
	if got := (change{words: ch.words}).leave(b, words); len(got.Unread) != 0 || got.Beyond != 4 || len(got.Amiss.Files) != 1 || !slices.Equal(got.Amiss.Settled, []string{"old"}) {
		t.Errorf("got %+v left, want d/e.ics, and 4 files beyond", got)
	}
}

// AC-03: a word on a file that has changed takes the place of the one before, and one for another reason is added to it.
func TestAWordIsSaidAgain(t *testing.T) {
	t.Parallel()
	at := func(size int64, reason string) manifest.Word {
		return manifest.Word{Pattern: "/a", For: []string{reason}, Size: size}
	}
	for name, c := range map[string]struct{ before, said, want manifest.Word }{
		"changed":        {at(1, "torn"), at(2, "old"), at(2, "old")},
		"another reason": {at(1, "torn"), at(1, "old"), manifest.Word{Pattern: "/a", For: []string{"old", "torn"}, Size: 1}},
		"a rule":         {manifest.Word{Pattern: "/a"}, at(1, "old"), at(1, "old")},
	} {
		if got := (change{words: []manifest.Word{c.said}}).apply([]manifest.Word{c.before}); !reflect.DeepEqual(got, []manifest.Word{c.want}) {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// AC-02: the books remember each pattern that has held since their run, also one that is taken back.
func TestPatternsThatHeldAreRemembered(t *testing.T) {
	t.Parallel()
	var b storage.Books
	b.Ruled = []string{"cache/"}
	b = change{}.leave(b, []manifest.Word{{Pattern: "*.bak"}, {Pattern: "old"}})
	b = change{heed: []string{"*.bak", "older"}}.leave(b, []manifest.Word{{Pattern: "old"}})
	if want := []string{"*.bak", "cache/", "old", "older"}; !slices.Equal(b.Ruled, want) {
		t.Errorf("got %q, want %q", b.Ruled, want)
	}
}

// A file that has several reasons is one file.
func TestFilesThatAreAmiss(t *testing.T) {
	t.Parallel()
	f := Files{Amiss: []AmissFile{{Root: "r", Path: "t.zip", Reason: "torn"}, {Root: "r", Path: "t.zip", Reason: "old"}, {Root: "s", Path: "t.zip", Reason: "old"}}}
	if n := f.AmissFiles(); n != 2 {
		t.Errorf("got %d files, want 2", n)
	}
}
