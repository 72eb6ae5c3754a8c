package handoff

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// The events, as do names them: nothing else may be done.
const (
	Move       = "move" // of the mouse: x, y
	Down       = "down" // its left button: x, y, shift
	Up         = "up"
	Double     = "double" // the second press and release of a double click: x, y
	Wheel      = "wheel"  // x, y, dx, dy
	TouchStart = "touch_start"
	TouchMove  = "touch_move"
	TouchEnd   = "touch_end" // nothing else
	KeyDown    = "key_down"  // key, shift, ctrl, meta
	KeyUp      = "key_up"
	Text       = "text"     // text
	Paste      = "paste"    // text
	Viewport   = "viewport" // viewport
	Back       = "back"
	Reload     = "reload"
	Choose     = "choose" // page: another is shown
	Close      = "close"  // page: one that another has opened
	Allow      = "allow"  // host, one of those that were refused
	Done       = "done"   // the owner is done
	Cannot     = "cannot" // and here cannot do it
)

// Limits of input.
const (
	MostBytes  = 8 << 10 // of a batch
	MostEvents = 64      // of a batch
	MostRate   = 60      // events a second
	MostText   = 4 << 10 // bytes
	mostDelta  = 10_000  // of a wheel
	mostHost   = 253     // bytes of a host's name
)

// Viewports are the sizes that a page may be shown in, the usual one first.
var Viewports = []string{"1280x720", "390x844", "820x1180"}

// Keys are the keys that are pressed by name; Shortcuts those that are with ctrl or meta.
var (
	Keys = []string{
		"Enter", "Tab", "Escape", "Backspace", "Delete", "Space", "Home", "End", "PageUp", "PageDown",
		"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Shift",
	}
	Shortcuts = []string{"a", "c", "v", "x", "z"}
)

// Event is one thing that the owner does. Decode has checked it.
type Event struct {
	Do       string
	X, Y     float64
	DX, DY   float64
	Key      string
	Shift    bool
	Ctrl     bool // or Cmd
	Text     string
	Viewport string
	Page     int
	Host     string
}

// members are those that an event has, of which optional ones have a question mark.
var members = map[string][]string{
	Move: {"x", "y"}, Down: {"x", "y", "shift?"}, Up: {"x", "y", "shift?"}, Double: {"x", "y"}, Wheel: {"x", "y", "dx", "dy"},
	TouchStart: {"x", "y"}, TouchMove: {"x", "y"}, TouchEnd: {}, KeyDown: {"key", "shift?", "ctrl?", "meta?"}, KeyUp: {"key", "shift?", "ctrl?", "meta?"},
	Text: {"text"}, Paste: {"text"}, Viewport: {"viewport"}, Back: {}, Reload: {}, Choose: {"page"}, Close: {"page"}, Allow: {"host"}, Done: {}, Cannot: {},
}

// Decode reads a batch: a JSON list of objects, each with do and the members that it has.
// Anything else is refused as a whole.
func Decode(batch []byte) ([]Event, error) {
	if len(batch) > MostBytes {
		return nil, invalid("the batch is too large")
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(batch, &list) != nil {
		return nil, invalid("the batch is no list of objects") // and not why: that would quote it
	}
	if len(list) == 0 || len(list) > MostEvents {
		return nil, invalid("a batch has 1 to " + strconv.Itoa(MostEvents) + " events")
	}
	events := make([]Event, len(list))
	for i, object := range list {
		if err := events[i].read(object); err != nil {
			return nil, err
		}
	}
	return events, nil
}

// read reads one event.
func (e *Event) read(object map[string]json.RawMessage) error {
	if json.Unmarshal(object["do"], &e.Do) != nil {
		return invalid("an event has no do")
	}
	wanted, known := members[e.Do]
	if !known {
		return invalid("there is no such event")
	}
	has := 1
	for _, w := range wanted {
		name, optional := strings.CutSuffix(w, "?")
		raw, there := object[name]
		switch {
		case !there && optional:
			continue
		case !there:
			return invalid("an event " + e.Do + " has " + name)
		case string(raw) == "null" || json.Unmarshal(raw, e.member(name)) != nil:
			return invalid("the member " + name + " of an event " + e.Do + " cannot be read")
		}
		has++
	}
	if has != len(object) {
		return invalid("an event " + e.Do + " has members that it does not take")
	}
	return e.check()
}

// member returns where a member's value goes. ctrl and meta are one: which of them it is
// depends on the owner's keyboard.
func (e *Event) member(name string) any {
	switch name {
	case "x":
		return &e.X
	case "y":
		return &e.Y
	case "dx":
		return &e.DX
	case "dy":
		return &e.DY
	case "key":
		return &e.Key
	case "shift":
		return &e.Shift
	case "ctrl", "meta":
		return (*either)(&e.Ctrl)
	case "text":
		return &e.Text
	case "viewport":
		return &e.Viewport
	case "page":
		return &e.Page
	}
	return &e.Host
}

// either is true when any of the members that are read into it is.
type either bool

// UnmarshalJSON reads one of them.
func (e *either) UnmarshalJSON(b []byte) error {
	var on bool
	err := json.Unmarshal(b, &on)
	*e = *e || either(on)
	return err
}

// check holds an event to its limits.
func (e *Event) check() error {
	switch e.Do {
	case Wheel:
		if math.Abs(e.DX) > mostDelta || math.Abs(e.DY) > mostDelta {
			return invalid("a wheel turns too far")
		}
	case KeyDown, KeyUp:
		keys := Keys
		if e.Ctrl {
			keys = Shortcuts
		}
		if !slices.Contains(keys, e.Key) || e.Ctrl && e.Shift {
			return invalid("there is no such key here")
		}
	case Text, Paste:
		if e.Text == "" || len(e.Text) > MostText || strings.ContainsFunc(e.Text, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			return invalid("a text has 1 byte to 4 KiB, and no control characters")
		}
	case Viewport:
		if !slices.Contains(Viewports, e.Viewport) {
			return invalid("a page is not shown in that size")
		}
	case Choose, Close:
		if e.Page < 1 {
			return invalid("there is no such page")
		}
	case Allow:
		if e.Host == "" || len(e.Host) > mostHost {
			return invalid("there is no such host")
		}
	}
	if most := float64(mostSide); e.X < 0 || e.Y < 0 || e.X >= most || e.Y >= most {
		return invalid("a place is not on the page")
	}
	return nil
}

const mostSide = 1280 // of Viewports

// within reports whether an event is on a page of that size.
func (e *Event) within(viewport string) bool {
	w, h, _ := strings.Cut(viewport, "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	return err1 == nil && err2 == nil && e.X < float64(width) && e.Y < float64(height)
}
