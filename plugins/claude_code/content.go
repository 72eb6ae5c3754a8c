package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// Limits of the text in a record, in characters.
const (
	maxContent = 5000
	maxPreview = 500
)

// formOther is the form of a content that is none of the forms below.
const formOther = "other"

// forms are the kinds of content blocks, the least specific first: a message with
// several has the last of them.
var forms = [...]string{formOther, "document", "image", "thinking", "tool_result", "tool_use", "text"}

// textless are the types of content blocks that are known and have no text.
var textless = []string{"redacted_thinking"}

// oddity is something of a message that is not known and gives no text, and how often it is met there.
type oddity struct {
	what string
	n    int64
}

// maxOdd bounds the oddities of one message that are told by their names.
const maxOdd = 16

// anyBlock is what a content block is told as whose type has no name, or comes behind maxOdd others.
const anyBlock = "content block"

// oddity counts something of the message that is not known and gives no text.
func (p *parser) oddity(what string) {
	if len(p.odd) >= maxOdd && !slices.ContainsFunc(p.odd, func(o oddity) bool { return o.what == what }) {
		what = anyBlock
	}
	for i := range p.odd {
		if p.odd[i].what == what {
			p.odd[i].n++
			return
		}
	}
	p.odd = append(p.odd, oddity{what, 1})
}

// message reads the message object of a line: its role, and the readable text of
// its content into p.text. It reads in place, because the content of tool
// results is half of a transcript and one pass over it is enough.
func (p *parser) message() {
	e := &p.ev
	again := e.role != nil || e.content != nil
	if !p.r.Enter('{') {
		if v := p.r.Value(); !again && string(v) != "null" {
			p.oddity("message that is no object")
		}
		return
	}
	for first := true; ; first = false {
		name, ok := p.r.Member(first)
		switch {
		case !ok:
			return
		case again:
			p.r.Value()
		case string(name) == "role":
			e.role = p.r.Value()
		case string(name) == "content" && e.content == nil:
			p.content()
		default:
			p.r.Value()
		}
	}
}

// content reads a message's content. Text blocks are taken whole; a tool call gives its
// name and input, a tool result its text, a thought its text, each on a separate line.
// Pictures and signatures give nothing. Text beyond maxContent is counted, not kept.
func (p *parser) content() {
	at := p.r.At()
	if !p.r.Enter('[') {
		p.ev.content = p.r.Value()
		if p.ev.content.IsString() {
			p.form = "text"
			p.text.Text(p.ev.content)
		} else if string(p.ev.content) != "null" {
			p.oddity("content that is neither a text nor a list")
		}
		return
	}
	rank := 0
	for first := true; p.r.Element(first); first = false {
		rank = max(rank, p.block())
	}
	p.form = forms[rank]
	p.ev.content = p.r.From(at)
}

// block reads one content block and returns the index of its form.
func (p *parser) block() int {
	if !p.r.Enter('{') {
		p.r.Value()
		p.oddity("content block that is no object")
		return 0
	}
	var typ, said, thinking, name, input, content, title, source raw
	for first := true; ; first = false {
		field, ok := p.r.Member(first)
		if !ok {
			break
		}
		value := p.r.Value()
		switch string(field) {
		case "type":
			typ = value
		case "text":
			said = value
		case "thinking":
			thinking = value
		case "name":
			name = value
		case "input":
			input = value
		case "content":
			content = value
		case "title":
			title = value
		case "source":
			source = value
		}
	}
	form := 0
	for i, f := range forms {
		if typ.Is(f) {
			form = i
		}
	}
	if form == 0 && !slices.ContainsFunc(textless, typ.Is) {
		what := anyBlock
		if kind := text(typ); isTypeName(kind) {
			what += " " + kind
		}
		p.oddity(what)
	}
	switch forms[form] {
	case "text":
		p.line(said, "text block")
	case "thinking":
		p.line(thinking, "thought")
	case "document":
		p.document(title, source)
	case "tool_use":
		p.text.Line(name)
		if input != nil {
			p.text.Rune(' ')
			p.text.Plain(input)
		}
	case "tool_result":
		p.result(content)
	}
	return form
}

// line appends a text on a line of its own. Another value is told as what it stands in.
func (p *parser) line(v raw, in string) {
	if v != nil && string(v) != "null" && !v.IsString() {
		p.oddity(in + " whose text is no text")
		return
	}
	p.text.Line(v)
}

// document appends the title of a document, and what it says where it is a text. One in another form, such as
// a PDF, gives nothing more.
func (p *parser) document(title, source raw) {
	p.line(title, "document")
	r := jsonraw.Reader{Src: source}
	if !r.Enter('{') {
		return
	}
	var typ, data raw
	for first := true; ; first = false {
		name, ok := r.Member(first)
		if !ok {
			break
		}
		switch value := r.Value(); string(name) {
		case "type":
			typ = value
		case "data":
			data = value
		}
	}
	if typ.Is("text") {
		p.line(data, "document")
	}
}

// result appends the text of a tool result: a string, or blocks.
func (p *parser) result(v raw) {
	if !v.IsArray() {
		p.line(v, "tool result")
		return
	}
	r := jsonraw.Reader{Src: v}
	r.Enter('[')
	for first := true; r.Element(first); first = false {
		if !r.Enter('{') {
			if string(r.Value()) != "null" {
				p.oddity("tool result whose text is no text")
			}
			continue
		}
		for first := true; ; first = false {
			name, ok := r.Member(first)
			if !ok {
				break
			}
			if value := r.Value(); string(name) == "text" {
				p.line(value, "tool result")
			}
		}
	}
}
