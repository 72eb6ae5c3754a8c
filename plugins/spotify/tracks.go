package main

import "github.com/pdpp-host/pdpp-host/sdk/api"

// inventoryMS is how long after an inventory of the saved tracks the next one
// is due.
const inventoryMS = 24 * 60 * 60 * 1000

// collectTracks reads the saved tracks. They are listed by when they were saved, so new
// ones come first. Removed ones show in the number of tracks, and reliably only in an
// inventory.
func collectTracks(c *api.Client) error {
	s := newReader(c, tracks)
	now := c.Now().UnixMilli()
	due := now-s.place.inventoryMS >= inventoryMS || s.place.inventoryMS > now
	if !due {
		total, err := s.newest()
		if err != nil || total == int64(s.place.known.Len())+s.place.extra {
			return s.end(err)
		}
	}
	s.place.inventoryMS, s.keeps = 0, true
	if err := s.resume(); err != nil {
		return s.end(err)
	}
	how, last, err := s.inventory()
	if err == nil && (how == api.Whole || how == api.Moving) {
		s.place.extra = last.Total() - int64(s.place.known.Len())
	}
	if err == nil && how == api.Whole {
		s.place.inventoryMS = now
	}
	return s.end(err)
}

// resume continues where a run was broken off, for instance at its owner's bound, so
// that the end of a long list is reached. The inventory, which begins at the first
// page, finds removed tracks.
func (s *reader) resume() error {
	at := s.place.next
	s.place.next = ""
	if at == "" {
		return nil
	}
	err := s.from(&api.Pass{}, s.parts[0], at)
	if err != nil && api.EndsRun(err) && s.place.next == "" {
		s.place.next = at // no page was read; a page that is itself the fault is skipped
	}
	return err
}

// newest reads the list from its beginning to the first page without a new
// track, and returns how many tracks there are.
func (s *reader) newest() (length int64, err error) {
	var p api.Pass
	pages := s.Pages(pager(s.parts[0].path), "")
	for pages.Next() {
		fresh, err := s.page(&p, s.parts[0], pages.Page())
		if err != nil || !fresh {
			return p.Total(), err
		}
	}
	return p.Total(), pages.Err()
}
