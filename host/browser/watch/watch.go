package watch

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// State is where a watchdog stands.
type State int

// The states.
const (
	Off       State = iota
	Armed           // progress is expected
	Paused          // the owner is asked
	Tripped         // there was no progress: what can still be learned of it is taken down
	Releasing       // the browser is ended
	Done            // it is gone
)

// The labels of the host's own checkpoints.
const (
	LabelBegin       = abi.CheckpointEstablish
	LabelProbe       = "session-establish:probe"
	LabelProbeAgain  = "session-establish:probe-after-manual"
	LabelEstablished = abi.CheckpointEstablished
)

// DefaultLimit is how long signing in may go without progress.
const DefaultLimit = 2 * time.Minute

// The times that a tripped watchdog waits for what is taken down.
const (
	CaptureLimit = 10 * time.Second
	TraceLimit   = 2 * time.Second
)

// Kind is the kind of an event.
type Kind int

// The kinds.
const (
	Begin             Kind = iota // of an establishment
	Checkpoint                    // with a label
	InteractionOpened             // the owner is asked
	InteractionClosed             // with any status, its time-out included
	End                           // established, failed or cancelled
	Tick                          // time has passed
	CaptureDone                   // of a tripped one
	TraceDone                     //
	BrowserGone                   //
)

// Event is something that happened.
type Event struct {
	Kind  Kind
	Label string // of a Checkpoint
}

// Effect is something to do.
type Effect int

// The effects.
const (
	CloseGate    Effect = iota // no request goes out any more
	EndHandoffs                // no viewer looks on any more
	EndBrowser                 // and answer everything in flight with browser.closed
	ReportFailed               // the run has failed: <connector>_session_establish_timeout
)

// Watch is a watchdog. The zero value is off, with the default limit.
type Watch struct {
	Limit time.Duration // without progress; 0: DefaultLimit
	State State
	Last  time.Time // of the last progress; of a tripped one, when it tripped
	Label string    // of the last progress

	open              int // questions that the owner has not answered
	captured, tracked bool
}

// Next returns the watchdog after e, and what is to be done, once.
func (w Watch) Next(e Event, now time.Time) (Watch, []Effect) {
	switch w.State {
	case Off:
		if e.Kind == Begin {
			w.State, w.open, w.Label, w.Last = Armed, 0, LabelBegin, now
		}
	case Armed, Paused:
		return w.watched(e, now)
	case Tripped:
		w.captured = w.captured || e.Kind == CaptureDone || now.Sub(w.Last) >= CaptureLimit
		w.tracked = w.tracked || e.Kind == TraceDone || now.Sub(w.Last) >= TraceLimit
		if w.captured && w.tracked {
			w.State = Releasing
			return w, []Effect{EndBrowser}
		}
	case Releasing:
		if e.Kind == BrowserGone {
			w.State = Done
			return w, []Effect{ReportFailed}
		}
	}
	return w, nil
}

// watched is Next while an establishment goes on.
func (w Watch) watched(e Event, now time.Time) (Watch, []Effect) {
	if w.State == Armed && now.Sub(w.Last) > w.limit() {
		// Also what came too late: an establishment that was stalled is over.
		w.State, w.Last = Tripped, now
		return w, []Effect{CloseGate, EndHandoffs}
	}
	switch e.Kind {
	case End:
		w.State = Off
	case Checkpoint:
		w.Last, w.Label = now, e.Label
	case InteractionOpened:
		w.State = Paused
		w.open++
	case InteractionClosed:
		if w.open = max(w.open-1, 0); w.open == 0 {
			w.State, w.Last = Armed, now
		}
	}
	return w, nil
}

// Due is when the next Tick is to come; zero: none is needed.
func (w Watch) Due() time.Time {
	switch {
	case w.State == Armed:
		return w.Last.Add(w.limit() + 1)
	case w.State == Tripped && !w.tracked:
		return w.Last.Add(TraceLimit)
	case w.State == Tripped:
		return w.Last.Add(CaptureLimit)
	}
	return time.Time{}
}

func (w Watch) limit() time.Duration {
	if w.Limit == 0 {
		return DefaultLimit
	}
	return w.Limit
}
