package main

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

// message reads the message object of a line: its role, and the readable text of
// its content into p.text. It reads in place, because the content of tool
// results is half of a transcript and one pass over it is enough.
func (p *parser) message() {
	e := &p.ev
	again := e.role != nil || e.content != nil
	if !p.r.enter('{') {
		p.r.value()
		return
	}
	for first := true; ; first = false {
		name, ok := p.r.member(first)
		switch {
		case !ok:
			return
		case again:
			p.r.value()
		case string(name) == "role":
			e.role = p.r.value()
		case string(name) == "content" && e.content == nil:
			p.content()
		default:
			p.r.value()
		}
	}
}

// content reads a message's content. Text blocks are taken whole; a tool call gives its
// name and input, a tool result its text, a thought its text, each on a separate line.
// Pictures and signatures give nothing. Text beyond maxContent is counted, not kept.
func (p *parser) content() {
	at := p.r.i
	if !p.r.enter('[') {
		p.ev.content = p.r.value()
		if p.ev.content.isString() {
			p.form = "text"
			p.text.value(p.ev.content)
		}
		return
	}
	rank := 0
	for first := true; p.r.element(first); first = false {
		rank = max(rank, p.block())
	}
	p.form = forms[rank]
	p.ev.content = p.r.src[at:p.r.i]
}

// block reads one content block and returns the index of its form.
func (p *parser) block() int {
	if !p.r.enter('{') {
		p.r.value()
		return 0
	}
	var typ, text, thinking, name, input, content raw
	for first := true; ; first = false {
		field, ok := p.r.member(first)
		if !ok {
			break
		}
		value := p.r.value()
		switch string(field) {
		case "type":
			typ = value
		case "text":
			text = value
		case "thinking":
			thinking = value
		case "name":
			name = value
		case "input":
			input = value
		case "content":
			content = value
		}
	}
	form := 0
	for i, f := range forms {
		if typ.is(f) {
			form = i
		}
	}
	switch forms[form] {
	case "text":
		p.text.line(text)
	case "thinking":
		p.text.line(thinking)
	case "tool_use":
		p.text.line(name)
		if input != nil {
			p.text.rune(' ')
			p.text.plain(input)
		}
	case "tool_result":
		p.result(content)
	}
	return form
}

// result appends the text of a tool result: a string, or blocks.
func (p *parser) result(v raw) {
	if !v.isArray() {
		p.text.line(v)
		return
	}
	r := reader{src: v}
	r.enter('[')
	for first := true; r.element(first); first = false {
		if !r.enter('{') {
			r.value()
			continue
		}
		for first := true; ; first = false {
			name, ok := r.member(first)
			if !ok {
				break
			}
			if value := r.value(); string(name) == "text" {
				p.text.line(value)
			}
		}
	}
}
