package storage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Pages of a real store are overwritten: what stands on the others is read, each record
// once and as it was, and what is lost is told.
func TestSalvage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	x := &exercise{T: t, s: mustOpen(t, Options{Path: path})}
	const n = 400
	data := func(i int) string { return fmt.Sprintf(`{"id":"k%03d","text":"%s"}`, i, strings.Repeat("x", 500)) }
	w := x.begin("c")
	for i := range n {
		x.put(w, 0, fmt.Sprintf("k%03d=%s", i, data(i)))
	}
	x.finish(w)
	x.ok(x.s.Close())
	file, err := os.ReadFile(path)
	x.ok(err)
	damaged := 0
	for at := 0; at+8192 <= len(file); at += 8192 {
		for _, i := range []int{100, 300} {
			if bytes.Contains(file[at:at+8192], []byte(data(i))) {
				copy(file[at:], bytes.Repeat([]byte{0xff}, 8192))
				damaged++
			}
		}
	}
	if damaged != 2 {
		t.Fatalf("%d pages were damaged, want 2", damaged)
	}
	x.ok(os.WriteFile(path, file, 0o600))
	s := mustOpen(t, Options{Path: path})
	if err := s.EachRecord(t.Context(), "c", "a", func(Record) error { return nil }); abi.CodeOf(err) != abi.CodeStoreCorrupt {
		t.Errorf("read without salvage: %v, want %s", err, abi.CodeStoreCorrupt)
	}
	seen := map[string]bool{}
	lost, err := s.Salvage(t.Context(), "c", "a", func(r Record) error {
		i := 0
		if _, err := fmt.Sscanf(r.Key, "k%d", &i); err != nil || seen[r.Key] || string(r.Data) != data(i) {
			t.Errorf("record %s: got %s, seen before: %v; want its own data, once", r.Key, r.Data, seen[r.Key])
		}
		seen[r.Key] = true
		return nil
	})
	x.ok(err)
	missing := int64(0)
	for _, u := range lost {
		missing += u.To - u.From + 1
	}
	if len(lost) != 2 || int64(len(seen))+missing != n || missing > 40 {
		t.Errorf("%d records read and %d lost in %+v, want %d in all and two pages lost", len(seen), missing, lost, n)
	}
}
