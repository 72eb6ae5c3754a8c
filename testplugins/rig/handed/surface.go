package handed

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"sync"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
)

// Surface implements handoff.Surface.
type Surface struct {
	lock    sync.Mutex
	state   handoff.State
	changed chan struct{}
	put     func(jpeg []byte, ack func())
	shown   []byte
	events  []handoff.Event
	ended   chan struct{}
	outcome string

	// Did is called with each event that is done; nil: nobody is told.
	Did func(e handoff.Event)
}

// New returns a surface of one page of a host, in the usual size.
func New(host, title string) *Surface {
	return &Surface{
		state:   handoff.State{Page: 1, Host: host, Viewport: handoff.Viewports[0], Pages: []handoff.PageShown{{Number: 1, Host: host, Title: title}}, Refused: []string{}},
		changed: make(chan struct{}), ended: make(chan struct{}),
	}
}

// State implements handoff.Surface.
func (s *Surface) State() (handoff.State, <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.state, s.changed
}

// Change changes how the pages are.
func (s *Surface) Change(do func(*handoff.State)) {
	s.lock.Lock()
	defer s.lock.Unlock()
	do(&s.state)
	close(s.changed)
	s.changed = make(chan struct{})
}

// Cast implements handoff.Surface.
func (s *Surface) Cast(_ context.Context, _ int, put func(jpeg []byte, ack func())) (stop func(), err error) {
	s.lock.Lock()
	s.put = put
	shown := s.shown
	s.lock.Unlock()
	if shown != nil {
		put(shown, func() {})
	}
	return func() {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.put = nil
	}, nil
}

// Show shows a picture.
func (s *Surface) Show(picture []byte) {
	s.lock.Lock()
	s.shown = picture
	put := s.put
	s.lock.Unlock()
	if put != nil {
		put(picture, func() {})
	}
}

// Do implements handoff.Surface.
func (s *Surface) Do(_ context.Context, e handoff.Event) error {
	s.lock.Lock()
	s.events = append(s.events, e)
	s.lock.Unlock()
	if e.Do == handoff.Viewport {
		s.Change(func(now *handoff.State) { now.Viewport = e.Viewport })
	}
	if s.Did != nil {
		s.Did(e)
	}
	return nil
}

// Events are those that were done.
func (s *Surface) Events() []handoff.Event {
	s.lock.Lock()
	defer s.lock.Unlock()
	return slices.Clone(s.events)
}

// End ends it by itself.
func (s *Surface) End(outcome string) {
	s.outcome = outcome
	close(s.ended)
}

// Ended implements handoff.Surface.
func (s *Surface) Ended() <-chan struct{} { return s.ended }

// Outcome implements handoff.Surface.
func (s *Surface) Outcome() string { return s.outcome }

// Picture is a JPEG picture of one colour.
func Picture(width, height int, c color.Color) []byte {
	p := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.Set(x, y, c)
		}
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, p, nil); err != nil {
		panic(err) // a buffer takes everything
	}
	return out.Bytes()
}
