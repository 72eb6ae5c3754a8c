package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxPending is how many calls may wait for their output, and maxPendingBytes how long their arguments may be together.
const (
	maxPending      = 1024
	maxPendingBytes = 16 << 20
)

// call is a function call that was read and not emitted yet.
type call struct {
	id        string // of the record
	was       string // its key in earlier versions, "" for the same one
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
	byID  map[string]*call
	last  int64 // number of the call that was added last
	bytes int   // of the arguments
}

func (p *pending) reset() { p.byID, p.bytes = map[string]*call{}, 0 }

// add keeps c, whose call id must not be among the pending ones.
func (p *pending) add(c *call) {
	p.last++
	c.n = p.last
	p.byID[c.callID] = c
	p.bytes += len(c.arguments)
}

// remove removes and returns the call of that id, nil without one.
func (p *pending) remove(callID string) *call {
	c := p.byID[callID]
	if c != nil {
		delete(p.byID, callID)
		p.bytes -= len(c.arguments)
	}
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
		p.remove(old.callID)
	}
	return old
}

// call keeps a call until its output comes; one without an id gets none.
func (r *rollout) call(v jsonvalue.Value, kind string, name, arguments jsonvalue.Value) error {
	r.state.calls++
	c := &call{id: r.id(""), kind: kind, name: clip.Text(name.Str(), maxField), at: r.at}
	if c.callID = v.Get("call_id").Str(); c.callID == "" {
		c.callID = v.Get("id").Str()
	}
	long := len(c.callID) > maxID
	c.callID = clip.Text(c.callID, maxID)
	if !long && r.isOwn(c.callID) && v.Get("call_id").TextIs(c.callID) {
		c.id, c.was = c.callID, c.id
	}
	r.text = r.text[:0]
	switch arguments.Kind() {
	case jsonvalue.String:
		r.text = arguments.AppendText(r.text)
	case jsonvalue.Null:
	default:
		r.text = arguments.AppendJSON(r.text)
	}
	c.arguments, c.truncated = clip.Bytes(r.text, maxArguments)
	if c.callID == "" || long || kind == "web_search_call" || kind == "image_generation_call" {
		return r.emit(c, nil)
	}
	if old := r.pending.remove(c.callID); old != nil {
		if err := r.emit(old, nil); err != nil {
			return err
		}
	}
	r.pending.add(c)
	if len(r.pending.byID) <= maxPending && r.pending.bytes <= maxPendingBytes {
		return nil
	}
	return r.emit(r.pending.oldest(), nil)
}

// randomID is how many letters and digits in a row an id has that no two calls share: those of OpenAI have 24. Shorter ones, as
// call_1 and functions.shell:0 of some models, begin anew in each session.
const randomID = 20

// maxIDs bounds the call ids that a run remembers, eight bytes each.
const maxIDs = 1 << 17

// isOwn reports whether a call id is that of one call only, so that it may be the record's key, as it is in the public
// connector's records. The calls of a fork, and of a second file of a session, may be those of the first one, and a call that the run
// meets a second time under an id keeps its line.
func (r *rollout) isOwn(callID string) bool {
	if s := r.state; s.forkedFrom != "" || s.alias != "" {
		return false
	}
	run := 0
	for i := 0; i < len(callID) && run < randomID; i++ {
		switch c := callID[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			run++
		default:
			run = 0
		}
	}
	if run < randomID {
		return false
	}
	sum := fingerprint.Text(fingerprint.Start, []byte(callID))
	if r.ids[sum] {
		return false
	}
	if r.ids == nil {
		r.ids = map[uint64]bool{}
	}
	if len(r.ids) < maxIDs {
		r.ids[sum] = true
	}
	return true
}

// output joins an output with its call, or emits it separately when the call was
// emitted already.
func (r *rollout) output(v jsonvalue.Value) error {
	callID := clip.Text(v.Get("call_id").Str(), maxID)
	if v.Get("type").TextIs("tool_search_output") {
		r.preview = v.Get("tools").AppendJSON(r.preview[:0])
	} else {
		r.preview = outputText(r.preview[:0], v.Get("output"), func(kind jsonvalue.Value) { r.strange(r.callItems, "part", kind) })
	}
	if r.preview == nil {
		r.preview = []byte{}
	}
	c := r.pending.remove(callID)
	if c == nil {
		c = &call{id: r.id(":output"), callID: callID, kind: "output", at: r.at}
	} else {
		r.callItems.NotRecord++ // a part of its call's record
	}
	return r.emit(c, r.preview)
}

// emit sends a call. output nil: none came.
func (r *rollout) emit(c *call, output []byte) error {
	f := r.calls
	f.String("id", c.id)
	if c.was != "" {
		f.MovedFrom(c.was)
	}
	f.String("session_id", r.state.session)
	f.StringOrNull("call_id", c.callID)
	f.String("kind", c.kind)
	f.StringOrNull("name", c.name)
	f.StringOrNull("arguments", c.arguments)
	f.Bool("arguments_truncated", c.truncated)
	r.callItems.Cut += one(c.truncated)
	r.state.cut += one(c.truncated)
	if output == nil {
		f.Null("output_preview")
	} else {
		text, cut := clip.Bytes(output, maxOutput)
		if n := fits(text, maxWritten-written(c.arguments)); n < len(text) {
			text, cut = clip.Text(text, n), true
		}
		f.String("output_preview", text)
		f.Bool("output_truncated", cut)
		if !c.truncated {
			r.callItems.Cut += one(cut)
			r.state.cut += one(cut)
		}
	}
	f.StringOrNull("timestamp", instant(c.at))
	return f.Emit()
}

// flush emits the calls that still wait.
func (r *rollout) flush() error {
	for c := r.pending.oldest(); c != nil; c = r.pending.oldest() {
		if err := r.emit(c, nil); err != nil {
			return err
		}
	}
	return nil
}
