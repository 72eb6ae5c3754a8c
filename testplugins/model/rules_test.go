package model

import (
	"cmp"
	"maps"
	"slices"
)

// Why a list deletes nothing.
const (
	refusedNarrowed = "narrowed"
	refusedLost     = "lost"
	refusedSpoiled  = "spoiled"
	refusedMany     = "too many"
)

// listID names a list of a run.
type listID struct{ stream, part string }

// use is a list that a run has opened.
type use struct {
	listID

	list    *list
	open    bool   // not said to be whole
	refused string // narrowed or lost
	given   bool   // given up for one of the other form
	day     int    // on which the run opened it
}

// arrival is how the last record of a served gap came.
type arrival int

const (
	never arrival = iota
	good
	bad
)

// removal counts what a run's lists have deleted of a stream, with and without the owner's word.
type removal struct{ asked, unasked int }

// earlier is what a run has left out of a stream.
type earlier struct {
	rejected, deferred map[string]bool
	unnamed            bool // something whose key nobody knows
}

func (r *visit) before(name string) *earlier {
	if r.earlier[name] == nil {
		r.earlier[name] = &earlier{rejected: map[string]bool{}, deferred: map[string]bool{}}
	}
	return r.earlier[name]
}

// visit is a run that goes on.
type visit struct {
	plan      *plan
	opened    map[listID]*use
	unswept   map[listID]*use
	active    map[string]*use // by stream: the list that meets its records
	closed    []listID
	start     map[string]int // records of a stream before the run
	held      map[string]int // records of a stream before the run opened any list of it
	removed   map[string]removal
	staged    map[string]int
	failed    map[string]bool
	came      map[string]arrival // by stream: good where any good record came
	served    map[gap]arrival
	attempted map[gap]bool
	claimed   map[string]bool   // streams of gaps that were called recovered without a record
	withheld  map[string]string // by stream: why its deletions were
	earlier   map[string]*earlier
	emitted   int
	violated  bool
	stopped   bool
}

// begin begins a run.
func (b *books) begin(p *plan) {
	b.day += p.days
	b.run = &visit{
		plan: p, opened: map[listID]*use{}, unswept: map[listID]*use{}, active: map[string]*use{}, held: map[string]int{}, removed: map[string]removal{},
		staged: map[string]int{}, failed: map[string]bool{}, came: map[string]arrival{}, served: map[gap]arrival{}, attempted: map[gap]bool{},
		claimed: map[string]bool{}, withheld: map[string]string{}, earlier: map[string]*earlier{},
		start: map[string]int{},
	}
	for name, s := range b.streams {
		b.run.start[name] = len(s.live())
	}
}

// do is one call; false: it is a violation. The operation missing has an answer.
func (b *books) do(c *call) (accepted bool, answer []string) {
	r := b.run
	switch c.do {
	case doEmit, doDelete:
		r.emitted++
		delete(r.before(c.stream).rejected, c.key())
		r.came[c.stream] = good
		r.arrived(c, good)
		b.put(c.stream, c.key(), c.n, c.do == doDelete)
		if c.do == doEmit {
			b.meet(c.stream, c.key())
		}
	case doReject:
		r.emitted++
		r.came[c.stream] = cmp.Or(r.came[c.stream], bad)
		r.arrived(c, bad)
		b.spoil(c.stream)
		r.before(c.stream).rejected[c.key()] = true
	case doKeptBack:
		b.spoil(c.stream)
		if len(c.keys) == 1 {
			r.before(c.stream).rejected[c.key()] = true
		} else {
			r.before(c.stream).unnamed = true
		}
	case doGap, doOddGap, doBacklog:
		b.defers(c)
	case doAttempted:
		if _, is := r.served[gap{c.stream, c.key()}]; !is {
			return r.violation()
		}
		r.attempted[gap{c.stream, c.key()}] = true
	case doRecovered:
		return b.recovers(gap{c.stream, c.key()})
	case doOpen, doMet, doOddMet, doWhole, doMissing:
		return b.enumerate(c)
	case doState, doHalf:
		r.staged[c.stream] = c.n
	case doSlice:
		r.staged[c.stream] = c.n
		if !r.withholds(c.stream) {
			b.commit(c.stream)
			b.sweep(r.behind(c.stream))
		}
	case doFail:
		r.failed[c.stream] = true
	case doStop:
		r.stopped = true
	}
	return true, nil
}

func (r *visit) violation() (bool, []string) {
	r.violated = true
	return false, nil
}

// arrived notes that a record came, for each served gap that it may fill.
func (r *visit) arrived(c *call, as arrival) {
	for g := range r.served {
		if g.stream == c.stream && fills(g.key, c.key()) {
			r.served[g] = as
		}
	}
}

// meet has a record met in the list that is open, and else in each that is not swept.
func (b *books) meet(name, key string) {
	if u := b.run.active[name]; u != nil {
		u.list.met[key] = true
		b.streams[name].hold(u.part, key)
		return
	}
	for _, u := range b.run.unswept {
		if u.stream == name {
			u.list.met[key] = true
		}
	}
}

// spoil has each list of the stream that has begun delete nothing.
func (b *books) spoil(name string) {
	for _, l := range b.streams[name].lists {
		l.spoiled = l.spoiled || l.open
	}
}

// defers is a DETAIL_GAP.
func (b *books) defers(c *call) {
	g := gap{c.stream, gapKey(c)}
	b.gaps[g] = true
	delete(b.run.attempted, g)
	if c.do == doGap {
		b.run.before(c.stream).deferred[c.key()] = true
	} else {
		b.run.before(c.stream).unnamed = true
	}
	if c.do != doGap {
		if b.run.enumerates(c.stream) {
			b.spoil(c.stream)
		}
		return
	}
	for _, u := range b.run.unswept {
		for key := range b.streams[c.stream].records {
			if u.stream == c.stream && fills(c.key(), key) {
				u.list.met[key] = true
				if b.run.active[c.stream] == u {
					b.streams[c.stream].hold(u.part, key)
				}
			}
		}
	}
}

func (r *visit) enumerates(name string) bool {
	for id := range r.opened {
		if id.stream == name {
			return true
		}
	}
	return false
}

// recovers is a DETAIL_GAP_RECOVERED. The host believes what came.
func (b *books) recovers(g gap) (bool, []string) {
	came, is := b.run.served[g]
	if !is {
		return b.run.violation()
	}
	delete(b.run.attempted, g)
	switch came {
	case good:
		delete(b.gaps, g)
	case never:
		b.run.claimed[g.stream] = true
	case bad: // the gap stays, and no cursor waits for it
	}
	return true, nil
}

// enumerate is an ENUMERATION, or asks what an open list misses.
func (b *books) enumerate(c *call) (bool, []string) {
	r, id := b.run, listID{c.stream, c.part}
	u := r.opened[id]
	if c.do == doOpen {
		if u != nil && (!u.open || c.by == "") {
			return r.violation()
		}
		b.open(c, id)
		return true, nil
	}
	if u == nil || !u.open || c.do == doOddMet {
		return r.violation()
	}
	switch c.do {
	case doMet:
		for _, key := range c.keys {
			if !u.given {
				u.list.met[key] = true
				b.streams[c.stream].hold(c.part, key)
			}
		}
	case doWhole:
		u.open = false
		r.closed = append(r.closed, id)
		if r.active[c.stream] == u {
			delete(r.active, c.stream)
		}
	case doMissing:
		if u.refused == "" && !u.given {
			return true, b.gone(u, nil)
		}
	}
	return true, nil
}

// open opens a list. A stream is enumerated either as a whole or in parts: a list of the one
// form gives up those of the other.
func (b *books) open(c *call, id listID) {
	r, s := b.run, b.streams[c.stream]
	if _, known := r.held[c.stream]; !known {
		r.held[c.stream] = min(len(s.live()), r.start[c.stream])
	}
	if s.lists[c.part] == nil {
		s.lists[c.part] = &list{met: map[string]bool{}}
	}
	u := &use{listID: id, list: s.lists[c.part], open: true, day: b.day}
	for other, o := range r.unswept {
		if other.stream == c.stream && (other.part == "") != (c.part == "") && !r.plan.narrows(c.stream) {
			o.given = true
			delete(r.unswept, other)
		}
	}
	switch {
	case r.plan.narrows(c.stream):
		u.refused = refusedNarrowed
	case c.by == "":
		for part := range s.lists {
			if (part == "") != (c.part == "") {
				delete(s.lists, part)
				delete(s.holds, part)
			}
		}
		*u.list = list{begunBy: r.plan.label, since: b.moment, open: true, met: map[string]bool{}, held: b.heldOf(c), answer: u.list.answer}
	case !u.list.open || u.list.begunBy != c.by:
		u.refused = refusedLost
	}
	_, known := r.opened[id]
	r.opened[id], r.unswept[id], r.active[c.stream] = u, u, u
	if known {
		return
	}
	was := r.before(c.stream)
	for detail := range was.deferred {
		for key := range s.records {
			if fills(detail, key) {
				u.list.met[key] = true
			}
		}
	}
	if c.by == "" && u.refused == "" {
		for key := range was.rejected {
			u.list.met[key] = true
		}
	}
	if was.unnamed {
		b.spoil(c.stream)
	}
}

// heldOf is how many records a list has that begins. Records that the run has added to the stream don't count.
func (b *books) heldOf(c *call) int {
	n := len(b.streams[c.stream].has(c.part))
	if c.part == "" {
		n = min(n, b.run.start[c.stream])
	}
	return n
}

// withholds reports whether a stream's cursor may not move.
func (r *visit) withholds(cursor string) bool {
	if (r.plan.narrows(notes) || r.plan.narrows(riders)) && !r.plan.boundary {
		return true
	}
	for _, name := range []string{notes, riders} {
		if covers(cursor, name) && (r.failed[name] && r.plan.inScope(name) || r.came[name] == bad || r.claimed[name] || !r.plan.inScope(name)) {
			return true
		}
	}
	return false
}

// commit commits a staged cursor.
func (b *books) commit(cursor string) {
	b.cursors[cursor] = b.run.staged[cursor]
	delete(b.run.staged, cursor)
}

// behind takes the closed lists that a cursor covers.
func (r *visit) behind(cursor string) (ids []listID) {
	r.closed = slices.DeleteFunc(r.closed, func(id listID) bool {
		if covers(cursor, id.stream) {
			ids = append(ids, id)
			return true
		}
		return false
	})
	return ids
}

// end ends the run, and returns its status.
func (b *books) end() (status string) {
	r := b.run
	switch {
	case r.violated, r.plan.end == endSucceeded && len(r.attempted) > 0: // an attempt has no outcome
		return endFailed
	case r.plan.end == endSucceeded:
		b.close()
		return endSucceeded
	case r.stopped, r.plan.end == endCancelled:
		return endCancelled
	case r.plan.end == endCertified && len(r.failed) > 0:
		b.close()
	}
	return endFailed
}

// close commits what may be, and sweeps what lies behind it.
func (b *books) close() {
	r := b.run
	var ids []listID
	for _, cursor := range slices.Sorted(maps.Keys(r.staged)) {
		if !r.withholds(cursor) {
			b.commit(cursor)
			ids = append(ids, r.behind(cursor)...)
		}
	}
	for _, id := range r.closed { // those that no cursor is behind
		waits := r.withholds(id.stream)
		for cursor := range r.staged {
			waits = waits || covers(cursor, id.stream)
		}
		if !waits {
			ids = append(ids, id)
		}
	}
	b.sweep(ids)
}
