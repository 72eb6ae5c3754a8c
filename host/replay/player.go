package replay

import (
	"bytes"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// errDiffers ends a guest that does something else than was recorded.
var errDiffers = abi.NewError(CodeDiffers, "the connector does not do what it did", "")

// player is the Host of a guest that runs over a recording. It answers requests
// in the recorded order, which is the order in which the guest's waits return
// them, so that it makes no difference how early an answer is there. Its methods
// reply before they return, so that all of it belongs to one goroutine.
type player struct {
	tape    *cursor
	lenient bool   // what the guest says is not compared, only what it asks
	stop    func() // asks the guest to end

	ahead   event // the next call of the recording; what stands before it has happened
	refusal error // of the call that is being made
	replies map[int]func([]byte)

	calls, requests, answers int
	difference               *Difference
	err                      error // of reading the recording
}

func newPlayer(c *cursor, lenient bool, stop func()) (*player, error) {
	p := &player{tape: c, lenient: lenient, stop: stop, replies: map[int]func([]byte){}}
	p.pull()
	return p, p.err
}

// Emit compares records with the recording.
func (p *player) Emit(payload []byte) error { return p.said(event{Kind: kindEmit}, payload) }

// Message compares any other message with the recording.
func (p *player) Message(call string, payload []byte) error {
	return p.said(event{Kind: call}, payload)
}

// Log compares a log line with the recording.
func (p *player) Log(level int32, text []byte) {
	_ = p.said(event{Kind: kindLog, Level: level}, text) // the next call returns it
}

// Submit compares a request with the recording, and gives every answer that the
// recording has by then.
func (p *player) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	p.replies[p.requests+1] = reply
	return p.said(event{Kind: kindSubmit, Request: p.requests + 1, Op: operationName(op)}, request)
}

// said holds a call of the guest against the next one of the recording.
func (p *player) said(call event, payload []byte) error {
	p.calls++
	if call.Kind == kindSubmit {
		p.requests++
	}
	if p.lenient && call.Kind != kindSubmit {
		return p.failure()
	}
	for p.lenient && p.err == nil && p.ahead.Kind != kindSubmit && p.ahead.Kind != kindEnd {
		p.pull()
	}
	if err := p.failure(); err != nil {
		return err
	}
	p.refusal = nil
	if d := p.compare(&call, payload); d != nil {
		p.difference = d
		p.stop()
		return errDiffers
	}
	p.pull()
	if err := p.failure(); err != nil {
		return err
	}
	return p.refusal
}

func (p *player) failure() error {
	if p.difference != nil {
		return errDiffers
	}
	return p.err
}

// finish holds the guest's end against the recording's, and returns why the
// replay could not be made.
func (p *player) finish(exit plugin.Exit) error {
	// What is left for a lenient player must be no more than was said.
	for p.lenient && p.failure() == nil && p.ahead.Kind != kindEnd {
		if p.ahead.Kind == kindSubmit {
			p.difference = differ(p.calls+1, &p.ahead, p.ahead.payload(), &event{Kind: kindEnd}, nil)
			break
		}
		p.pull()
	}
	switch {
	case p.err != nil:
		return p.err
	case p.difference != nil:
		return nil
	case exit.Stopped != nil:
		return exit.Stopped
	case p.lenient:
		return nil
	}
	got := endOf(exit)
	if got.Error != nil && !repeatable(exit.Err) && (p.ahead.Error == nil || p.ahead.Error.Code != got.Error.Code) {
		return exit.Err // it is not the guest's doing
	}
	if p.ahead.Kind != kindEnd || p.ahead.Returned != got.Returned || p.ahead.Code != got.Code ||
		got.Error != nil && p.ahead.Error.Code != got.Error.Code {
		p.difference = differ(p.calls+1, &p.ahead, p.ahead.payload(), &got, nil)
	}
	return nil
}

// compare returns how call differs from the one ahead; nil when it does not.
func (p *player) compare(call *event, payload []byte) *Difference {
	recorded := p.ahead.payload()
	if call.Kind == p.ahead.Kind && call.Op == p.ahead.Op && call.Level == p.ahead.Level && bytes.Equal(payload, recorded) {
		return nil
	}
	return differ(p.calls, &p.ahead, recorded, call, payload)
}

// pull goes on to the recording's next call and gives the answers before it.
func (p *player) pull() {
	if p.ahead.Kind == kindEnd {
		return
	}
	for p.err == nil {
		var e event
		if e, p.err = p.tape.next(); p.err != nil {
			p.stop()
			return
		}
		switch e.Kind {
		case kindAnswer:
			p.answers++
			reply := p.replies[e.Request]
			delete(p.replies, e.Request)
			reply(slices.Clone(e.payload()))
		case kindRefused:
			p.refusal = e.Error.err()
			delete(p.replies, e.Request)
			if p.lenient && e.Request == 0 {
				// What the host would say to other words is not known.
				p.err = abi.NewError(CodeDiffers, "a recording of a run that the host ended cannot be updated", "record it again")
			}
		default:
			p.ahead = e
			return
		}
	}
}
