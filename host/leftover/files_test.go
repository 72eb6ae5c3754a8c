package leftover

import (
	"slices"
	"testing"

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
		b := left(books(), c.ignores, c.heeds)
		if !slices.Equal(b.Amiss.Settled, c.settled) || len(b.Amiss.Files) != c.files || len(b.Unread) != 1 {
			t.Errorf("%s: got %q settled, %d files and %d unread, want %q, %d and 1", name, b.Amiss.Settled, len(b.Amiss.Files), len(b.Unread), c.settled, c.files)
		}
	}
}

// AC-03: a name is a file's, and never a pattern; a pattern that is taken back may be named as its file.
func TestANameIsNoPattern(t *testing.T) {
	t.Parallel()
	b := storage.Books{Unread: []storage.UnreadFile{{Path: "*"}, {Path: "a.json"}}}
	b.Amiss.Files = []storage.AmissFile{{Path: "cut.ics", Reason: "torn"}}
	c := Change{Ignore: []string{"*", "a.json", "cut.ics", "*.bak"}, Heed: []string{"b.json", "*.tmp"}}
	c = c.exact(&b, []string{"/b.json", "*.tmp"})
	if want := []string{"/*", "/a.json", "/cut.ics", "*.bak"}; !slices.Equal(c.Ignore, want) {
		t.Errorf("ignore: got %q, want %q", c.Ignore, want)
	}
	if want := []string{"/b.json", "*.tmp"}; !slices.Equal(c.Heed, want) {
		t.Errorf("heed: got %q, want %q", c.Heed, want)
	}
}

// AC-02: the books remember each pattern that has held since their run, also one that is taken back.
func TestPatternsThatHeldAreRemembered(t *testing.T) {
	t.Parallel()
	var b storage.Books
	b.Ruled = []string{"cache/"}
	b = Change{Ignore: []string{"*.bak"}}.left(b, []string{"*.bak", "old"})
	b = Change{Heed: []string{"*.bak", "older"}}.left(b, []string{"old"})
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
