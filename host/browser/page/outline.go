package page

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The words of an outline. They are the host's: a page chooses among them, and adds none.
var (
	outlineTags = strings.Fields(`html head body title meta link base header footer main nav section article aside address
		h1 h2 h3 h4 h5 h6 hgroup div p hr pre blockquote ol ul menu li dl dt dd figure figcaption search
		a em strong small s cite q dfn abbr data time code var samp kbd sub sup i b u mark ruby rt rp bdi bdo span br wbr ins del
		picture source img iframe embed object video audio track map area svg math canvas slot
		table caption colgroup col tbody thead tfoot tr td th
		form label input button select datalist optgroup option textarea output progress meter fieldset legend
		details summary dialog frameset frame center font`)
	outlineTypes = strings.Fields(`text password email tel number search url date time month week datetime-local color checkbox radio
		range file hidden submit reset button image`)
	outlineRoles = strings.Fields(`alert alertdialog application article banner button cell checkbox columnheader combobox complementary
		contentinfo dialog document feed figure form grid gridcell group heading img link list listbox listitem log main menu menubar
		menuitem navigation none option presentation progressbar radio radiogroup region row rowgroup rowheader search searchbox
		separator slider spinbutton status switch tab table tablist tabpanel textbox timer toolbar tooltip tree treeitem`)
	outlineMarks = strings.Fields(`id class name for href src action method target placeholder title alt role autocomplete data-testid
		aria-label aria-labelledby aria-hidden contenteditable tabindex required readonly disabled hidden`)
)

const (
	outlineParts = 20_000 // elements
	outlineDepth = 60     // from which on they are indented no more
	partNumbers  = 6
)

// Outline is what a page is made of, in numbers that stand for the host's words. No word of a page
// is in it, whatever the page does: no text, no value, no comment, no script, no name that a site
// gave to something, and nothing that somebody typed (BR-19).
type Outline []int

// Outline returns what the page is made of, frames aside. A page can have made of it what it likes.
func (p *Page) Outline(ctx context.Context) (Outline, error) {
	var got Outline
	// The page's own elements can stand in the place of a document's or a form's properties, by
	// their names: each property is read by its prototype.
	err := p.run(ctx, &got, fmt.Sprintf(`(tags, types, roles, marks) => {
		const out = [], get = (of, key, n) => Reflect.get(of.prototype, key, n), attr = (n, k) => Element.prototype.getAttribute.call(n, k);
		const at = (list, s) => s == null || s.length > 40 ? -1 : list.indexOf(s.toLowerCase());
		const drop = new Set(["script", "style", "noscript", "template"]), mute = new Set(["textarea", "select", "option", "output"]);
		const stack = [[get(Document, "documentElement", document), 0]];
		for (let seen = 0; stack.length && out.length < %d;) {
			const [n, depth] = stack.pop(), name = get(Element, "localName", n);
			if (drop.has(name)) continue;
			const below = [];
			let text = 0;
			for (const top of [n, get(Element, "shadowRoot", n)]) {
				for (let c = top && get(Node, "firstChild", top); c && seen < %d; c = get(Node, "nextSibling", c), seen++) {
					const type = get(Node, "nodeType", c);
					if (type === 1) below.push([c, depth + 1]);
					if (type === 3 && !mute.has(name)) text += get(CharacterData, "length", c);
				}
			}
			let mark = 0;
			marks.forEach((k, i) => { if (Element.prototype.hasAttribute.call(n, k)) mark |= 1 << i });
			out.push(depth, at(tags, name), at(types, attr(n, "type")), at(roles, attr(n, "role")), mark, text);
			for (let c; c = below.pop();) stack.push(c);
		}
		return out }`, outlineParts*partNumbers, 4*outlineParts), outlineTags, outlineTypes, outlineRoles, outlineMarks)
	if err != nil {
		return nil, err
	}
	if len(got) > outlineParts*partNumbers || len(got)%partNumbers != 0 {
		return nil, tooLarge()
	}
	return got, nil
}

// Write writes the outline as text, a line for each element, at most so many bytes.
func (o Outline) Write(w io.Writer, most int) error {
	for ; len(o) >= partNumbers; o = o[partNumbers:] {
		line := []string{strings.Repeat(" ", min(max(o[0], 0), outlineDepth)) + word(outlineTags, o[1], "other")}
		if t := word(outlineTypes, o[2], ""); t != "" {
			line = append(line, "type="+t)
		}
		if r := word(outlineRoles, o[3], ""); r != "" {
			line = append(line, "role="+r)
		}
		for i, name := range outlineMarks {
			if o[4]>>i&1 == 1 {
				line = append(line, name)
			}
		}
		if o[5] > 0 && o[5] < math.MaxInt32 {
			line = append(line, fmt.Sprintf("text(%d)", o[5]))
		}
		text := strings.Join(line, " ") + "\n"
		if most -= len(text); most < 0 {
			return abi.NewError(abi.CodeBrowserTooLarge, "the page is larger than a capture may be", "")
		}
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}

// word returns the word of a number.
func word(list []string, at int, other string) string {
	if at < 0 || at >= len(list) {
		return other
	}
	return list[at]
}
