package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// inventoryMS is how long after an inventory of the saved tracks the next one
// is due.
const inventoryMS = 24 * 60 * 60 * 1000

// collectTracks reads the saved tracks. They are listed by when they were saved, so new
// ones come first. Removed ones show in the number of tracks, and reliably only in an
// inventory.
func collectTracks(a *api) error {
	s := newTrackedList(a, streamTracks)
	l := &list{
		first: a.base + "/v1/me/tracks?limit=50", resumes: true,
		row: (*builder).savedTrack,
		key: func(id string) []string { return []string{id} },
	}
	now := a.h.Now().UnixMilli()
	due := now-s.ledger.inventoryMS >= inventoryMS || s.ledger.inventoryMS > now
	if !due {
		total, err := s.newest(l)
		if err != nil {
			return s.end(err)
		}
		due = total != int64(len(s.ledger.known))+s.ledger.extra
	}
	if !due {
		return s.end(nil)
	}
	s.ledger.inventoryMS = 0
	if err := s.resume(l); err != nil {
		return s.end(err)
	}
	settled, last, err := s.inventory(l)
	if err == nil && settled {
		s.ledger.inventoryMS = now
		s.ledger.extra = last.total - int64(len(s.ledger.known))
	}
	return s.end(err)
}

// resume continues where a run was broken off, for instance at its owner's bound, so
// that the end of a long list is reached. The inventory, which begins at the first
// page, finds removed tracks.
func (s *trackedList) resume(l *list) error {
	from := s.ledger.next
	s.ledger.next = ""
	if !strings.HasPrefix(from, s.base+"/v1/") {
		return nil
	}
	_, err := s.pass(l, from)
	if err != nil && endsRun(err) && s.ledger.next == "" {
		s.ledger.next = from // no page was read; a page that is itself the fault is skipped
	}
	return err
}

// newest reads the list from its beginning to the first page without a new
// track, and returns how many tracks there are.
func (s *trackedList) newest(l *list) (total int64, err error) {
	visited := make(map[string]bool)
	var p pass
	p.seen = make(map[string]bool)
	for url := l.first; url != ""; {
		if visited[url] {
			return 0, cycleFailure()
		}
		visited[url] = true
		one, err := s.page(url)
		if err != nil {
			return 0, err
		}
		total = one.total
		fresh, err := s.emitPage(l, one, &p)
		if err != nil {
			return 0, err
		}
		if err := s.progress(); err != nil {
			return 0, err
		}
		if !fresh {
			break
		}
		url = one.next
	}
	return total, nil
}

func (d *builder) savedTrack(v jsonvalue.Value, _ int) string {
	t := v.Get("track")
	if !t.Exists() {
		t = v.Get("item")
	}
	d.needed("id", t.Get("id"))
	d.needed("name", t.Get("name"))
	d.instant("added_at", v.Get("added_at"))
	d.track(t)
	d.volatile()
	d.number("popularity", t.Get("popularity"))
	return rowID(t)
}
