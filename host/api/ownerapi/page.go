package ownerapi

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// pageOf returns the page of a list that its operation returns whole. A row that is gone
// takes none of the others with it: the list goes on behind its key.
func pageOf[T any](c *call, list string, all []T, key func(*T) string) (*wire.List[T], error) {
	after, err := wire.After(list, c.query["cursor"])
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(all, func(a, b T) int { return strings.Compare(key(&a), key(&b)) })
	from := 0
	if after != "" {
		from, _ = slices.BinarySearchFunc(all, after+"\x00", func(x T, t string) int { return strings.Compare(key(&x), t) })
	}
	all, next := all[from:], ""
	if len(all) > c.rows {
		all = all[:c.rows]
		next = wire.NewCursor(list, key(&all[c.rows-1]))
	}
	return wire.NewList(all, next, c.r.URL), nil
}
