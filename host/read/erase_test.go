package read

import (
	"bytes"
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// Of a removed connection no word is left in the store's file, whatever the index had of it.
func TestRemovedWordsAreGone(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","title":"xylophonist quartzite"}`)
	s.put("d", "notes", "b", `{"id":"b","title":"zeppelin"}`)
	has := func(word string) bool {
		t.Helper()
		found := false
		for _, end := range []string{"", "-wal"} {
			b, err := os.ReadFile(s.Store.Path() + end)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			found = found || bytes.Contains(b, []byte(word))
		}
		return found
	}
	s.same(s.searchKeys("xylophonist"), []string{"a"})
	if !has("xylophonist") {
		t.Fatal("the index has no word of the record, want it before the removal")
	}
	s.ok(s.Store.RemoveConnection(t.Context(), "c", nil))
	for word, want := range map[string]bool{"xylophon": false, "quartzit": false, "zeppelin": true} {
		if got := has(word); got != want {
			t.Errorf("%s is in the file: %v, want %v", word, got, want)
		}
	}
	s.same(s.searchKeys("zeppelin"), []string{"b"})
	s.sound()
}
