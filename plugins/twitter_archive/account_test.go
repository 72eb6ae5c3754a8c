package main

import (
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02: every file of the folder ends in one word, in the run that reads it and in the next; a file
// that lies beside an archive does not end the run.
func TestAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(t, "a.zip", account{change: func(files map[string]string) { files["data/holograms.bin"] = "?" }})
	w.put(t, "b.zip", account{change: func(files map[string]string) {
		clear(files)
		files["x/y.bin"] = "?"
	}})
	w.folder["c.zip"] = &fstest.MapFile{Data: []byte("hello")}
	w.folder["holiday.raw"] = &fstest.MapFile{Data: []byte("sand")}
	w.folder["holiday.jpg"] = &fstest.MapFile{Data: []byte("sand")}
	for _, when := range []string{"first", "second"} {
		res := w.collect()
		for path, want := range map[string]string{
			"a.zip": abi.FileRead, "b.zip": abi.FileKnown, "c.zip": abi.FileKnown, "holiday.raw": abi.FileUnknown, "holiday.jpg": abi.FileRule,
		} {
			if got := res.File("twitter_archive", path); got != want {
				t.Errorf("%s: %s: got %q, want %q", when, path, got, want)
			}
		}
		if e := res.Entries("twitter_archive", "a.zip"); e == nil || e.Unknown != 1 {
			t.Errorf("%s: a.zip: got %+v, want 1 entry that is not known", when, e)
		}
	}
}
