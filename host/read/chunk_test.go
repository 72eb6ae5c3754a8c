package read

import (
	"fmt"
	"slices"
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

// A walk reads what is wanted: its share at first, then what the page still lacks, and more where rows are not
// shown.
func TestChunksOfAWalk(t *testing.T) {
	t.Parallel()
	s := newShelf(t, "c")
	var records []string
	for i := range 300 {
		key := fmt.Sprintf("%03d", i)
		records = append(records, key, fmt.Sprintf(`{"id":%q,"n":%d,"ok":%t,"title":"t"}`, key, i, i%2 == 0))
	}
	s.put("c", "notes", records...)
	sources, _, err := s.sources(t.Context(), OwnerScope(), From{Stream: "notes"})
	s.ok(err)
	for name, tc := range map[string]struct {
		share  int
		filter []Filter
		wanted []int
		rows   []int
	}{
		"all are shown, and this walk has all of a page": {57, nil, []int{101, 44, 20}, []int{57, 44, 20}},
		"half are shown": {0, []Filter{{Field: "ok", Op: "eq", Value: "true"}}, []int{40, 20, 20}, []int{40, 40, 40}},
		"none is shown":  {0, []Filter{{Field: "title", Op: "eq", Value: "u"}}, []int{20, 20, 20, 20}, []int{20, 40, 80, 160}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			where, _, err := conditions(sources[0].plan, tc.filter)
			if err != nil {
				t.Fatal(err)
			}
			w := &walk{store: s.Store, source: &sources[0], where: where, share: tc.share, bytes: chunkBytes}
			var rows []int
			for _, want := range tc.wanted {
				if err := w.read(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, w.rows)
			}
			if !slices.Equal(rows, tc.rows) {
				t.Errorf("got chunks of %v rows, want %v", rows, tc.rows)
			}
		})
	}
}
