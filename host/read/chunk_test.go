package read

import (
	"fmt"
	"strings"
	"testing"
)

// RD-07: a chunk of large records is bounded by its bytes, and a list and a feed of them
// leave none out.
func TestAChunkOfLargeRecords(t *testing.T) {
	t.Parallel()
	const large, many = 512 << 10, 20
	s := newShelf(t, "c")
	var want []string
	for i := range many {
		key := fmt.Sprintf("%02d", i)
		s.put("c", "notes", key, fmt.Sprintf(`{"id":%q,"body":%q,"title":"t"}`, key, strings.Repeat("x", large)))
		want = append(want, key)
	}
	sources, _, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	w := &walk{store: s.Store, source: &sources[0], bytes: chunkBytes}
	s.ok(w.read(t.Context(), mostChunk))
	f := &feed{reader: s.Reader, source: &sources[0], shown: &projection{all: true}, bytes: chunkBytes, session: session{horizon: 1 << 40}}
	s.ok(f.read(t.Context(), mostChunk))
	for name, rows := range map[string]int{"walk": len(w.ahead), "feed": len(f.ahead)} {
		if rows*large < chunkBytes/2 || rows*large > chunkBytes+large {
			t.Errorf("a chunk of a %s has %d rows of %d bytes, want about %d bytes", name, rows, large, chunkBytes)
		}
	}
	s.same(s.keys(List{From: From{Stream: "notes"}, Fields: []string{"id"}, Order: "asc", Limit: 15}), want)
	all := &follower{shelf: s, scope: OwnerScope(), ask: Changes{From: From{Stream: "notes"}, Since: Beginning, Fields: []string{"id"}}, copy: map[string]string{}}
	if rows := all.session(t.Fatalf, func() {}); len(rows) != many {
		t.Errorf("the feed told of %d records, want %d", len(rows), many)
	}
}
