package fields

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/storage"
)

// stream counts n records, of which filled have the field.
func stream(n, filled int) Counts {
	c := New(2)
	for i := range n {
		if !c.Due(1) {
			continue
		}
		c.Filled(1, []byte("id"))
		if i < filled {
			c.Filled(1, []byte("title"))
		}
	}
	return c
}

// AC-05: a field whose share of nulls rises from under 1 % to over 99 % has disappeared, and stays
// so until it carries data again.
func TestCompare(t *testing.T) {
	t.Parallel()
	all := func(string) bool { return true }
	for name, tc := range map[string]struct {
		n, filled     int
		before        []string
		gone          []string // before
		declared      func(string) bool
		carried, then []string
	}{
		"as before":             {n: 20, filled: 20, before: []string{"id", "title"}, carried: []string{"id", "title"}},
		"gone":                  {n: 20, before: []string{"id", "title"}, carried: []string{"id", "title"}, then: []string{"title"}},
		"never there":           {n: 20, before: []string{"id"}, carried: []string{"id"}},
		"too few":               {n: 19, before: []string{"id", "title"}, carried: []string{"id", "title"}},
		"too few to be back":    {n: 19, filled: 19, before: []string{"id", "title"}, gone: []string{"title"}, carried: []string{"id", "title"}, then: []string{"title"}},
		"gone, and back":        {n: 20, filled: 20, before: []string{"id", "title"}, gone: []string{"title"}, carried: []string{"id", "title"}},
		"a little is back":      {n: 100, filled: 1, before: []string{"id", "title"}, gone: []string{"title"}, carried: []string{"id"}},
		"gone, not declared":    {n: 0, before: []string{"id", "title"}, gone: []string{"title"}, declared: func(f string) bool { return f != "title" }, carried: []string{"id", "title"}},
		"1 % is left":           {n: 100, filled: 1, before: []string{"id", "title"}, carried: []string{"id"}},
		"under 1 % is left":     {n: 101, filled: 1, before: []string{"id", "title"}, carried: []string{"id", "title"}, then: []string{"title"}},
		"1 % lacks it":          {n: 100, filled: 99, carried: []string{"id"}},
		"under 1 % lack it":     {n: 101, filled: 100, carried: []string{"id", "title"}},
		"not declared any more": {n: 20, before: []string{"id", "title"}, declared: func(f string) bool { return f != "title" }, carried: []string{"id"}},
		"renamed in a million":  {n: 1_000_000, before: []string{"id", "title"}, carried: []string{"id", "title"}, then: []string{"title"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.declared == nil {
				tc.declared = all
			}
			got := stream(tc.n, tc.filled).Compare(1, storage.Fields{Carried: tc.before, Gone: tc.gone}, tc.declared)
			if !slices.Equal(got.Carried, tc.carried) || !slices.Equal(got.Gone, tc.then) {
				t.Errorf("got %v, want %v carried and %v gone", got, tc.carried, tc.then)
			}
		})
	}
}

// A run looks at a bounded number of records and of names.
func TestBounds(t *testing.T) {
	t.Parallel()
	c := New(1)
	looked := 0
	for range 1_000_000 {
		if c.Due(0) {
			looked++
		}
	}
	if looked > 5000 || looked < first {
		t.Errorf("%d of a million records are looked at, want some thousands", looked)
	}
	for i := range 10_000 {
		c.Filled(0, []byte{byte(i), byte(i >> 8)})
	}
	c.Filled(0, make([]byte, maxNameBytes+1))
	if len(c[0].filled) != maxNames {
		t.Errorf("%d names are kept, want %d", len(c[0].filled), maxNames)
	}
}
