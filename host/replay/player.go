package replay

import (
	"bytes"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// errDiffers ends a guest whose calls differ from the recording.
var errDiffers = abi.NewError(CodeDiffers, "the connector behaves differently from the recording", "")

// player is the Host of a guest that runs over a recording. It answers requests in the
// recorded order, in which the guest's waits return them, so the time of an answer
// does not matter. Its methods reply before they return, so one goroutine does all the
// work.
type player struct {
	tape    *cursor
	lenient bool   // only the guest's requests are compared, not its other calls
	stop    func() // asks the guest to end

	ahead   event // the recording's next call; all events before it have happened
	refusal error // the refusal of the current call
	replies map[int]func([]byte)

	seconds int64 // of the answer that is given

	calls, requests, answers int
	difference               *Difference
	err                      error // error while reading the recording
}

func newPlayer(c *cursor, lenient bool, stop func()) (*player, error) {
	p := &player{tape: c, lenient: lenient, stop: stop, replies: map[int]func([]byte){}}
	p.advance()
	return p, p.err
}

// Emit compares records with the recording.
func (p *player) Emit(payload []byte) error { return p.compareNext(event{Kind: kindEmit}, payload) }

// Message compares any other message with the recording.
func (p *player) Message(call string, payload []byte) error {
	return p.compareNext(event{Kind: call}, payload)
}

// Log compares a log line with the recording.
func (p *player) Log(level int32, text []byte) {
	_ = p.compareNext(event{Kind: kindLog, Level: level}, text) // the next call returns it
}

// Submit compares a request with the recording, and gives every answer that the
// recording has before the next call.
func (p *player) Submit(op abi.Operation, request []byte, reply func([]byte)) error {
	p.replies[p.requests+1] = reply
	return p.compareNext(event{Kind: kindSubmit, Request: p.requests + 1, Op: operationName(op)}, withoutTyped(op, request))
}

// compareNext compares a call of the guest with the recording's next one.
func (p *player) compareNext(call event, payload []byte) error {
	p.calls++
	if call.Kind == kindSubmit {
		p.requests++
	}
	if p.lenient && call.Kind != kindSubmit {
		return p.failure()
	}
	for p.lenient && p.err == nil && p.ahead.Kind != kindSubmit && p.ahead.Kind != kindEnd {
		p.advance()
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
	p.advance()
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

// finish compares the guest's end with the recording's, and returns why the replay
// could not be made.
func (p *player) finish(exit plugin.Exit) error {
	// For a lenient player the rest of the recording may contain only calls that it
	// does not compare.
	for p.lenient && p.failure() == nil && p.ahead.Kind != kindEnd {
		if p.ahead.Kind == kindSubmit {
			p.difference = differ(p.calls+1, &p.ahead, p.ahead.payload(), &event{Kind: kindEnd}, nil)
			break
		}
		p.advance()
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
		return exit.Err // not caused by the guest
	}
	if p.ahead.Kind != kindEnd || p.ahead.Returned != got.Returned || p.ahead.Code != got.Code ||
		got.Error != nil && p.ahead.Error.Code != got.Error.Code {
		p.difference = differ(p.calls+1, &p.ahead, p.ahead.payload(), &got, nil)
	}
	return nil
}

// compare returns the difference between call and the one ahead; nil if there is none.
func (p *player) compare(call *event, payload []byte) *Difference {
	recorded := p.ahead.payload()
	if call.Kind == p.ahead.Kind && call.Op == p.ahead.Op && call.Level == p.ahead.Level && bytes.Equal(payload, recorded) {
		return nil
	}
	return differ(p.calls, &p.ahead, recorded, call, payload)
}

// advance advances to the recording's next call and gives the answers before it.
func (p *player) advance() {
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
			p.seconds = e.Seconds
			reply := p.replies[e.Request]
			delete(p.replies, e.Request)
			reply(slices.Clone(e.payload()))
		case kindRefused:
			p.refusal = e.Error.err()
			delete(p.replies, e.Request)
			if p.lenient && e.Request == 0 {
				// The host's reaction to other calls is unknown.
				p.err = abi.NewError(CodeDiffers, "a recording of a run that the host ended cannot be updated", "record it again")
			}
		default:
			p.ahead = e
			return
		}
	}
}
