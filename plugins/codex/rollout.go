package main

import (
	"bytes"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/charset"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// maxID bounds ids that come from files, in bytes, and maxLineBytes the lines that are
// parsed. A longer one is counted and skipped without being buffered.
const (
	maxID        = 128
	maxLineBytes = 16 << 20
)

// meta is the content of a session_meta line.
type meta struct {
	present                                bool
	id, cwd, originator, version, provider string
	forkedFrom                             string
	gitCommit, gitBranch, repository       string
	started                                time.Time
}

// rollout reads one rollout after the other.
type rollout struct {
	messages, calls  *sdk.Record
	items, callItems *accounts.Items // what becomes of each object of a line
	unknown          map[string]bool // undocumented types of events and of parts
	skipped          int64           // oversized lines of the file so far
	lost             int64           // of the file, lines that are damaged or too long
	understood       bool            // a line was one that Codex writes
	heard            int64           // events of the file that repeat messages

	in      filecursor.Scanner
	doc     jsonvalue.Doc
	pending pending
	ids     map[uint64]bool // the sums of call ids that are keys, in all rollouts of the run
	text    []byte
	preview []byte

	path  string
	state *rolloutState
	meta  meta
	at    time.Time // of the current line
	part  int       // of the current line, when it has several objects; from 1
	// assign decides the alias of a session that a rollout claims.
	assign func(path string, s *rolloutState)
	// originals reads the items of a session that another one is a fork of.
	originals func(session string) []original
	parent    []original // of the fork that is read
	// sibling reads the items of the other rollout of a session.
	sibling func(path, session string) []original
}

// open prepares r to continue f at s.offset, with the session_meta of the part read before:
// the cursor keeps only where that line is.
func (r *rollout) open(f *rolloutFile, s *rolloutState) error {
	r.path, r.state, r.meta, r.at, r.skipped, r.lost, r.understood, r.heard = f.path, s, meta{}, time.Time{}, 0, 0, s.session != "", 0
	r.pending.reset()
	r.continueCopy()
	r.in.MaxLine, r.in.Whole = maxLineBytes, isWhole
	if s.metaOffset >= 0 {
		if err := r.in.OpenAt(f.root, f.name, s.metaOffset); err != nil {
			return err
		}
		if r.in.Next() {
			if v, err := r.doc.Parse(r.in.Line()); err == nil {
				r.meta.read(v)
			}
		}
		if err := r.in.Err(); err != nil {
			return err
		}
	}
	return r.in.OpenAt(f.root, f.name, s.offset)
}

// next reads one line into records. It returns false at the end, and at a fault of the file.
func (r *rollout) next() (bool, error) {
	more := r.in.Next()
	s, long := r.state, r.in.Skipped()-r.skipped
	r.skipped += long
	r.lost += long
	s.oversized += long
	s.lines += long
	s.offset = r.in.Position()
	if !more {
		return false, nil
	}
	s.lines++
	line := r.in.Line()
	if len(bytes.Trim(line, " \t\r")) == 0 {
		return true, nil
	}
	r.part = 1
	foreign := !utf8.Valid(line) // it is damaged: what is read of it are the characters of Windows-1252
	if foreign {
		text, _ := charset.Text(line)
		line = []byte(text)
	}
	v, err := r.doc.Parse(line)
	if err != nil || v.Kind() != jsonvalue.Object {
		return true, r.salvage(line, foreign)
	}
	if foreign {
		s.damaged()
	}
	if n := r.doc.Halves(); n > 0 {
		r.items.UnknownTimes(halfCharacter, int64(n))
	}
	return true, r.line(v)
}

// salvage takes the objects that a damaged line still has. foreign: bytes of it were no UTF-8.
func (r *rollout) salvage(line []byte, foreign bool) error {
	in := jsonraw.NewSalvage(line, isLineOf(&r.doc))
	for in.Next() {
		v, err := r.doc.Parse(in.Object())
		if err != nil {
			continue // it was parsed a moment ago
		}
		if err := r.line(v); err != nil {
			return err
		}
		r.part++
	}
	if in.Lost() >= 0 {
		r.lost++
	}
	if in.Lost() >= 0 || foreign {
		r.state.damaged()
	}
	return nil
}

// isLineOf reports whether an object in a damaged line is a line of its own.
func isLineOf(doc *jsonvalue.Doc) func(object []byte, clean bool) bool {
	return func(object []byte, clean bool) bool {
		v, err := doc.Parse(object)
		return err == nil && (isEnvelope(v) || clean && v.Get("type").Exists())
	}
}

// damaged counts the line at hand as damaged.
func (s *rolloutState) damaged() {
	s.malformed++
	if len(s.malformedAt) < maxPlaces {
		s.malformedAt = append(s.malformedAt[:len(s.malformedAt):len(s.malformedAt)], s.lines)
	}
}

// isEnvelope reports whether an object is a line of a rollout rather than a part of one.
func isEnvelope(v jsonvalue.Value) bool {
	return v.Get("timestamp").Kind() == jsonvalue.String && v.Get("type").Kind() == jsonvalue.String && v.Get("payload").Kind() == jsonvalue.Object
}

// line takes one line. Rollouts before mid-2025 have no envelope: their lines are
// the items themselves, and the first is the session's meta.
func (r *rollout) line(v jsonvalue.Value) error {
	at := v.Get("timestamp")
	r.at = timestamp(at)
	if r.at.IsZero() && at.Exists() && !at.IsNull() {
		r.items.Unknown(noTime)
	}
	if !r.at.IsZero() {
		s := r.state
		if s.first.IsZero() || r.at.Before(s.first) {
			s.first = r.at
		}
		if r.at.After(s.last) {
			s.last = r.at
		}
	}
	kind, before := v.Get("type"), r.understood
	r.understood = true
	switch {
	case kind.TextIs("response_item"):
		return r.item(v.Get("payload"))
	case !v.Get("payload").Exists() && slices.ContainsFunc(itemTypes, kind.TextIs):
		return r.item(v)
	}
	if said, err := r.say(v); said || err != nil {
		return err
	}
	r.items.NotRecord++
	switch {
	case kind.TextIs("session_meta"):
		r.sessionMeta(v)
	case kind.TextIs("event_msg"):
		r.event(v.Get("payload").Get("type"))
	case slices.ContainsFunc(silent, kind.TextIs):
		// No part of the conversation, or without a text.
	case !kind.Exists() && v.Get("id").Kind() == jsonvalue.String && !r.at.IsZero():
		r.sessionMeta(v)
	case !kind.Exists() && v.Get("record_type").Exists():
	default:
		r.understood = before
		r.strange(r.items, "line", kind)
	}
	return nil
}

func (r *rollout) sessionMeta(v jsonvalue.Value) {
	if r.meta.present {
		// The first wins: a forked session repeats its parent's, and earlier versions of Codex name
		// the parent nowhere else.
		var other meta
		other.read(v)
		if other.id != r.meta.id {
			r.fork(other.id)
		}
		return
	}
	r.meta.read(v)
	r.state.metaOffset = r.in.Offset()
	if r.state.session == "" {
		r.name(r.meta.id)
	}
	r.fork(r.meta.forkedFrom)
}

// name settles which session the rollout belongs to.
func (r *rollout) name(id string) {
	if id == "" {
		id = sessionFromName(r.path)
	}
	r.state.session = id
	if r.assign != nil {
		r.assign(r.path, r.state)
	}
	r.copies()
}

func (m *meta) read(v jsonvalue.Value) {
	m.present = true
	if p := v.Get("payload"); p.Kind() == jsonvalue.Object {
		v = p
	}
	text := func(v jsonvalue.Value) string { return clip.Text(v.Str(), maxField) }
	m.id, m.forkedFrom = clip.Text(v.Get("id").Str(), maxID), clip.Text(v.Get("forked_from_id").Str(), maxID)
	m.cwd, m.originator, m.version = text(v.Get("cwd")), text(v.Get("originator")), text(v.Get("cli_version"))
	m.provider = text(v.Get("model_provider"))
	git := v.Get("git")
	m.gitCommit, m.gitBranch = text(git.Get("commit_hash")), text(git.Get("branch"))
	m.repository = withoutUserinfo(text(git.Get("repository_url")))
	m.started = timestamp(v.Get("timestamp"))
}

// itemTypes are the types of the lines that are the items themselves.
var itemTypes = []string{
	"message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
	"web_search_call", "reasoning",
}

// item takes the payload of a response_item.
func (r *rollout) item(v jsonvalue.Value) error {
	if r.state.session == "" {
		r.name("")
	}
	kind := v.Get("type")
	switch {
	case isRecord(v) && r.repeats(v):
		r.items.Duplicate++ // of the parent's, whose rollout has it
	case kind.TextIs("message"), kind.TextIs("agent_message"):
		return r.message(v)
	case kind.TextIs("function_call"):
		return r.call(v, "function_call", v.Get("name"), v.Get("arguments"))
	case kind.TextIs("custom_tool_call"):
		return r.call(v, "custom_tool_call", v.Get("name"), v.Get("input"))
	case kind.TextIs("local_shell_call"):
		return r.call(v, "local_shell_call", jsonvalue.Value{}, v.Get("action"))
	case kind.TextIs("web_search_call"):
		return r.call(v, "web_search_call", jsonvalue.Value{}, v.Get("action"))
	case kind.TextIs("tool_search_call"):
		return r.call(v, "tool_search_call", jsonvalue.Value{}, v.Get("arguments"))
	case kind.TextIs("image_generation_call"):
		return r.call(v, "image_generation_call", jsonvalue.Value{}, v.Get("revised_prompt"))
	case kind.TextIs("function_call_output"), kind.TextIs("custom_tool_call_output"), kind.TextIs("tool_search_output"):
		return r.output(v)
	case kind.TextIs("reasoning"):
		if said, err := r.say(v); said || err != nil {
			return err
		}
		r.items.NotRecord++ // it is encrypted
	case slices.ContainsFunc(silent, kind.TextIs):
		r.items.NotRecord++
	default:
		r.items.NotRecord++
		r.strange(r.items, "item", kind)
	}
	return nil
}

// id names the record of the current line.
func (r *rollout) id(suffix string) string {
	id := r.state.session
	if r.state.alias != "" {
		id += ":" + r.state.alias
	}
	id += ":" + strconv.FormatInt(r.state.lines, 10)
	if r.part > 1 {
		id += "." + strconv.Itoa(r.part)
	}
	return id + suffix
}

func (r *rollout) message(v jsonvalue.Value) error {
	var mixed bool
	r.text, mixed = contentText(r.text[:0], v.Get("content"), maxContent, func(kind jsonvalue.Value) { r.strange(r.items, "part", kind) })
	content, truncated := clip.Bytes(r.text, maxContent)
	form := "text"
	if mixed {
		form = "mixed"
	}
	role := clip.Text(v.Get("role").View(), 64)
	if v.Get("type").TextIs("agent_message") {
		role = "assistant" // of one agent to another
	}
	if role == "" {
		role = "unknown"
	}
	origin, request := originOf(role, r.text)
	return r.emitMessage(role, "message", form, content, truncated, origin, clip.Text(request, maxContent))
}

// emitMessage emits what a line says. kind is message, as in the public connector's records, or what else the line is.
func (r *rollout) emitMessage(role, kind, form, content string, truncated bool, origin, request string) error {
	r.state.messages++
	r.state.cut += one(truncated)
	m := r.messages
	m.String("id", r.id(""))
	m.String("session_id", r.state.session)
	m.String("role", role)
	m.String("type", kind)
	m.String("form", form)
	m.String("content", content)
	m.Bool("content_truncated", truncated)
	r.items.Cut += one(truncated)
	m.StringOrNull("origin", origin)
	m.StringOrNull("request", request)
	m.StringOrNull("timestamp", instant(r.at))
	return m.Emit()
}
