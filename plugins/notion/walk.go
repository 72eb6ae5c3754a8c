package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const (
	// inventoryMS is how long after a full walk the next one is due.
	inventoryMS = 24 * 60 * 60 * 1000
	// overlapMS is how far a walk goes back behind earlier ones: the index lags,
	// usually by seconds.
	overlapMS = 60 * 60 * 1000
)

// cursorVersion changes with the meaning of the cursor. Version 1 had a list of the objects,
// version 2 was of databases instead of data sources.
const cursorVersion = 3

// place is a stream's cursor.
type place struct {
	highMS      int64 // the newest edit that every walk up to now has covered
	inventoryMS int64 // when a full walk last ended without surprise; 0: one is due

	createdMS int64  // count covers the objects created before
	count     int64  // how many those are
	confirmed string // the id up to which missing objects were asked for

	walk walk
}

// walk is one pass through the results, from the newest edit back.
type walk struct {
	begun   bool // and not at its end
	full    bool
	begunBy string // names the enumeration of a full walk
	at      string // where it continues
	topMS   int64  // the newest edit it met
	floorMS int64  // older ones were met by earlier walks
	boundMS int64  // the end of the walk moves createdMS to it
	old     int64  // objects met that were created before createdMS
	fresh   int64  // objects met that were created since, and before boundMS
}

// Members describes the cursor.
func (p *place) Members(m *cursor.Members) {
	m.Int("high_ms", &p.highMS)
	m.Int("inventory_ms", &p.inventoryMS)
	m.Int("created_ms", &p.createdMS)
	m.Int("count", &p.count)
	m.Text("confirmed", &p.confirmed)
	m.Flag("walking", &p.walk.begun)
	m.Flag("full", &p.walk.full)
	m.Text("begun_by", &p.walk.begunBy)
	m.Text("at", &p.walk.at)
	m.Int("top_ms", &p.walk.topMS)
	m.Int("floor_ms", &p.walk.floorMS)
	m.Int("bound_ms", &p.walk.boundMS)
	m.Int("old", &p.walk.old)
	m.Int("fresh", &p.walk.fresh)
}

// listing collects one stream.
type listing struct {
	*api.Client

	stream, kind string
	place        place
	list         *sdk.Enumeration // of a full walk
	tally        *problems.Tally
	taken        int // objects met in this run
}

func newListing(c *api.Client, stream string) *listing {
	l := &listing{Client: c, stream: stream, kind: kinds[stream]}
	l.tally = problems.New(c.Host, stream, unreadable, property, incomplete, lookupRefused, unconfirmed)
	cursor.Read(c.Cursor(stream), cursorVersion, &l.place)
	return l
}

// collect ends the walk that an earlier run could not end, does a walk of its own, and
// reports the results that could not be read. A walk that fails keeps its results.
func (l *listing) collect() error {
	err := l.walks()
	if err != nil {
		if e := l.save(); e != nil {
			return e
		}
	}
	if e := l.tally.Report(); e != nil {
		return e
	}
	return err
}

func (l *listing) save() error {
	return l.Slice(l.stream, l.stream+" "+strconv.Itoa(l.taken), cursor.Encode(cursorVersion, l.Account, &l.place))
}

// walks does this run's walks.
func (l *listing) walks() error {
	p, full := &l.place, false
	if p.walk.begun {
		full = p.walk.full
		if err := l.walk(); err != nil {
			return err
		}
	}
	// Objects edited since that walk began are listed above it.
	now := l.Now().UnixMilli()
	due := now-p.inventoryMS >= inventoryMS || p.inventoryMS > now
	p.walk = walk{begun: true, full: due && !full, floorMS: p.highMS - overlapMS, boundMS: now - overlapMS}
	return l.walk()
}

// walk goes through the results to their end or to the part that earlier walks covered.
func (l *listing) walk() error {
	w := &l.place.walk
	if w.full {
		list, err := l.Enumerate(l.stream, "", w.begunBy)
		if err != nil {
			return err
		}
		l.list, w.begunBy = list, list.BegunBy()
	}
	pages, whole := l.Pages(search(l.kind), w.at), true
	for pages.Next() {
		page, covered := pages.Page(), false
		if status := page.Value.Get("request_status").Get("type"); status.Exists() && !status.TextIs("complete") {
			whole = false
		}
		for it := page.Items.Children(); it.Next(); {
			edited, err := l.take(it.Value())
			if err != nil {
				return err
			}
			w.topMS = max(w.topMS, edited)
			covered = covered || edited != 0 && edited < w.floorMS
		}
		if page.Next == "" || covered && !w.full {
			break
		}
		w.at = page.Next
		if err := l.save(); err != nil {
			return err
		}
		if err := l.Step("reading "+l.stream, int64(l.taken)); err != nil {
			return err
		}
	}
	if err := pages.Err(); err != nil {
		return err
	}
	return l.finish(whole)
}

// take emits an object, or buries it if it is in the trash. It returns the time of its last
// edit, 0 when there is none.
func (l *listing) take(v jsonvalue.Value) (edited int64, err error) {
	l.taken++
	id := v.Get("id").Str()
	if !v.Get("object").TextIs(l.kind) || !api.PlainID(id) {
		l.tally.Note(unreadable, "")
		return 0, nil
	}
	edited = millis(v.Get("last_edited_time"))
	if inTrash(v) {
		return edited, l.Delete(l.stream, id)
	}
	switch created, p := millis(v.Get("created_time")), &l.place; {
	case created == 0 || created >= max(p.createdMS, p.walk.boundMS):
	case created < p.createdMS:
		p.walk.old++
	default:
		p.walk.fresh++
	}
	d := draft{Record: l.Record(l.stream), tally: l.tally}
	if l.stream == streamPages {
		d.page(v)
	} else {
		d.database(v)
	}
	return edited, d.Emit()
}

func inTrash(v jsonvalue.Value) bool { return v.Get("archived").Bool() || v.Get("in_trash").Bool() }

// millis is a time in milliseconds since 1970, 0 for anything else.
func millis(v jsonvalue.Value) int64 {
	t, err := time.Parse(time.RFC3339, v.View())
	if err != nil {
		return 0
	}
	return t.UnixMilli()
}

// finish ends a walk. Its results need not be walked again; after a full walk the run
// asks for the objects that it did not meet.
func (l *listing) finish(whole bool) error {
	p, w, now := &l.place, l.place.walk, l.Now().UnixMilli()
	// A time ahead of the clock would hide every edit until then.
	p.highMS = max(p.highMS, min(w.topMS, now))
	switch {
	case w.full && !whole:
		p.inventoryMS = now
		l.tally.Note(incomplete, "")
	case w.full:
		p.inventoryMS = 0
		settled, gone, err := l.confirm()
		if err != nil {
			return err
		}
		// A walk that meets objects which earlier ones did not is a surprise. A first walk
		// over several pages meets none, although they may have shifted.
		surprise := p.createdMS > 0 && p.walk.old+gone > p.count
		if first := w.floorMS <= 0 && w.at != ""; settled && !surprise && !first {
			p.inventoryMS = now
		}
		p.count = p.walk.old
	}
	p.count += p.walk.fresh
	p.createdMS = max(p.createdMS, w.boundMS)
	p.walk = walk{}
	if err := l.save(); err != nil {
		return err
	}
	if l.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}

// confirm asks for the objects that the host has and a full walk did not meet. One that is in the
// trash is buried. One that is not found stays unmet, for the host to weigh with the list. One that
// exists stays, because search does not promise to list everything. settled reports that none is
// left open; gone counts those of the first two.
func (l *listing) confirm() (settled bool, gone int64, err error) {
	// At Notion's rate 400 objects are two or three minutes.
	look := api.LookUp{Path: func(id string) string { return "/v1/" + l.kind + "s/" + id }, Window: 3, Most: 400}
	open := 0
	last, left, err := look.Missing(l.Client, l.list, l.place.confirmed, func(id string, resp *sdk.Response) error {
		switch api.Of(resp) {
		case api.Later:
			open++ // nobody knows, so it may be there
			return l.list.Met([]string{id})
		case api.Gone:
			gone++ // and not met: the host weighs it with the whole list
		case api.Refused:
			l.tally.Note(lookupRefused, "")
			return l.list.Met([]string{id})
		case api.Denied:
			return l.CheckStatus(resp)
		case api.Found:
			v, bad := resp.JSON()
			if bad != nil || v.Get("id").Str() != id {
				open++
				return l.list.Met([]string{id}) // the next run asks for it again
			}
			if inTrash(v) {
				gone++
			}
			_, err := l.take(v)
			return err
		}
		return nil
	})
	if l.place.confirmed = last; err != nil {
		return false, gone, err
	}
	err = l.list.Whole()
	if open += left; open > 0 {
		l.tally.Add(unconfirmed, open, "")
	}
	return open == 0, gone, err
}
