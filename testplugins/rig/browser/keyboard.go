package browser

import (
	"fmt"
	"strings"
)

// stop describes what has the focus: its number among what may have it, and whether it shows.
const stop = `(() => {
	const e = document.activeElement;
	if (!e || e === document.body || e === document.documentElement) return null;
	const all = window.stopsOfTest || [];
	const s = getComputedStyle(e), r = e.getBoundingClientRect();
	const ring = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) > 0 || s.boxShadow !== 'none';
	const inside = r.width > 0 && r.height > 0 && r.bottom > 0 && r.right > 0 && r.top < innerHeight && r.left < innerWidth;
	return {at: all.indexOf(e), ring: ring, inside: inside, html: e.outerHTML.slice(0, 200)};
})()`

// stops numbers what a page lets be acted on. Of the buttons of a radio group one has the focus.
const stops = `(() => {
	const groups = new Set();
	window.stopsOfTest = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex], [contenteditable]')].filter((e) => {
		if (e.disabled || e.tabIndex < 0 || !e.checkVisibility({checkVisibilityCSS: true})) return false;
		if (e.type === 'radio') {
			if (groups.has(e.name) || !e.checked && document.querySelector('input[type=radio][name="' + CSS.escape(e.name) + '"]:checked')) return false;
			groups.add(e.name);
		}
		return true;
	});
	return window.stopsOfTest.length;
})()`

// missed lists what may be acted on and what the keyboard did not come to.
const missed = `((seen) => window.stopsOfTest.filter((e, i) => !seen.includes(i)).map((e) => e.outerHTML.slice(0, 200)))`

// Keyboard goes through the page by the Tab key alone and returns what is wrong: what it does
// not come to, what shows no focus, and what has the focus out of sight.
func (p *Page) Keyboard() []string {
	p.t.Helper()
	want := p.Eval(stops).Int()
	p.Eval("document.activeElement && document.activeElement.blur(); window.scrollTo(0, 0); 0")
	var wrong []string
	seen, dim, rings := []int{}, []string{}, map[string]bool{}
	for range 6*want + 10 {
		p.Key("Tab")
		var at *struct {
			At           int
			Ring, Inside bool
			HTML         string
		}
		p.must(p.Eval(stop).Unmarshal(&at))
		if at == nil {
			if len(seen) >= want {
				break
			}
			continue // the browser's own surface
		}
		if at.At >= 0 && len(seen) > 0 && at.At == seen[0] {
			break // around
		}
		if at.At >= 0 && (len(seen) == 0 || seen[len(seen)-1] != at.At) {
			seen = append(seen, at.At)
		}
		if rings[at.HTML] = rings[at.HTML] || at.Ring; !at.Ring { // a field of several parts shows it on one of them
			dim = append(dim, at.HTML)
		}
		if !at.Inside {
			wrong = append(wrong, "has the focus out of sight: "+at.HTML)
		}
	}
	for _, html := range dim {
		if !rings[html] {
			wrong = append(wrong, "shows no focus: "+html)
		}
	}
	var missing []string
	p.must(p.Eval(missed + "(" + list(seen) + ")").Unmarshal(&missing))
	for _, html := range missing {
		wrong = append(wrong, "the keyboard does not come to: "+html)
	}
	began := false // a field that had the focus when the page came is where the round begins
	for i := 1; i < len(seen); i++ {
		if seen[i] < seen[i-1] {
			if began || seen[i] != 0 {
				wrong = append(wrong, fmt.Sprintf("the order jumps back from stop %d to %d", seen[i-1], seen[i]))
			}
			began = true
		}
	}
	return wrong
}

// list is a list of numbers, as an expression.
func list(numbers []int) string { return strings.ReplaceAll(fmt.Sprint(numbers), " ", ",") }

// Wider returns what makes the page wider than its window, so that it has to be scrolled to
// the side.
func (p *Page) Wider() []string {
	p.t.Helper()
	var list []string
	p.must(p.Eval(`document.documentElement.scrollWidth <= innerWidth ? [] : [...document.body.querySelectorAll('*')]
		.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && e.checkVisibility() && !e.closest('[data-scrolls], .scroll, .table')).slice(0, 5)
		.map((e) => Math.round(e.getBoundingClientRect().right) + ' px: ' + e.outerHTML.slice(0, 160)).concat('the page is ' + document.documentElement.scrollWidth + ' px wide')`).Unmarshal(&list))
	return list
}
