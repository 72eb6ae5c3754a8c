package books

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-03: what an owner says of one file is about that file as it was: another reason, or no explanation where
// there was one, is told.
func TestAWordOnAFileAllowsWhatItHad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reasons             []string
		as, reason          string
		amiss, unread, over int
	}{
		"the same reason":                 {[]string{"torn"}, abi.FileDamaged, "torn", 0, 0, 0},
		"another reason":                  {[]string{"torn"}, abi.FileDamaged, "old", 1, 0, 1},
		"one of its reasons":              {[]string{"old", "torn"}, abi.FileDamaged, "torn", 0, 0, 1},
		"not understood any more":         {[]string{"torn"}, abi.FileUnknown, "", 0, 1, 1},
		"nothing said":                    {[]string{"torn"}, "", "", 0, 1, 0},
		"as little understood as before":  {[]string{""}, abi.FileUnknown, "", 0, 0, 0},
		"passed over as before":           {[]string{""}, "", "", 0, 0, 0},
		"understood, and damaged":         {[]string{""}, abi.FileDamaged, "torn", 1, 0, 1},
		"read":                            {[]string{"", "torn"}, abi.FileRead, "", 0, 0, 2},
		"known, with nothing to collect":  {[]string{"torn"}, abi.FileKnown, "", 0, 0, 1},
		"a rule, whatever becomes of it":  {nil, abi.FileDamaged, "torn", 0, 0, 0},
		"a rule over what is strange":     {nil, abi.FileUnknown, "", 0, 0, 0},
		"damaged for a reason of another": {[]string{"", "old"}, abi.FileDamaged, "torn", 1, 0, 2},
	} {
		root := folder(t, "d/f")
		b := New(Rule{Owners: []Word{{Pattern: "/d/f", For: c.reasons}}}, later())
		b.Root("r")
		if c.as != "" {
			say(b, "d/f", c.as, c.reason)
		}
		r := b.Close(map[string]*os.Root{"r": root}, later)
		over := 0
		for _, o := range r.Over {
			over += len(o.For)
		}
		if len(r.Amiss) != c.amiss || len(r.Unread) != c.unread || over != c.over {
			t.Errorf("%s: got %+v amiss, %+v unread, %+v over; want %d, %d and %d", name, r.Amiss, r.Unread, r.Over, c.amiss, c.unread, c.over)
		}
		if settled := len(r.Settled) > 0; settled != (c.reason != "" && c.amiss == 0) {
			t.Errorf("%s: got %q settled, want its reason if nothing is amiss", name, r.Settled)
		}
	}
}

// AC-03: the word on a file ends when the file is gone, and not for what this run cannot know: an entry of an archive,
// a file that came during the run, and folders that are not there.
func TestWhenAWordIsOver(t *testing.T) {
	t.Parallel()
	root := folder(t, "t.zip", "kept")
	words := []Word{
		{"/gone", []string{"", "torn"}},
		{"/away/in/it", []string{"torn"}},
		{"/t.zip/an/entry", []string{""}},
		{"/kept", []string{"", "torn"}},
		{Pattern: "*.bak"},
	}
	b := New(Rule{Owners: words}, later())
	b.Root("r")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	got := make([]string, 0, len(r.Over))
	for _, o := range r.Over {
		got = append(got, o.Pattern)
	}
	if want := []string{"/gone", "/away/in/it"}; !slices.Equal(got, want) {
		t.Errorf("got %q over, want %q", got, want)
	}
	if r := b.Close(map[string]*os.Root{}, later); len(r.Over) > 0 {
		t.Errorf("without its folder: got %+v over, want nothing", r.Over)
	}
	came := New(Rule{Owners: []Word{{"/kept", []string{""}}}}, time.Now().Add(-time.Hour))
	came.Root("r")
	if r := came.Close(map[string]*os.Root{"r": root}, later); len(r.Over) > 0 || r.Roots[0].New != 2 {
		t.Errorf("files that came during the run: got %+v over and %d new, want nothing and 2", r.Over, r.Roots[0].New)
	}
}

// AC-03: a folder that may not be listed is told like a file, and what is in it once it may be listed is told.
func TestAWordOnAFolderThatCannotBeListed(t *testing.T) {
	t.Parallel()
	root := folder(t, "shut/f")
	b := New(Rule{Owners: []Word{{"/shut", []string{""}}}}, later())
	b.Root("r")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if len(r.Unread) != 1 || r.Unread[0].Path != "shut/f" || len(r.Over) != 1 {
		t.Errorf("got %+v unread and %+v over, want shut/f, and the word over", r.Unread, r.Over)
	}
	if os.Getuid() == 0 {
		return // may list any folder
	}
	if err := os.Chmod(filepath.Join(root.Name(), "shut"), 0); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Join(root.Name(), "shut"), 0o700) }()
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Unread)+len(r.Over) > 0 {
		t.Errorf("got %+v unread and %+v over, want nothing", r.Unread, r.Over)
	}
}
