package exports_test

import (
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-02: each file of the folder ends in one word, archives with their entries, in the first run
// and in the next, in which nothing is opened.
func TestEachFileIsAccountedFor(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"a.zip": file(t, 1, 10, 20), "torn.zip": {Data: file(t, 2, 100_000).Data[:60_000]}, "notes.crdownload": {Data: []byte("x")},
		"page.pdf": {Data: []byte("%PDF-1.7")},
	}
	first, _ := collect(t, dir, nil)
	check := func(res *sdktest.Result, when string) {
		t.Helper()
		for path, want := range map[string]string{"a.zip": abi.FileRead, "notes.crdownload": abi.FileKnown, "page.pdf": abi.FileRead} {
			if got := res.File("notes", path); got != want {
				t.Errorf("%s: %s: got %q, want %q", when, path, got, want)
			}
		}
		if got := res.File("notes", "torn.zip"); got == "" || got == abi.FileRead {
			t.Errorf("%s: torn.zip: got %q, want that it is not read whole", when, got)
		}
		if e := res.Entries("notes", "a.zip"); e == nil || e.Count != 2 || e.Read != 2 {
			t.Errorf("%s: a.zip: got %+v, want 2 entries that were read", when, e)
		}
	}
	check(first, "first")
	check(first.SecondRun(t, nil), "second")
}
