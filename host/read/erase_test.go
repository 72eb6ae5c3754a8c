package read

import (
	"bytes"
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// holds reports whether the store's file has a word.
func (s *shelf) holds(word string) (found bool) {
	s.Helper()
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(s.Store.Path() + end)
		if err != nil && !os.IsNotExist(err) {
			s.Fatal(err)
		}
		found = found || bytes.Contains(b, []byte(word))
	}
	return found
}

// Of a removed connection no word is left in the store's file, whatever the index had of it.
func TestRemovedWordsAreGone(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	s := newShelf(t, "c", "d")
	s.put("c", "notes", "a", `{"id":"a","title":"xylophonist quartzite"}`)
	s.put("d", "notes", "b", `{"id":"b","title":"zeppelin"}`)
	s.same(s.searchKeys("xylophonist"), []string{"a"})
	if !s.holds("xylophonist") {
		t.Fatal("the index has no word of the record, want it before the removal")
	}
	s.ok(s.Store.RemoveConnection(t.Context(), "c", nil))
	for word, want := range map[string]bool{"xylophon": false, "quartzit": false, "zeppelin": true} {
		if got := s.holds(word); got != want {
			t.Errorf("%s is in the file: %v, want %v", word, got, want)
		}
	}
	s.same(s.searchKeys("zeppelin"), []string{"b"})
	s.sound()
}

// RD-25.2: what an owner deletes is found, listed and counted no more, whatever its stream has besides;
// after a compaction no word of it is left in the file.
func TestErasedWordsAreGone(t *testing.T) {
	t.Parallel()
	pgtest.OnFile(t)
	s := newShelf(t, "c")
	s.put("c", "notes", "a", `{"id":"a","title":"xylophonist quartzite"}`, "b", `{"id":"b","title":"zeppelin"}`)
	s.same(s.searchKeys("xylophonist"), []string{"a"})
	s.ok(s.Store.EraseRecord(t.Context(), "c", "notes", "a"))
	s.same(s.searchKeys("xylophonist"), []string{})
	s.same(s.searchKeys("zeppelin"), []string{"b"})
	s.same(s.keys(List{From: From{Stream: "notes"}}), []string{"b"})
	s.sound()
	_, err := s.Store.Compact(t.Context(), nil)
	s.ok(err)
	for word, want := range map[string]bool{"xylophon": false, "quartzit": false, "zeppelin": true} {
		if got := s.holds(word); got != want {
			t.Errorf("%s is in the file: %v, want %v", word, got, want)
		}
	}
}
