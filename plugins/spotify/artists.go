package main

import "github.com/pdpp-host/pdpp-host/sdk/jsonvalue"

// timeRanges are the spans over which Spotify ranks: about four weeks, six
// months, a year or more.
var timeRanges = [...]string{"short_term", "medium_term", "long_term"}

// collectArtists reads the rankings. An artist in several rankings has a record for
// each.
func collectArtists(a *api) error {
	var firsts []string
	for _, term := range timeRanges {
		firsts = append(firsts, a.base+"/v1/me/top/artists?limit=50&time_range="+term)
	}
	if err := a.prefetch(firsts); err != nil {
		return err
	}
	s := newTrackedList(a, streamArtists)
	for i, term := range timeRanges {
		_, _, err := s.inventory(&list{
			first: firsts[i], part: term + "/", ranked: true,
			row: func(d *builder, v jsonvalue.Value, n int) string { return d.artist(v, term, n) },
			key: func(id string) []string { return []string{id, term} },
		})
		if err != nil {
			return s.end(err)
		}
	}
	return s.end(nil)
}

func (d *builder) artist(v jsonvalue.Value, term string, n int) string {
	d.needed("id", v.Get("id"))
	d.textOrNull("time_range", term)
	d.rank(n)
	d.needed("name", v.Get("name"))
	d.texts("genres", v.Get("genres"), "")
	d.text("uri", v.Get("uri"))
	d.text("url", v.Get("external_urls").Get("spotify"))
	d.volatile()
	d.number("popularity", v.Get("popularity"))
	d.number("followers", v.Get("followers").Get("total"))
	return rowID(v)
}
