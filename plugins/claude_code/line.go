package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// lineKind is the stream of a line.
type lineKind uint8

const (
	lineOther      lineKind = iota // of a type that belongs to no stream
	lineMessage                    // user, assistant
	lineAttachment                 // attachment, file-history-snapshot, permission-mode, last-prompt
)

// stream returns the name of the stream that the event belongs to.
func (e *event) stream() string {
	if e.kind == lineMessage {
		return "messages"
	}
	return "attachments"
}

// event is one line of a transcript. Its values are parts of the line.
type event struct {
	kind lineKind

	typ, uuid, parent, session, timestamp raw
	cwd, branch, version, userType, entry raw
	agent, sidechain                      raw
	role, content                         raw // of message; an array's is only its place
	attachment, snapshot, prompt, mode    raw
	meta, summary                         raw // that the line is no prompt of the person
	program                               raw // the mode of a queued command
	queued                                bool
	entered                               raw // what a line of the queue has
	title, aiTitle                        raw // of the session
}

// parser reads lines, one at a time, into the same event.
type parser struct {
	r    jsonraw.Reader
	ev   event
	text jsonraw.Clipper
	// brief is what the public connector has of the message: its texts, and a word for each tool call and result. It is filled
	// where more is true: the text has more than that.
	brief jsonraw.Clipper
	more  bool
	form  string   // kind of the message's content
	odd   []oddity // of the message
	said  bool     // the line has a message, or null in its place
}

// parse reads one line. ok is false when it is not a JSON object. The event and the
// text of its message belong to the parser and are valid until the next call.
func (p *parser) parse(line []byte) (*event, bool) {
	p.r = jsonraw.Reader{Src: line}
	p.ev = event{}
	p.unsaid()
	p.said = false
	if !p.r.Enter('{') {
		return nil, false
	}
	e := &p.ev
	for first := true; ; first = false {
		name, ok := p.r.Member(first)
		if !ok {
			break
		}
		if string(name) == "message" {
			p.message()
			continue
		}
		value := p.r.Value()
		if place := e.place(name); place != nil {
			*place = value // the last one counts, as for JSON.parse
		}
	}
	if !p.r.End() {
		return nil, false
	}
	switch string(e.typ.Inside()) {
	case "user", "assistant":
		if e.kind = lineMessage; !p.said {
			p.oddity(noMessage)
		}
	case "attachment":
		e.kind = lineAttachment
		p.queuedCommand()
	case "file-history-snapshot", "permission-mode", "last-prompt":
		e.kind = lineAttachment
	case "queue-operation":
		// A prompt that was put into the queue. Another line says that one left it, and not which.
		if e.entered.IsString() {
			e.kind = lineAttachment
		}
	}
	return e, true
}

// queuedCommand makes a message of what was typed while Claude worked, and reached it in the midst of a
// turn: no other line has it.
func (p *parser) queuedCommand() {
	e := &p.ev
	if !member(e.attachment, "type").Is("queued_command") {
		return
	}
	prompt := member(e.attachment, "prompt")
	if !prompt.IsString() && !prompt.IsArray() {
		return
	}
	e.kind, e.queued, e.program = lineMessage, true, member(e.attachment, "commandMode")
	p.r = jsonraw.Reader{Src: prompt}
	p.content()
}

// place returns the field for the member named name, nil when no record needs it.
func (e *event) place(name []byte) *raw {
	switch string(name) {
	case "type":
		return &e.typ
	case "uuid":
		return &e.uuid
	case "parentUuid":
		return &e.parent
	case "sessionId":
		return &e.session
	case "timestamp":
		return &e.timestamp
	case "cwd":
		return &e.cwd
	case "gitBranch":
		return &e.branch
	case "version":
		return &e.version
	case "userType":
		return &e.userType
	case "entrypoint":
		return &e.entry
	case "agentId":
		return &e.agent
	case "isSidechain":
		return &e.sidechain
	case "attachment":
		return &e.attachment
	case "snapshot":
		return &e.snapshot
	case "lastPrompt":
		return &e.prompt
	case "permissionMode":
		return &e.mode
	case "isMeta":
		return &e.meta
	case "isCompactSummary":
		return &e.summary
	case "content":
		return &e.entered
	case "customTitle":
		return &e.title
	case "aiTitle":
		return &e.aiTitle
	}
	return nil
}

// maxID bounds an id, in bytes: real ones are UUIDs.
const maxID = 512

// usableID reports whether v can be a key or a part of one.
func usableID(v raw) bool { return len(v.Inside()) > 0 && len(v) <= maxID }

// hashID returns the key of a line without a uuid: its type, its session and a
// hash of its bytes, which is the same wherever the line is copied to.
func hashID(kind, session string, line []byte) string {
	sum := sha256.Sum256(line)
	return kind + ":" + session + ":" + sha256.Hex(sum[:12])
}

// noTime is the time of a line without a usable timestamp.
const noTime = int64(-1 << 63)

// parseTime returns an RFC 3339 timestamp as Unix milliseconds, noTime for any other
// text. It is stricter than time.Parse where the schema's format date-time is: no comma
// before the fraction.
func parseTime(s string) int64 {
	if len(s) < len("2006-01-02T15:04:05Z") || len(s) > len("2006-01-02T15:04:05.000000000+00:00") || s[10] != 'T' || s[19] == ',' {
		return noTime
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return noTime
	}
	return t.UnixMilli()
}

// The numbers that are times in milliseconds, from 2001 to 2286. The same times in seconds are below.
const firstMillis, lastMillis = 1e12, 1e13

// parseMillis returns a number of milliseconds since 1970, noTime for any other value.
func parseMillis(v raw) int64 {
	n, err := strconv.ParseInt(view(v), 10, 64)
	if err != nil || n < firstMillis || n >= lastMillis {
		return noTime
	}
	return n
}

// timeOf returns a timestamp in either form as Unix milliseconds, noTime for any other value.
func timeOf(v raw) int64 {
	if v.IsString() {
		return parseTime(text(v))
	}
	return parseMillis(v)
}

// formatTime is the inverse, "" for noTime.
func formatTime(ms int64) string {
	if ms == noTime {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}
