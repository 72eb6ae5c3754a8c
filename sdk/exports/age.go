package exports

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"
)

// madeAt returns when an export was made, in milliseconds: as its name says, which has the form
// "takeout-20260101T000000Z-001.zip" or "twitter-2026-01-01-x.zip", or else when its file was changed last.
func madeAt(name string, changed int64) int64 {
	name = path.Base(name)
	for at := range name {
		if at > 0 && digits(name[at-1:at]) {
			continue // within a number
		}
		for _, form := range []string{"20060102T150405Z", time.DateOnly, "20060102"} {
			rest := name[at:]
			if len(rest) > len(form) && !strings.HasSuffix(form, "Z") && digits(rest[len(form):len(form)+1]) {
				continue // of a longer number
			}
			if made, err := time.Parse(form, rest[:min(len(form), len(rest))]); err == nil {
				return made.UnixMilli()
			}
		}
	}
	return changed
}

// byAge returns the sources, the oldest first.
func (f *Folder) byAge() []*Source {
	order := make([]*Source, len(f.Sources))
	for i := range order {
		order[i] = &f.Sources[i]
	}
	slices.SortStableFunc(order, func(x, y *Source) int { return cmp.Compare(x.made, y.made) })
	return order
}
