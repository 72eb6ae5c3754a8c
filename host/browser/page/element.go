package page

import (
	"context"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
)

// look is what the host's functions on elements begin with.
const look = `
const all = s => { try { return [...document.querySelectorAll(s)] } catch (e) { throw new Error("selector " + s) } };
const visible = e => { const r = e.getBoundingClientRect(), s = getComputedStyle(e); return r.width > 0 && r.height > 0 && s.visibility != "hidden" && s.display != "none" };
const text = e => (e.innerText ?? e.textContent ?? "").trim();
const one = (s, nth) => { const found = all(s); return {n: found.length, e: nth != null ? found[nth] : found.length == 1 ? found[0] : null} };
`

// Probe says what each selector finds.
func (p *Page) Probe(ctx context.Context, selectors []string) (found []abi.BrowserFound, err error) {
	err = p.run(ctx, &found, `selectors => {`+look+`
		return selectors.map(s => { const f = all(s), e = f[0]; return {count: f.length, visible: !!e && visible(e), enabled: !!e && !e.disabled} }) }`, selectors)
	return found, err
}

// Holds returns the index of the first condition that holds, or -1.
func (p *Page) Holds(ctx context.Context, conditions []abi.BrowserCondition) (index int, err error) {
	err = p.run(ctx, &index, `any => {`+look+`
		const holds = c => {
			if (c.url_prefix) return location.href.startsWith(c.url_prefix);
			const f = all(c.selector), shown = f.some(visible);
			if (c.text) return f.some(e => visible(e) && text(e).includes(c.text));
			return c.state == "hidden" ? !shown : c.state == "attached" ? f.length > 0 : shown;
		};
		return any.findIndex(holds) }`, conditions)
	return index, err
}

// Texts returns texts of the elements that match: those that are read, or an attribute of each.
func (p *Page) Texts(ctx context.Context, selector, attribute string, every bool) (values []string, n int, err error) {
	var got struct {
		N      int      `json:"n"`
		Values []string `json:"values"`
		Large  bool     `json:"large"`
	}
	err = p.run(ctx, &got, fmt.Sprintf(`(s, attribute, every) => {`+look+`
		let f = all(s), n = f.length, size = 0;
		if (!every) f = f.slice(0, 1);
		if (f.length > %d) return {n, large: true};
		const values = f.map(e => attribute ? e.getAttribute(attribute) ?? "" : text(e));
		for (const v of values) size += v.length;
		return size > %d ? {n, large: true} : {n, values} }`, abi.BrowserTexts, abi.BrowserTextsBytes), selector, attribute, every)
	switch {
	case err != nil:
		return nil, 0, err
	case got.Large:
		return nil, 0, tooLarge()
	case got.N == 0:
		return nil, 0, notFound()
	}
	return got.Values, got.N, nil
}

// HTML returns the page's document, or an element of it, as HTML.
func (p *Page) HTML(ctx context.Context, selector string) ([]byte, error) {
	var got struct {
		N     int    `json:"n"`
		HTML  []byte `json:"html"`
		Large bool   `json:"large"`
	}
	err := p.run(ctx, &got, fmt.Sprintf(`s => {`+look+base64Of+`
		const e = s ? all(s)[0] : document.documentElement;
		if (!e) return {n: 0};
		const html = new TextEncoder().encode(e.outerHTML);
		return html.length > %d ? {n: 1, large: true} : {n: 1, html: base64(html)} }`, abi.BrowserContent), selector)
	switch {
	case err != nil:
		return nil, err
	case got.N == 0:
		return nil, notFound()
	case got.Large || len(got.HTML) > abi.BrowserContent:
		return nil, tooLarge()
	}
	return got.HTML, nil
}

// Click clicks the middle of an element with the mouse.
func (p *Page) Click(ctx context.Context, selector string, nth *int) error {
	var at struct {
		N     int       `json:"n"`
		Place []float64 `json:"place"`
		Why   string    `json:"why"`
	}
	err := p.run(ctx, &at, `(s, nth) => {`+look+`
		const {n, e} = one(s, nth);
		if (!e) return {n};
		e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
		if (!visible(e)) return {n: 1, why: "is not visible"};
		if (e.disabled) return {n: 1, why: "is disabled"};
		const r = e.getBoundingClientRect(), x = r.left + r.width / 2, y = r.top + r.height / 2, hit = document.elementFromPoint(x, y);
		if (!hit || !(e.contains(hit) || hit.contains(e) || e.labels && [...e.labels].some(l => l.contains(hit)))) return {n: 1, why: "is covered"};
		return {n: 1, place: [x, y]} }`, selector, nth)
	switch {
	case err != nil:
		return err
	case at.Why != "":
		return abi.NewError(abi.CodeBrowserNotClickable, "the element "+at.Why, "wait until it can be clicked")
	case len(at.Place) != 2: //nolint:mnd // a point
		return chosen(at.N)
	}
	for _, kind := range []proto.InputDispatchMouseEventType{
		proto.InputDispatchMouseEventTypeMouseMoved, proto.InputDispatchMouseEventTypeMousePressed, proto.InputDispatchMouseEventTypeMouseReleased,
	} {
		m := proto.InputDispatchMouseEvent{Type: kind, X: at.Place[0], Y: at.Place[1]}
		if kind != proto.InputDispatchMouseEventTypeMouseMoved {
			m.Button, m.ClickCount = proto.InputMouseButtonLeft, 1
		}
		if err := p.call(ctx, m); err != nil {
			return p.settled(err)
		}
	}
	return nil
}

// Field is an element that text is typed into.
type Field struct {
	Host     string `json:"host"` // of the document
	Secure   bool   `json:"secure"`
	Password bool   `json:"password"`
}

// Type types text into an element, in the place of what stands there unless keep. allow sees
// where that would be, and may refuse. It takes its time, and a page can go on or look elsewhere
// meanwhile: what is typed goes into a field as allow has seen it, or nowhere.
func (p *Page) Type(ctx context.Context, selector string, nth *int, keep bool, text string, allow func(Field) error) error {
	field, err := p.field(ctx, selector, nth, keep, nil, "")
	if err == nil {
		err = allow(field)
	}
	if err == nil {
		_, err = p.field(ctx, selector, nth, keep, &field, text)
	}
	return err
}

// field makes an element ready for text, and types into it when it is as seen.
func (p *Page) field(ctx context.Context, selector string, nth *int, keep bool, seen *Field, text string) (Field, error) {
	var got struct {
		Field

		N   int    `json:"n"`
		Why string `json:"why"`
	}
	err := p.run(ctx, &got, `(s, nth, keep, seen, typed) => {`+look+`
		const {n, e} = one(s, nth);
		if (!e) return {n};
		const input = e instanceof HTMLInputElement, takes = input && !["button", "checkbox", "color", "file", "hidden", "image", "radio", "range", "reset", "submit"].includes(e.type);
		if (!takes && !(e instanceof HTMLTextAreaElement) && !e.isContentEditable) return {n: 1, why: "takes no text"};
		if (e.disabled || e.readOnly) return {n: 1, why: "is disabled"};
		e.scrollIntoView({block: "center", behavior: "instant"});
		e.focus();
		if (document.activeElement !== e) return {n: 1, why: "cannot be typed into"};
		if (!keep) { if (e.select) e.select(); else getSelection().selectAllChildren(e) }
		if (document.activeElement !== e) return {n: 1, why: "cannot be typed into"};
		const is = {n: 1, host: location.host, secure: isSecureContext && location.protocol == "https:", password: input && e.type == "password"};
		if (seen && (seen.host != is.host || seen.secure != is.secure || seen.password != is.password)) return {n: 1, why: "has changed meanwhile"};
		if (seen && (typed || !keep) && !Document.prototype.execCommand.call(document, typed ? "insertText" : "delete", false, typed)) return {n: 1, why: "takes no text"};
		return is }`, selector, nth, keep, seen, text)
	switch {
	case err != nil:
		return Field{}, err
	case got.Why != "":
		return Field{}, abi.NewError(abi.CodeBrowserNotClickable, "the element "+got.Why, "wait until it takes text")
	case got.N != 1 || got.Field == Field{}:
		return Field{}, chosen(got.N)
	}
	return got.Field, nil
}

// Choose chooses options of a list by their values.
func (p *Page) Choose(ctx context.Context, selector string, nth *int, values []string) error {
	var got struct {
		N   int    `json:"n"`
		OK  bool   `json:"ok"`
		Why string `json:"why"`
	}
	err := p.run(ctx, &got, `(s, nth, values) => {`+look+`
		const {n, e} = one(s, nth);
		if (!e) return {n};
		if (!(e instanceof HTMLSelectElement) || e.disabled) return {n: 1, why: "is no list to choose from"};
		if (values.some(v => ![...e.options].some(o => o.value == v))) return {n: 1, why: "has no such value"};
		for (const o of e.options) o.selected = values.includes(o.value);
		e.dispatchEvent(new Event("input", {bubbles: true}));
		e.dispatchEvent(new Event("change", {bubbles: true}));
		return {n: 1, ok: true} }`, selector, nth, values)
	switch {
	case err != nil:
		return err
	case got.Why != "":
		return abi.NewError(abi.CodeBrowserNotClickable, "the element "+got.Why, "look at the page")
	case !got.OK:
		return chosen(got.N)
	}
	return nil
}

// Typed reports whether a password stands in a field of the page.
func (p *Page) Typed(ctx context.Context) (typed bool, err error) {
	err = p.run(ctx, &typed, `() => {`+look+` return all("input[type=password]").some(e => e.value != "") }`)
	return typed, err
}

func chosen(n int) error {
	if n > 1 {
		return abi.NewError(abi.CodeBrowserAmbiguous, fmt.Sprintf("%d elements match", n), "choose one by nth, or name it more exactly")
	}
	return notFound()
}

func notFound() error {
	return abi.NewError(abi.CodeBrowserNotFound, "no element matches", "wait for it; the site may have changed")
}

func tooLarge() error {
	return abi.NewError(abi.CodeBrowserTooLarge, "that is more than one answer holds", "ask for less at a time")
}
