package main

// attachment is what a line that is no message carries. The preview is in the
// parser's text.
type attachment struct {
	kind             string
	hook, tool, time raw
	size             int64 // of the whole content, in bytes of its text
}

// readAttachment finds the content of a line that is no message. What has no
// text of its own is previewed as the JSON it is.
func (p *parser) readAttachment(e *event) attachment {
	a := attachment{kind: text(e.typ), time: e.timestamp}
	var content raw
	switch a.kind {
	case "attachment":
		content = p.hookResult(e.attachment, &a)
	case "file-history-snapshot":
		content = e.snapshot
		if a.time == nil {
			a.time = member(e.snapshot, "timestamp")
		}
	case "permission-mode":
		content = e.mode
	case "last-prompt":
		content = e.prompt
	}
	p.text.reset(maxPreview)
	if !content.isString() {
		p.text.plain(content)
		a.size = int64(len(content))
		return a
	}
	p.text.value(content)
	if a.size = int64(len(p.text.buf)); p.text.full() {
		whole := clipper{left: len(content)}
		whole.value(content)
		a.size = int64(len(whole.buf))
	}
	return a
}

// hookResult reads an attachment object and returns its content: the text that
// it gave the conversation, else what the hook printed, else all of it.
func (p *parser) hookResult(v raw, a *attachment) raw {
	var content, stdout raw
	r := reader{src: v}
	if !r.enter('{') {
		return v
	}
	for first := true; ; first = false {
		name, ok := r.member(first)
		if !ok {
			break
		}
		value := r.value()
		switch string(name) {
		case "type":
			if kind := text(value); kind != "" {
				a.kind = kind
			}
		case "hookName":
			a.hook = value
		case "toolUseID", "toolUseId":
			a.tool = value
		case "content":
			content = value
		case "stdout":
			stdout = value
		}
	}
	switch {
	case len(content.inside()) > 0:
		return content
	case len(stdout.inside()) > 0:
		return stdout
	}
	return v
}

// member returns the member named name of an object, nil when there is none.
func member(v raw, name string) raw {
	r := reader{src: v}
	if !r.enter('{') {
		return nil
	}
	for first := true; ; first = false {
		field, ok := r.member(first)
		if !ok {
			return nil
		}
		if value := r.value(); string(field) == name {
			return value
		}
	}
}
