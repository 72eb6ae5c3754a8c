package books

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// asItIs is the owner's word on a file of the folder r as it is, or on an entry of it.
func asItIs(t *testing.T, root *os.Root, file, path string, reasons ...string) manifest.Word {
	t.Helper()
	state, is := stateOf(root, File{"r", file})
	if !is {
		t.Fatalf("%s: got no file, want one", file)
	}
	return manifest.AsItWas(state, path, reasons)
}

// AC-03: what an owner says of one file is about that file as it was: another reason, or no explanation where
// there was one, is told.
func TestAWordOnAFileAllowsWhatItHad(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reasons       []string
		as, reason    string
		amiss, unread int
	}{
		"the same reason":                {[]string{"torn"}, abi.FileDamaged, "torn", 0, 0},
		"another reason":                 {[]string{"torn"}, abi.FileDamaged, "old", 1, 0},
		"one of its reasons":             {[]string{"old", "torn"}, abi.FileDamaged, "torn", 0, 0},
		"not understood any more":        {[]string{"torn"}, abi.FileUnknown, "", 0, 1},
		"nothing said":                   {[]string{"torn"}, "", "", 0, 1},
		"as little understood as before": {[]string{""}, abi.FileUnknown, "", 0, 0},
		"passed over as before":          {[]string{""}, "", "", 0, 0},
		"understood, and damaged":        {[]string{""}, abi.FileDamaged, "torn", 1, 0},
		"a rule, whatever becomes of it": {nil, abi.FileDamaged, "torn", 0, 0},
		"a rule over what is strange":    {nil, abi.FileUnknown, "", 0, 0},
	} {
		root := folder(t, "d/f")
		word := asItIs(t, root, "d/f", "d/f", c.reasons...)
		for _, changed := range []bool{false, true} {
			if changed {
				if err := os.WriteFile(filepath.Join(root.Name(), "d/f"), []byte("{ }"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			b := New(Rule{Owners: []manifest.Word{word}}, later())
			b.Root("r")
			if c.as != "" {
				say(b, "d/f", c.as, c.reason)
			}
			r := b.Close(map[string]*os.Root{"r": root}, later)
			amiss, unread, over := c.amiss, c.unread, 0
			if changed && c.reasons != nil {
				over = 1
				if amiss, unread = 1, 0; c.reason == "" {
					amiss, unread = 0, 1
				}
			}
			if len(r.Amiss) != amiss || len(r.Unread) != unread || len(r.Over) != over {
				t.Errorf("%s, changed %v: got %+v amiss, %+v unread, %+v over; want %d, %d and %d", name, changed, r.Amiss, r.Unread, r.Over, amiss, unread, over)
			}
			if settled := len(r.Settled) > 0; settled != (c.reason != "" && amiss == 0) {
				t.Errorf("%s, changed %v: got %q settled, want its reason if nothing is amiss", name, changed, r.Settled)
			}
		}
	}
}

// AC-03: the word on a file, or on an entry of an archive, ends when the file has changed, and not while it is away. A
// word on the file of one folder says nothing of the other folder's.
func TestWhenAWordIsOver(t *testing.T) {
	t.Parallel()
	root := folder(t, "same.zip", "changed.zip", "f")
	words := []manifest.Word{
		{Pattern: "/gone", Root: "r", For: []string{""}},
		{Pattern: "/away/in/it", Root: "r", For: []string{"torn"}},
		{Pattern: "/f", Root: "other", For: []string{""}},
		{Pattern: "*.bak"},
		asItIs(t, root, "same.zip", "same.zip/an/entry", ""),
		asItIs(t, root, "changed.zip", "changed.zip/an/entry", ""),
		asItIs(t, root, "f", "f", "torn"),
	}
	for _, name := range []string{"changed.zip", "f"} {
		if err := os.WriteFile(filepath.Join(root.Name(), name), []byte("longer"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := New(Rule{Owners: words}, later())
	b.Root("r")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	got := make([]string, 0, len(r.Over))
	for _, o := range r.Over {
		got = append(got, o.Root+o.Pattern)
	}
	if want := []string{"r/changed.zip/an/entry", "r/f"}; !slices.Equal(got, want) {
		t.Errorf("got %q over, want %q", got, want)
	}
	if len(r.Unread) != 3 {
		t.Errorf("got %+v unread, want three files", r.Unread)
	}
	if r := b.Close(map[string]*os.Root{}, later); len(r.Over) > 0 {
		t.Errorf("without its folder: got %+v over, want nothing", r.Over)
	}
}
