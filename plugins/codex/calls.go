package main

import "time"

// maxPending is how many calls may wait for their output.
const maxPending = 1024

// call is a function call that was read and not emitted yet.
type call struct {
	id        string // of the record
	callID    string
	kind      string
	name      string
	arguments string
	truncated bool
	at        time.Time
}

// pending lists calls in their order of arrival.
type pending struct {
	byID  map[string]int64 // call id -> number in the order
	order []call
	first int64 // number of order[0]
	live  int
}

func (p *pending) reset() {
	if p.byID == nil {
		p.byID = map[string]int64{}
	}
	clear(p.byID)
	clear(p.order)
	p.order, p.first, p.live = p.order[:0], 0, 0
}

// remove removes and returns the call of that id.
func (p *pending) remove(callID string) (call, bool) {
	n, ok := p.byID[callID]
	if !ok {
		return call{}, false
	}
	at := &p.order[n-p.first]
	c := *at
	*at = call{}
	delete(p.byID, callID)
	p.live--
	p.trim()
	return c, true
}

// add keeps c, whose call id must not be among the pending ones.
func (p *pending) add(c call) {
	if len(p.order) >= 4*maxPending {
		p.compact()
	}
	p.byID[c.callID] = p.first + int64(len(p.order))
	p.order = append(p.order, c)
	p.live++
}

// oldest removes and returns the call that waits longest.
func (p *pending) oldest() (call, bool) {
	p.trim()
	if len(p.order) == 0 {
		return call{}, false
	}
	return p.remove(p.order[0].callID)
}

// trim drops answered calls from the front.
func (p *pending) trim() {
	n := 0
	for n < len(p.order) && p.order[n].callID == "" {
		n++
	}
	if n == len(p.order) {
		p.order = p.order[:0]
	} else {
		p.order = p.order[n:]
	}
	p.first += int64(n)
}

// compact drops answered calls from the middle: behind one call that never gets its
// output, thousands may come and go.
func (p *pending) compact() {
	kept := make([]call, 0, p.live+1)
	p.first = 0
	for _, c := range p.order {
		if c.callID != "" {
			p.byID[c.callID] = int64(len(kept))
			kept = append(kept, c)
		}
	}
	p.order = kept
}
