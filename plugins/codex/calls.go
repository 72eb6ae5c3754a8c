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
	n         int64 // in the order of arrival
}

// pending are the calls of a rollout that wait for their output, by call id.
type pending struct {
	byID map[string]*call
	last int64 // number of the call that was added last
}

func (p *pending) reset() { p.byID = map[string]*call{} }

// add keeps c, whose call id must not be among the pending ones.
func (p *pending) add(c *call) {
	p.last++
	c.n = p.last
	p.byID[c.callID] = c
}

// remove removes and returns the call of that id, nil without one.
func (p *pending) remove(callID string) *call {
	c := p.byID[callID]
	delete(p.byID, callID)
	return c
}

// oldest removes and returns the call that waits longest, nil without one.
func (p *pending) oldest() (old *call) {
	for _, c := range p.byID {
		if old == nil || c.n < old.n {
			old = c
		}
	}
	if old != nil {
		delete(p.byID, old.callID)
	}
	return old
}
