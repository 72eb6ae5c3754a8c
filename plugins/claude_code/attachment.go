package main

import (
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// attachment is the content of a line that is not a message. The preview is in the
// parser's text.
type attachment struct {
	kind             string
	hook, tool, time raw
	size             int64 // of the whole content, in bytes of its text
}

// readAttachment finds the content of a line that is not a message. Content without a
// text is previewed as JSON.
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
	case "queue-operation":
		content = e.entered
	}
	p.text.Measure(maxPreview)
	if !content.IsString() {
		p.text.Plain(content)
		a.size = int64(len(content))
		return a
	}
	p.text.Text(content)
	if a.size = int64(len(p.text.Buf)); p.text.Full() {
		whole := jsonraw.Clipper{Left: len(content)}
		whole.Text(content)
		a.size = int64(len(whole.Buf))
	}
	return a
}

// hookResult reads an attachment object and returns its content: the text for the
// conversation if there is one, else the hook's output, else the whole object.
func (p *parser) hookResult(v raw, a *attachment) raw {
	var content, stdout raw
	r := jsonraw.Reader{Src: v}
	if !r.Enter('{') {
		return v
	}
	for first := true; ; first = false {
		name, ok := r.Member(first)
		if !ok {
			break
		}
		value := r.Value()
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
	case len(content.Inside()) > 0:
		return content
	case len(stdout.Inside()) > 0:
		return stdout
	}
	return v
}

// member returns the last member named name of an object, or nil.
func member(v raw, name string) (found raw) {
	r := jsonraw.Reader{Src: v}
	if !r.Enter('{') {
		return nil
	}
	for first := true; ; first = false {
		field, ok := r.Member(first)
		if !ok {
			return found
		}
		if value := r.Value(); string(field) == name {
			found = value
		}
	}
}

// readToolResult emits a preview of a file that Claude Code put a long tool result into. rel is
// its path below the folder of its kind; dir is PROJECT/SESSION.
func (c *collection) readToolResult(dir, session, rel string, e files.Entry) error {
	key := dir + "/" + rel
	return c.document(&c.results, key, c.projects.sub(dir), e, previewRead, func(content string) error {
		r := c.h.Record("attachments")
		r.String("id", "tool_result_file:"+key)
		r.String("session_id", session)
		r.Null("parent_uuid")
		r.String("event_type", "tool_result_file")
		r.String("kind", "tool_result")
		r.Null("hook_name")
		r.Null("tool_use_id")
		r.StringOrNull("result_of", toolUseID(rel))
		c.preview.Measure(maxPreview)
		c.preview.Plain([]byte(content))
		r.StringOrNull("content_preview", marked(&c.preview))
		r.Int("content_bytes", e.Size)
		r.Int("content_size", e.Size)
		r.StringOrNull("timestamp", formatTime(e.MTimeMS))
		return r.Emit()
	})
}

// marked returns a preview, with a mark behind one that was cut.
func marked(c *jsonraw.Clipper) string {
	if c.Over > 0 {
		return string(c.Buf) + "…"
	}
	return view(c.Buf)
}

// toolUseID returns the id of the tool call that a file is named after, "" when
// it is named otherwise.
func toolUseID(rel string) string {
	name := strings.TrimSuffix(path.Base(rel), path.Ext(rel))
	if strings.HasPrefix(name, "toolu_") {
		return name
	}
	return ""
}
