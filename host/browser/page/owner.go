package page

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

// Modifiers of input, as the protocol counts them.
const (
	withCtrl  = 2
	withShift = 8
)

// editing are the keys that an owner has besides those of Press, and commands what those with
// ctrl do.
var (
	editing = map[string]key{
		"Backspace": {8, ""}, "Delete": {46, ""}, "Space": {32, " "}, "Home": {36, ""}, "End": {35, ""}, "Shift": {16, ""},
		"a": {65, ""}, "c": {67, ""}, "v": {86, ""}, "x": {88, ""}, "z": {90, ""},
	}
	commands = map[string]string{"a": "selectAll", "c": "copy", "v": "paste", "x": "cut", "z": "undo"}
)

// Act carries out what the owner does on the page.
func (p *Page) Act(ctx context.Context, e handoff.Event) error {
	mouse := func(kind proto.InputDispatchMouseEventType, count int) error {
		m := proto.InputDispatchMouseEvent{Type: kind, X: e.X, Y: e.Y, DeltaX: e.DX, DeltaY: e.DY, Modifiers: modifiers(e)}
		if kind == proto.InputDispatchMouseEventTypeMousePressed {
			p.held.Store(true)
		}
		if p.held.Load() {
			one := 1
			m.Button, m.Buttons, m.ClickCount = proto.InputMouseButtonLeft, &one, count
		}
		if kind == proto.InputDispatchMouseEventTypeMouseReleased {
			p.held.Store(false)
			m.Button, m.Buttons = proto.InputMouseButtonLeft, nil
		}
		return p.call(ctx, m)
	}
	touch := func(kind proto.InputDispatchTouchEventType, points ...*proto.InputTouchPoint) error {
		return p.call(ctx, proto.InputDispatchTouchEvent{Type: kind, TouchPoints: append([]*proto.InputTouchPoint{}, points...)})
	}
	switch e.Do {
	case handoff.Move:
		return mouse(proto.InputDispatchMouseEventTypeMouseMoved, 0)
	case handoff.Down:
		return mouse(proto.InputDispatchMouseEventTypeMousePressed, 1)
	case handoff.Up:
		return mouse(proto.InputDispatchMouseEventTypeMouseReleased, 1)
	case handoff.Double:
		const second = 2
		if err := mouse(proto.InputDispatchMouseEventTypeMousePressed, second); err != nil {
			return err
		}
		return mouse(proto.InputDispatchMouseEventTypeMouseReleased, second)
	case handoff.Wheel:
		return mouse(proto.InputDispatchMouseEventTypeMouseWheel, 0)
	case handoff.TouchStart:
		return touch(proto.InputDispatchTouchEventTypeTouchStart, &proto.InputTouchPoint{X: e.X, Y: e.Y})
	case handoff.TouchMove:
		return touch(proto.InputDispatchTouchEventTypeTouchMove, &proto.InputTouchPoint{X: e.X, Y: e.Y})
	case handoff.TouchEnd:
		return touch(proto.InputDispatchTouchEventTypeTouchEnd)
	case handoff.KeyDown, handoff.KeyUp:
		return p.call(ctx, pressed(e))
	case handoff.Text, handoff.Paste:
		return p.call(ctx, proto.InputInsertText{Text: e.Text})
	case handoff.Reload:
		return p.call(ctx, proto.PageReload{})
	case handoff.Back:
		_, err := p.Back(ctx, abi.UntilCommit)
		return err
	}
	return nil
}

func modifiers(e handoff.Event) int {
	m := 0
	if e.Ctrl {
		m |= withCtrl
	}
	if e.Shift {
		m |= withShift
	}
	return m
}

// pressed is the event of a key that goes down or up.
func pressed(e handoff.Event) proto.InputDispatchKeyEvent {
	k, known := keys[e.Key]
	if !known {
		k = editing[e.Key]
	}
	name, code := e.Key, e.Key
	switch {
	case name == "Space":
		name = " "
	case name == "Shift":
		code = "ShiftLeft"
	case len(name) == 1:
		code = "Key" + strings.ToUpper(name)
	}
	m := proto.InputDispatchKeyEvent{
		Type: proto.InputDispatchKeyEventTypeRawKeyDown, Key: name, Code: code, WindowsVirtualKeyCode: k.code, Modifiers: modifiers(e),
	}
	switch {
	case e.Do == handoff.KeyUp:
		m.Type = proto.InputDispatchKeyEventTypeKeyUp
	case e.Ctrl:
		m.Commands = []string{commands[e.Key]}
	case k.text != "":
		m.Type, m.Text = proto.InputDispatchKeyEventTypeKeyDown, k.text
	}
	return m
}

// Size shows the page in a size of handoff.Viewports; "": as it was.
func (p *Page) Size(ctx context.Context, viewport string) error {
	if viewport == "" {
		return p.call(ctx, proto.EmulationClearDeviceMetricsOverride{})
	}
	width, height := sides(viewport)
	return p.call(ctx, proto.EmulationSetDeviceMetricsOverride{Width: width, Height: height})
}

func sides(viewport string) (width, height int) {
	w, h, _ := strings.Cut(viewport, "x")
	width, _ = strconv.Atoi(w)
	height, _ = strconv.Atoi(h)
	return width, height
}

// Front brings the page before the others: those behind are neither drawn nor acted on.
func (p *Page) Front(ctx context.Context) error { return p.call(ctx, proto.PageBringToFront{}) }

// Cast has take get pictures of the page that is in front, each until its ack is called, until
// Still. take keeps none of jpeg.
func (p *Page) Cast(ctx context.Context, quality int, viewport string, take func(jpeg []byte, ack func())) error {
	p.lock.Lock()
	p.take = take
	p.lock.Unlock()
	width, height := sides(viewport)
	every := 1
	return p.call(ctx, proto.PageStartScreencast{
		Format: proto.PageStartScreencastFormatJpeg, Quality: &quality, MaxWidth: &width, MaxHeight: &height, EveryNthFrame: &every,
	})
}

// Still ends Cast.
func (p *Page) Still(ctx context.Context) error {
	p.lock.Lock()
	p.take = nil
	p.lock.Unlock()
	return p.call(ctx, proto.PageStopScreencast{})
}

// framed hands a picture on. Nothing of it is left here.
func (s *Set) framed(e wire.Event) {
	defer clear(e.Params)
	var f proto.PageScreencastFrame
	p := s.ofSession(e.Session)
	if p == nil || json.Unmarshal(e.Params, &f) != nil {
		return
	}
	defer clear(f.Data)
	p.lock.Lock()
	take := p.take
	p.lock.Unlock()
	if take == nil {
		return
	}
	take(f.Data, func() {
		ctx, cancel := context.WithTimeout(s.ctx, small)
		defer cancel()
		_ = p.call(ctx, proto.PageScreencastFrameAck{SessionID: f.SessionID}) // the page may be gone
	})
}

// chose tells that a page asked for a file, which it does not get.
func (s *Set) chose(wire.Event) { s.tell(handoff.ToldFileChooser) }

// tell notes that something changed, and what was refused; "": nothing was.
func (s *Set) tell(what string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if what != "" {
		s.told = what
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// Changed returns what is closed when next a page comes, goes, moves or is refused something,
// and what was refused last; "": nothing was.
func (s *Set) Changed() (changed <-chan struct{}, told string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.changed, s.told
}

// Known returns the page's address and title as they were told of last.
func (p *Page) Known() (url, title string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.url, p.tit
}

// Popups lets pages open others, or no longer. Those that are open stay.
func (s *Set) Popups(on bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.popups, s.told = on, ""
}

// permissions are those that a page asks its owner for, in a window that nobody sees.
var permissions = []string{
	"camera", "clipboard-read", "display-capture", "geolocation", "idle-detection", "local-fonts", "local-network-access", "microphone", "midi", "notifications", "window-management",
}

// Deny denies pages what they would ask for. A browser that does not know a permission asks for
// none.
func (s *Set) Deny(ctx context.Context) error {
	for _, name := range permissions {
		err := proto.BrowserSetPermission{Permission: &proto.BrowserPermissionDescriptor{Name: name}, Setting: proto.BrowserPermissionSettingDenied}.Call(s.line.On(ctx, ""))
		if err != nil && !refused(err) {
			return err
		}
	}
	return nil
}
