package browser

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"
)

// finder returns the first visible element of a kind with a name, as assistive technology has
// it. A name that no element has exactly may be the beginning of one.
const finder = `((kind, name) => {
	const text = (e) => (e ? (e.innerText || e.textContent || '') : '').replace(/\s+/g, ' ').replace(/ :/g, ':').trim();
	const called = (e) => {
		const by = e.getAttribute('aria-labelledby');
		if (by) return by.split(/\s+/).map((id) => text(document.getElementById(id))).join(' ');
		return e.getAttribute('aria-label') || (e.labels && e.labels.length ? text(e.labels[0]) : '') || text(e) || e.value || e.title || '';
	};
	const kinds = {
		press: 'button, a[href], summary, input[type=submit], input[type=button], input[type=radio], input[type=checkbox], label, [role=button], [role=tab]',
		button: 'button, input[type=submit], input[type=button]', link: 'a[href]',
		field: 'input:not([type=hidden]):not([type=submit]), select, textarea',
	};
	const all = [...document.querySelectorAll(kinds[kind] || kind)].filter((e) => !e.disabled && (e.getClientRects().length > 0));
	if (!kinds[kind]) return all[0] || null;
	return all.find((e) => called(e) === name) || all.find((e) => called(e).startsWith(name)) || null;
})`

// find waits for an element. Kind is press, button, link, field, or a selector, for which the
// name does not matter.
func (p *Page) find(kind, name string) proto.RuntimeRemoteObjectID {
	p.t.Helper()
	var found proto.RuntimeRemoteObjectID
	p.until(fmt.Sprintf("to have the %s %q", kind, name), func() bool {
		res, err := proto.RuntimeEvaluate{Expression: finder + "(" + quote(kind) + "," + quote(name) + ")"}.Call(p.p)
		if err != nil || res.ExceptionDetails != nil {
			return false
		}
		found = res.Result.ObjectID
		return found != ""
	})
	return found
}

// Has reports whether the page has such an element now.
func (p *Page) Has(kind, name string) bool {
	v, err := p.evaluate(finder + "(" + quote(kind) + "," + quote(name) + ") !== null")
	return err == nil && v.Bool()
}

// Press clicks what has that name: a button, a link, a summary, a choice.
func (p *Page) Press(name string) {
	p.t.Helper()
	p.PressOne("press", name)
}

// PressOne is Press for one kind of element, or for a selector.
func (p *Page) PressOne(kind, name string) {
	p.t.Helper()
	for end := time.Now().Add(Patience); ; { // a page that repaints may take the element away
		err := p.click(p.find(kind, name))
		if err == nil {
			return
		}
		if time.Now().After(end) {
			p.t.Fatalf("pressing the %s %q: %v", kind, name, err)
		}
	}
}

func (p *Page) click(object proto.RuntimeRemoteObjectID) error {
	if err := (proto.DOMScrollIntoViewIfNeeded{ObjectID: object}).Call(p.p); err != nil {
		return err
	}
	quads, err := proto.DOMGetContentQuads{ObjectID: object}.Call(p.p)
	if err != nil {
		return err
	}
	if len(quads.Quads) == 0 {
		return fmt.Errorf("it is not to be seen")
	}
	q := quads.Quads[0]
	at := proto.InputDispatchMouseEvent{Button: proto.InputMouseButtonLeft, ClickCount: 1, X: (q[0] + q[4]) / 2, Y: (q[1] + q[5]) / 2}
	for _, at.Type = range []proto.InputDispatchMouseEventType{
		proto.InputDispatchMouseEventTypeMouseMoved, proto.InputDispatchMouseEventTypeMousePressed, proto.InputDispatchMouseEventTypeMouseReleased,
	} {
		if err := at.Call(p.p); err != nil {
			return err
		}
	}
	return nil
}

// Down presses the mouse at a place of the window, and Up lets it go there.
func (p *Page) Down(x, y float64) {
	p.t.Helper()
	p.mouse(proto.InputDispatchMouseEventTypeMouseMoved, x, y)
	p.mouse(proto.InputDispatchMouseEventTypeMousePressed, x, y)
}

// Up lets the mouse go.
func (p *Page) Up(x, y float64) {
	p.t.Helper()
	p.mouse(proto.InputDispatchMouseEventTypeMouseReleased, x, y)
}

func (p *Page) mouse(what proto.InputDispatchMouseEventType, x, y float64) {
	p.t.Helper()
	p.must(proto.InputDispatchMouseEvent{Type: what, X: x, Y: y, Button: proto.InputMouseButtonLeft, ClickCount: 1}.Call(p.p))
}

// Fill types a text into the field of that name, in the place of what it holds.
func (p *Page) Fill(name, text string) {
	p.t.Helper()
	object := p.find("field", name)
	p.must(proto.DOMScrollIntoViewIfNeeded{ObjectID: object}.Call(p.p))
	p.must(proto.DOMFocus{ObjectID: object}.Call(p.p))
	p.call(object, "function () { if (this.select) this.select(); }")
	p.must(proto.InputInsertText{Text: text}.Call(p.p))
}

// Choose chooses the option of that name, or value, in a list.
func (p *Page) Choose(name, option string) {
	p.t.Helper()
	p.call(p.find("field", name), `function () {
		const o = [...this.options].find((o) => o.text.trim() === `+quote(option)+` || o.value === `+quote(option)+`);
		if (!o) throw new Error('no such option');
		this.value = o.value;
		this.dispatchEvent(new Event('input', {bubbles: true}));
		this.dispatchEvent(new Event('change', {bubbles: true}));
	}`)
}

// Upload puts a file into a field.
func (p *Page) Upload(name, path string) {
	p.t.Helper()
	p.must(proto.DOMSetFileInputFiles{Files: []string{path}, ObjectID: p.find("field", name)}.Call(p.p))
}

func (p *Page) call(object proto.RuntimeRemoteObjectID, function string) {
	p.t.Helper()
	res, err := proto.RuntimeCallFunctionOn{FunctionDeclaration: function, ObjectID: object}.Call(p.p)
	p.must(err)
	if res.ExceptionDetails != nil {
		p.t.Fatal(&thrown{res.ExceptionDetails})
	}
}

// The keys that Key takes, with their codes.
var keys = map[string]proto.InputDispatchKeyEvent{
	"Tab":    {Key: "Tab", Code: "Tab", WindowsVirtualKeyCode: 9},
	"Enter":  {Key: "Enter", Code: "Enter", WindowsVirtualKeyCode: 13, Text: "\r"},
	"Space":  {Key: " ", Code: "Space", WindowsVirtualKeyCode: 32, Text: " "},
	"Escape": {Key: "Escape", Code: "Escape", WindowsVirtualKeyCode: 27},
}

// Key presses a key.
func (p *Page) Key(name string) {
	p.t.Helper()
	k, ok := keys[strings.TrimPrefix(name, "Shift+")]
	if !ok {
		p.t.Fatalf("no key %q", name)
	}
	if strings.HasPrefix(name, "Shift+") {
		k.Modifiers = 8
	}
	for _, k.Type = range []proto.InputDispatchKeyEventType{proto.InputDispatchKeyEventTypeKeyDown, proto.InputDispatchKeyEventTypeKeyUp} {
		if k.Type == proto.InputDispatchKeyEventTypeKeyUp {
			k.Text = ""
		}
		p.must(k.Call(p.p))
	}
}

// Picture is the page as a PNG: all of it, or what the window shows.
func (p *Page) Picture(whole bool) []byte {
	p.t.Helper()
	res, err := proto.PageCaptureScreenshot{Format: proto.PageCaptureScreenshotFormatPng, CaptureBeyondViewport: whole}.Call(p.p)
	p.must(err)
	return res.Data
}
