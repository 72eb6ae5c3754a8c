package leftover

import (
	"reflect"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// AC-03: the owner's word settles a reason once it covers every file that has it, and taking a
// pattern back settles nothing.
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
		heeds   bool
		settled []string
		files   int
	}{
		"one of two":      {[]string{"a"}, false, []string{"earlier"}, 3},
		"both":            {[]string{"a", "b"}, false, []string{"earlier", "torn"}, 2},
		"another":         {[]string{"c"}, false, []string{"earlier", "old"}, 3},
		"not all named":   {[]string{"d"}, false, []string{"earlier"}, 3},
		"taken back":      {[]string{"a", "b"}, true, nil, 2},
		"nothing covered": {[]string{"z"}, false, []string{"earlier"}, 4},
	} {
		var ignores []storage.Ignored
		for _, pattern := range c.ignores {
			ignores = append(ignores, storage.Ignored{Pattern: pattern})
		}
		b := left(books(), ignores, c.heeds)
		if !slices.Equal(b.Amiss.Settled, c.settled) || len(b.Amiss.Files) != c.files || len(b.Unread) != 1 {
			t.Errorf("%s: got %q settled, %d files and %d unread, want %q, %d and 1", name, b.Amiss.Settled, len(b.Amiss.Files), len(b.Unread), c.settled, c.files)
		}
	}
}

// AC-03: what names a file of the list is about that file as it is, and never a pattern; a word that is taken back may
// be named as its file.
func TestANameIsNoPattern(t *testing.T) {
	t.Parallel()
	b := storage.Books{Unread: []storage.UnreadFile{{Path: "*"}, {Path: "a.json"}, {Path: "t.zip/x"}, {Path: "t.zip/y"}}}
	b.Amiss.Files = []storage.AmissFile{{Path: "cut.ics", Reason: "torn"}, {Path: "cut.ics", Reason: "old"}, {Path: "t.zip", Reason: "torn"}}
	kept := []storage.Ignored{{Pattern: "/b.json"}, {Pattern: "*.tmp"}, {Pattern: "/z.zip", For: []string{"torn"}}, {Pattern: "/z.zip/x", For: []string{""}}, {Pattern: "/z.zip2"}}
	w, err := Change{Ignore: []string{"*", "a.json", "/cut.ics", "t.zip", "*.bak"}, Heed: []string{"b.json", "*.tmp", "z.zip"}}.words(&b, kept)
	if err != nil {
		t.Fatal(err)
	}
	unexplained := []string{""}
	want := []storage.Ignored{
		{Pattern: "*.bak"}, {Pattern: "/*", For: unexplained}, {Pattern: "/a.json", For: unexplained}, {Pattern: "/cut.ics", For: []string{"old", "torn"}},
		{Pattern: "/t.zip", For: []string{"torn"}}, {Pattern: "/t.zip/x", For: unexplained}, {Pattern: "/t.zip/y", For: unexplained}, {Pattern: "/z.zip2"},
	}
	if got := w.apply(kept); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := w.apply([]storage.Ignored{{Pattern: "/a.json", For: []string{"old"}}}); !reflect.DeepEqual(got[2], storage.Ignored{Pattern: "/a.json", For: []string{"", "old"}}) {
		t.Errorf("said twice: got %+v, want both reasons", got[2])
	}
	for _, c := range []Change{{Ignore: []string{"/strange.json"}}, {Ignore: []string{"cut.ics/inner"}}, {Ignore: []string{"*.*"}}, {Heed: []string{"a.json"}}} {
		if _, err := c.words(&b, kept); abi.CodeOf(err) != abi.CodeUsage {
			t.Errorf("%+v: got %v, want it refused", c, err)
		}
	}
}

// AC-03: a reason is settled where the owner allowed it for each of its files, and not where a file has another one.
func TestAWordOnAFileIsAboutItsReasons(t *testing.T) {
	t.Parallel()
	b := storage.Books{Unread: []storage.UnreadFile{{Path: "a"}}}
	b.Amiss.Files = []storage.AmissFile{{Path: "a", Reason: "torn"}, {Path: "a", Reason: "old"}}
	b = left(b, []storage.Ignored{{Pattern: "/a", For: []string{"torn"}}}, false)
	if len(b.Unread) != 1 || len(b.Amiss.Files) != 1 || !slices.Equal(b.Amiss.Settled, []string{"torn"}) {
		t.Errorf("got %+v, want torn settled, and the rest as it was", b)
	}
}

// AC-02: the books remember each pattern that has held since their run, also one that is taken back.
func TestPatternsThatHeldAreRemembered(t *testing.T) {
	t.Parallel()
	var b storage.Books
	b.Ruled = []string{"cache/"}
	b = words{}.left(b, []storage.Ignored{{Pattern: "*.bak"}, {Pattern: "old"}})
	b = words{heed: []string{"*.bak", "older"}}.left(b, []storage.Ignored{{Pattern: "old"}})
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
