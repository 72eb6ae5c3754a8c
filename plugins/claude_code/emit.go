package main

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// readLine makes records of one line, or of the objects that a damaged one still has.
func (c *collection) readLine(t *transcript, line []byte) error {
	if len(line) == 0 || len(line) == 1 && line[0] == '\r' {
		return nil
	}
	c.met = true
	line, foreign := asUTF8(line)
	if e, ok := c.parser.whole(line); ok {
		if foreign >= 0 {
			t.invalid.add(c.scanner.LineNumber())
		}
		return c.readEvent(t, e, line)
	}
	s := jsonraw.NewSalvage(line, isLine)
	for s.Next() {
		if e, ok := c.parser.parse(s.Object()); ok {
			if err := c.readEvent(t, e, s.Object()); err != nil {
				return err
			}
		}
	}
	switch {
	case s.Lost() >= 0:
		t.invalid.add(c.scanner.LineNumber())
		c.lost++
	case foreign >= 0:
		t.invalid.add(c.scanner.LineNumber())
	}
	return nil
}

// isWhole reports whether a last line without a line feed is nothing but whole objects: no byte can come to it
// that would be a part of them.
func isWhole(line []byte) bool {
	var p parser
	if _, ok := p.whole(line); ok {
		return true
	}
	return jsonraw.OnlyObjects(line, isLine)
}

// asUTF8 returns a line as UTF-8, and where the first byte of it is that is not, -1 for nowhere: it
// is damaged, and what is read of it are the characters of Windows-1252.
func asUTF8(line []byte) (_ []byte, foreign int) {
	if utf8.Valid(line) {
		return line, -1
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(line[at:])
		if r == utf8.RuneError && n == 1 {
			foreign = at
			break
		}
		at += n
	}
	text, _ := charset.Text(line)
	return []byte(text), foreign
}

// whole parses a line that is one object, and has no NUL in it: a crash leaves blocks of them in
// the place of what was not written.
func (p *parser) whole(line []byte) (*event, bool) {
	if bytes.IndexByte(line, 0) >= 0 {
		return nil, false
	}
	return p.parse(line)
}

// isLine reports whether an object in a damaged line is a line of its own. Parts of one look
// alike: a block of content has a type, too, and progress repeats whole messages.
func isLine(object []byte, clean bool) bool {
	var p parser
	e, ok := p.parse(object)
	switch {
	case !ok || e.typ == nil:
		return false
	case clean:
		return true
	case e.kind == lineOther:
		return usableID(e.session) && e.timestamp != nil
	}
	return usableID(e.session)
}

// readEvent makes records of one line and adds it to its session.
func (c *collection) readEvent(t *transcript, e *event, line []byte) error {
	if e.kind != lineOther || slices.Contains(withoutStream, view(e.typ.Inside())) {
		c.understood = true
	}
	if e.kind == lineOther {
		c.books.Items("messages").NotRecord++
		t.sawUnknown(c.sawOther(e))
		c.takeTitle(t, e)
		return nil
	}
	session := c.sessionOf(t, e)
	at := timeOf(e.timestamp)
	if t.root == "" && usableID(e.uuid) {
		t.root = strings.Clone(text(e.uuid))
		t.again()
		c.joinFamily(t)
	}
	// A line of another conversation is a copy when that conversation's own transcript
	// is here: it is counted there.
	var own *share
	if session == t.session || !c.files.has(t.project, session) {
		if own = t.shareOf(session); own != nil {
			own.add(t, e, at)
			c.touch(session)
		}
	}
	key, copied := c.keyOf(e)
	if copied {
		c.books.Items(e.stream()).Duplicate++
		return nil
	}
	if e.kind == lineMessage {
		if own != nil {
			own.count++
		}
		if key == "" {
			key = c.keyOfAnother(t, e, session, line)
		}
		if c.parser.text.Over > 0 {
			t.cut++
			c.cutNow++
			c.books.Items("messages").Cut++
		}
		return c.emitMessage(e, key, session, line, t.subagent)
	}
	return c.emitAttachment(e, key, session, line)
}

// sessionOf returns the session that a line belongs to.
func (c *collection) sessionOf(t *transcript, e *event) string {
	if t.subagent || !usableID(e.session) {
		return t.session
	}
	id := text(e.session)
	if id == t.session {
		return t.session
	}
	if id != c.lastSession {
		c.lastSession = strings.Clone(id)
	}
	return c.lastSession
}

// touch marks a session as changed. The lines of one session come in a row, so the map
// is read once for each row.
func (c *collection) touch(session string) {
	if session != c.touched {
		c.touched = strings.Clone(session)
		c.dirty[c.touched] = true
	}
}

// halfCharacter is told of texts with an escape that is half of a surrogate pair: it is no character.
const halfCharacter = "half of a character"

func (c *collection) noteHalves(stream string) {
	if c.parser.text.Half > 0 {
		c.books.Items(stream).Unknown(halfCharacter)
	}
}

func (c *collection) emitMessage(e *event, key, session string, line []byte, subagent bool) error {
	if !c.h.Wants("messages") {
		return nil
	}
	c.noteHalves("messages")
	for _, odd := range c.parser.odd {
		c.books.Items("messages").UnknownTimes(odd.what, odd.n)
	}
	kind := text(e.typ)
	r := c.h.Record("messages")
	if key == "" {
		key = hashID(kind, session, line)
	}
	r.String("id", key)
	r.String("session_id", session)
	r.StringOrNull("parent_uuid", text(e.parent))
	if role := text(e.role); e.queued {
		r.String("role", "user")
	} else if role != "" {
		r.String("role", role)
	} else {
		r.String("role", kind)
	}
	if e.queued {
		kind = "user"
	}
	r.String("type", kind)
	r.String("form", c.parser.form)
	if c.parser.more {
		r.StringOrNull("content", view(c.parser.brief.Buf))
		r.StringOrNull("text", view(c.parser.text.Buf))
	} else {
		r.StringOrNull("content", view(c.parser.text.Buf))
		r.Null("text")
	}
	over := c.parser.text.Over
	r.Bool("content_truncated", over > 0)
	r.Int("content_length", maxContent-int64(c.parser.text.Left)+over)
	c.setTime("messages", e.timestamp)
	r.StringOrNull("timestamp", c.time)
	r.Bool("is_sidechain", e.sidechain.IsTrue())
	r.StringOrNull("user_type", text(e.userType))
	r.StringOrNull("agent_id", text(e.agent))
	r.StringOrNull("origin", c.parser.origin(subagent))
	return r.Emit()
}

// setTime puts the line's timestamp into c.time, "" when it is none, which is told.
func (c *collection) setTime(stream string, v raw) {
	c.time = text(v)
	if v != nil && c.time == "" {
		c.time = formatTime(parseMillis(v))
	}
	if parseTime(c.time) == noTime {
		c.time = ""
		if v != nil && string(v) != "null" {
			c.books.Items(stream).Unknown("timestamp that is no time")
		}
	}
}

func (c *collection) emitAttachment(e *event, key, session string, line []byte) error {
	if !c.h.Wants("attachments") {
		return nil
	}
	a := c.parser.readAttachment(e)
	c.noteHalves("attachments")
	r := c.h.Record("attachments")
	if key == "" {
		key = hashID(text(e.typ), session, line)
	}
	r.String("id", key)
	r.String("session_id", session)
	r.StringOrNull("parent_uuid", text(e.parent))
	r.String("event_type", text(e.typ))
	r.String("kind", a.kind)
	r.StringOrNull("hook_name", text(a.hook))
	r.StringOrNull("tool_use_id", text(a.tool))
	r.StringOrNull("content_preview", marked(&c.parser.text))
	r.Null("content_bytes")
	r.Int("content_size", a.size)
	c.setTime("attachments", a.time)
	r.StringOrNull("timestamp", c.time)
	return r.Emit()
}
