package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// Limits of the text in a record, in characters. A record may have 1 MiB, and a character takes six bytes at most
// where it is escaped.
const (
	maxContent = 128 << 10
	maxPreview = 500
)

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
// results is half of a transcript and one pass over it is enough. Of members of one name the last counts, as for
// JSON.parse of Claude Code.
func (p *parser) message() {
	e := &p.ev
	p.said = true
	p.unsaid()
	e.role = nil
	if !p.r.Enter('{') {
		if v := p.r.Value(); string(v) != "null" {
			p.oddity("message that is no object")
			p.asJSON(v)
		}
		return
	}
	for first := true; ; first = false {
		name, ok := p.r.Member(first)
		switch {
		case !ok:
			return
		case string(name) == "role":
			e.role = p.r.Value()
		case string(name) == "content":
			p.unsaid()
			p.content()
		default:
			p.r.Value()
		}
	}
}

// unsaid forgets the content that was read.
func (p *parser) unsaid() {
	p.text.Measure(maxContent)
	p.brief.Measure(maxContent)
	p.more = false
	p.ev.content, p.form, p.odd = nil, formOther, p.odd[:0]
}

// content reads a message's content. Text blocks are taken whole; a tool call gives its
// name and input, a tool result its text, a thought its text, each on a separate line.
// A picture, like everything else without a text, is named in brackets. Text beyond maxContent is counted, not kept.
func (p *parser) content() {
	at := p.r.At()
	if p.r.Enter('[') {
		rank := 0
		for first := true; p.r.Element(first); first = false {
			rank = max(rank, p.block(&p.r, 0))
		}
		p.form = forms[rank]
		p.ev.content = p.r.From(at)
		return
	}
	v := p.r.Value()
	p.ev.content = v
	switch {
	case v.IsString():
		p.form = "text"
		p.text.Text(v)
	case len(v) > 0 && v[0] == '{':
		r := jsonraw.Reader{Src: v}
		p.form = forms[p.block(&r, 0)]
	case string(v) != "null":
		p.oddity("content that is neither a text nor a list")
		p.asJSON(v)
	}
}

// block reads one content block of a message, or of another block, and returns the index of its form. depth is how
// many blocks it lies in.
func (p *parser) block(r *jsonraw.Reader, depth int) int {
	at := r.At()
	if !r.Enter('{') {
		v := r.Value()
		if v.IsString() {
			p.text.Line(v)
			if depth == 0 {
				p.brief.Line(v)
			}
			return len(forms) - 1 // a text
		}
		if string(v) != "null" {
			p.oddity("content block that is no object")
			p.asJSON(v)
		}
		return 0
	}
	b := readBlock(r)
	form := formOf(&b)
	if depth == 0 {
		p.briefly(&b)
	}
	switch forms[form] {
	case "text":
		p.line(b.text, "text block")
	case "thinking":
		p.line(b.thinking, "thought")
	case "document":
		p.document(b.title, b.source, depth)
	case "image":
		p.mark("image", member(b.source, "url"))
	case "tool_use":
		p.text.Line(b.name)
		if b.input != nil {
			p.text.Rune(' ')
			p.text.Plain(b.input)
		}
	case "tool_result":
		p.inner(b.content, "tool result", depth)
	case formOther:
		p.other(&b, r.From(at), depth)
	}
	return form
}

// briefly appends to brief what the public connector has of a block of the message.
func (p *parser) briefly(b *blockParts) {
	switch {
	case b.typ.Is("text"):
		p.brief.Line(b.text)
		return
	case b.typ.Is("tool_use"):
		p.brief.Line(raw(`"[tool_use: "`))
		if len(b.name.Inside()) > 0 {
			p.brief.Text(b.name)
		} else {
			p.brief.Plain([]byte("unknown"))
		}
		p.brief.Rune(']')
	case b.typ.Is("tool_result"):
		p.brief.Line(raw(`"[tool_result]"`))
	}
	p.more = true
}

// unknownBlock counts a content block of a type that is not known, by its name.
func (p *parser) unknownBlock(typ raw) {
	what := anyBlock
	if kind := text(typ); isTypeName(kind) {
		what += " " + kind
	}
	p.oddity(what)
}

// line appends a text on a line of its own. Another value is told as what it stands in, and appended as it is.
func (p *parser) line(v raw, in string) {
	if v != nil && string(v) != "null" && !v.IsString() {
		p.oddity(in + " whose text is no text")
		p.asJSON(v)
		return
	}
	p.text.Line(v)
}

// formOther is the form of a content that has no other form.
const formOther = "other"

// forms are the kinds of content blocks, the least specific first: a message with
// several has the last of them.
var forms = [...]string{formOther, "document", "image", "thinking", "tool_result", "tool_use", "text"}

// alike are the types of blocks that have the members of one of the forms: those of tools that run at Anthropic, or at
// a server that is asked from there.
var alike = map[string]string{
	"server_tool_use": "tool_use", "mcp_tool_use": "tool_use",
	"mcp_tool_result": "tool_result", "web_search_tool_result": "tool_result", "web_fetch_tool_result": "tool_result", "code_execution_tool_result": "tool_result",
	"bash_code_execution_tool_result": "tool_result", "text_editor_code_execution_tool_result": "tool_result", "tool_search_tool_result": "tool_result",
}

// asJSON are the types of blocks that are known, and whose text is all of their members.
var asJSON = []string{
	"resource_link", "container_upload", "code_execution_result", "encrypted_code_execution_result", "code_execution_output",
	"bash_code_execution_result", "bash_code_execution_output", "text_editor_code_execution_view_result", "text_editor_code_execution_create_result",
	"text_editor_code_execution_str_replace_result", "tool_search_tool_search_result", "web_search_tool_result_error", "web_fetch_tool_result_error",
	"web_fetch_tool_error", "code_execution_tool_result_error", "bash_code_execution_tool_result_error", "text_editor_code_execution_tool_result_error",
	"tool_search_tool_result_error",
}

// formOf returns the index of a block's form.
func formOf(b *blockParts) int {
	if b.typ == nil && b.text != nil {
		return len(forms) - 1 // a text
	}
	form := slices.IndexFunc(forms[:], b.typ.Is)
	if form < 0 {
		form = slices.Index(forms[:], alike[view(b.typ.Inside())])
	}
	return max(form, 0)
}

// other appends the text of a block that has none of the forms. One of a type that is not known is appended as it is.
func (p *parser) other(b *blockParts, whole raw, depth int) {
	switch {
	case b.typ.Is("redacted_thinking"):
		p.mark("redacted_thinking", nil)
	case b.typ.Is("audio"):
		p.mark("audio", nil)
	case b.typ.Is("search_result"):
		p.line(b.title, "search result")
		p.line(b.source, "search result")
		p.inner(b.content, "search result", depth)
	case b.typ.Is("web_search_result"):
		p.line(b.title, "search result")
		p.line(b.url, "search result")
	case b.typ.Is("web_fetch_result"):
		p.line(b.url, "fetched page")
		p.inner(b.content, "fetched page", depth)
	case b.typ.Is("tool_reference"):
		p.line(b.tool, "tool reference")
	case b.typ.Is("resource"):
		p.line(member(b.resource, "uri"), "resource")
		if said := member(b.resource, "text"); said != nil {
			p.line(said, "resource")
		} else {
			p.mark("resource", nil)
		}
	default:
		if !slices.ContainsFunc(asJSON, b.typ.Is) {
			p.unknownBlock(b.typ)
		}
		p.asJSON(whole)
	}
}

// mark names in brackets what has no text, with its address if it has one.
func (p *parser) mark(what string, address raw) {
	p.text.Break()
	p.text.Plain([]byte("[" + what + "]"))
	if address.IsString() {
		p.text.Rune(' ')
		p.text.Text(address)
	}
}

// asJSON appends a value as it is written.
func (p *parser) asJSON(v raw) {
	p.more = true
	p.text.Break()
	p.text.Plain(v)
}

// blockParts are the members of a content block that say something.
type blockParts struct{ typ, text, thinking, name, input, content, title, source, url, tool, resource raw }

// readBlock reads the members of an object that r has entered.
func readBlock(r *jsonraw.Reader) (b blockParts) {
	for first := true; ; first = false {
		field, ok := r.Member(first)
		if !ok {
			return b
		}
		value := r.Value()
		if place := b.place(field); place != nil {
			*place = value
		}
	}
}

// place returns the field for the member named name, nil when it says nothing.
func (b *blockParts) place(name []byte) *raw {
	switch string(name) {
	case "type":
		return &b.typ
	case "text":
		return &b.text
	case "thinking":
		return &b.thinking
	case "name":
		return &b.name
	case "input":
		return &b.input
	case "content":
		return &b.content
	case "title":
		return &b.title
	case "source":
		return &b.source
	case "url":
		return &b.url
	case "tool_name":
		return &b.tool
	case "resource":
		return &b.resource
	}
	return nil
}

// document appends the title of a document, and what it says where it is a text or has blocks. One in another form,
// such as a PDF, is named.
func (p *parser) document(title, source raw, depth int) {
	p.line(title, "document")
	typ := member(source, "type")
	switch {
	case typ.Is("text"):
		p.line(member(source, "data"), "document")
	case typ.Is("content"):
		p.inner(member(source, "content"), "document", depth)
	default:
		p.mark("document", member(source, "url"))
	}
}

// inner appends what a block has in it: a string, a block, or a list of them.
func (p *parser) inner(v raw, in string, depth int) {
	block := len(v) > 0 && v[0] == '{'
	switch {
	case !block && !v.IsArray():
		p.line(v, in)
		return
	case depth == maxNested:
		p.oddity("content block that lies too deep")
		p.asJSON(v)
		return
	}
	r := jsonraw.Reader{Src: v}
	if block {
		p.block(&r, depth+1)
		return
	}
	r.Enter('[')
	for first := true; r.Element(first); first = false {
		p.block(&r, depth+1)
	}
}
