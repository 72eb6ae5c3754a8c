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

// formless are the types of content blocks that are known and make no form: the first has no text, the others have
// what a tool found.
var formless = []string{"redacted_thinking", "search_result", "tool_reference"}

// maxNested bounds how deep blocks may lie in blocks: a tool result has them, and so have what it found and a document in it.
const maxNested = 8

// oddity is something of a message that is not known and gives no text, and how often it is met there.
type oddity struct {
	what string
	n    int64
}

// maxOdd bounds the oddities of one message that are told by their names.
const maxOdd = 16

// anyBlock is what a content block is told as whose type has no name, or comes behind maxOdd others.
const anyBlock = "content block"

// noMessage is told of a line of the person's or Claude's that has no message.
const noMessage = "line without its message"

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
	p.said = true
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
		rank = max(rank, p.block(&p.r, 0))
	}
	p.form = forms[rank]
	p.ev.content = p.r.From(at)
}

// block reads one content block of a message, or of another block, and returns the index of its form. depth is how
// many blocks it lies in.
func (p *parser) block(r *jsonraw.Reader, depth int) int {
	if !r.Enter('{') {
		if string(r.Value()) != "null" {
			p.oddity("content block that is no object")
		}
		return 0
	}
	b := readBlock(r)
	form := slices.IndexFunc(forms[:], b.typ.Is)
	switch {
	case form > 0:
	case b.typ == nil && b.text != nil:
		form = len(forms) - 1 // a text
	default:
		form = 0
		if !slices.ContainsFunc(formless, b.typ.Is) {
			p.unknownBlock(b.typ)
		}
		if b.text.IsString() {
			p.text.Line(b.text)
		}
	}
	switch forms[form] {
	case "text":
		p.line(b.text, "text block")
	case "thinking":
		p.line(b.thinking, "thought")
	case "document":
		p.document(b.title, b.source, depth)
	case "tool_use":
		p.text.Line(b.name)
		if b.input != nil {
			p.text.Rune(' ')
			p.text.Plain(b.input)
		}
	case "tool_result":
		p.inner(b.content, "tool result", depth)
	case formOther:
		switch {
		case b.typ.Is("search_result"):
			p.line(b.title, "search result")
			p.inner(b.content, "search result", depth)
		case b.typ.Is("tool_reference"):
			p.line(b.tool, "tool reference")
		}
	}
	return form
}

// unknownBlock counts a content block of a type that is not known, by its name.
func (p *parser) unknownBlock(typ raw) {
	what := anyBlock
	if kind := text(typ); isTypeName(kind) {
		what += " " + kind
	}
	p.oddity(what)
}

// blockParts are the members of a content block that say something.
type blockParts struct{ typ, text, thinking, name, input, content, title, source, tool raw }

// readBlock reads the members of an object that r has entered.
func readBlock(r *jsonraw.Reader) (b blockParts) {
	for first := true; ; first = false {
		field, ok := r.Member(first)
		if !ok {
			return b
		}
		value := r.Value()
		switch string(field) {
		case "type":
			b.typ = value
		case "text":
			b.text = value
		case "thinking":
			b.thinking = value
		case "name":
			b.name = value
		case "input":
			b.input = value
		case "content":
			b.content = value
		case "title":
			b.title = value
		case "source":
			b.source = value
		case "tool_name":
			b.tool = value
		}
	}
}

// line appends a text on a line of its own. Another value is told as what it stands in.
func (p *parser) line(v raw, in string) {
	if v != nil && string(v) != "null" && !v.IsString() {
		p.oddity(in + " whose text is no text")
		return
	}
	p.text.Line(v)
}

// document appends the title of a document, and what it says where it is a text or has blocks. One in another form,
// such as a PDF, gives nothing more.
func (p *parser) document(title, source raw, depth int) {
	p.line(title, "document")
	typ := member(source, "type")
	switch {
	case typ.Is("text"):
		p.line(member(source, "data"), "document")
	case typ.Is("content"):
		p.inner(member(source, "content"), "document", depth)
	}
}

// inner appends what a block has in it: a string, or blocks of its own.
func (p *parser) inner(v raw, in string, depth int) {
	switch {
	case !v.IsArray():
		p.line(v, in)
		return
	case depth == maxNested:
		p.oddity("content block that lies too deep")
		return
	}
	r := jsonraw.Reader{Src: v}
	r.Enter('[')
	for first := true; r.Element(first); first = false {
		p.block(&r, depth+1)
	}
}
