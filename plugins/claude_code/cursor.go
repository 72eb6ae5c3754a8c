package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// The cursor of the sessions stream also covers the streams that ride it (messages,
// attachments, memory_notes):
//
//	{"version": 1,
//	 "projects": {PROJECT: {PATH: {committed_offset_bytes, committed_prefix_sha256,
//	     observed_size_bytes, observed_mtime_ms, root, invalid, invalid_at,
//	     too_long, too_long_at, cut, sessions: [{id, messages, first_ms, last_ms, cwd, …}]}}},
//	 "notes": {PATH: [size, mtime_ms, fingerprint]},
//	 "tool_results": {PATH: [size, mtime_ms, fingerprint]},
//	 "other_types": [TYPE]}
//
// A damaged cursor, or one of another version, counts as missing: everything is read
// again.
const cursorVersion = 1

// fileSet lists the transcripts: those of the cursor and those found in the folder.
type fileSet struct {
	list  []*transcript // by key
	byKey map[string]*transcript
}

// get returns the transcript of the key, a new one when there is none.
func (s *fileSet) get(key string) *transcript {
	if t := s.byKey[key]; t != nil {
		return t
	}
	t := newTranscript(key)
	if s.byKey == nil {
		s.byKey = make(map[string]*transcript)
	}
	s.byKey[key] = t
	s.list = append(s.list, t)
	return t
}

// has reports whether the session's own transcript is in the project.
func (s *fileSet) has(project, session string) bool {
	t := s.byKey[project+"/"+session+transcriptSuffix]
	return t != nil && t.present
}

func (s *fileSet) sort() {
	slices.SortFunc(s.list, func(a, b *transcript) int { return strings.Compare(a.key, b.key) })
}

// remove forgets the transcripts that drop reports true for.
func (s *fileSet) remove(drop func(*transcript) bool) (removed bool) {
	kept := s.list[:0]
	for _, t := range s.list {
		if drop(t) {
			delete(s.byKey, t.key)
			removed = true
			continue
		}
		kept = append(kept, t)
	}
	s.list = kept
	return removed
}

const transcriptSuffix = ".jsonl"

// newTranscript reads the project and session from a key: PROJECT/SESSION.jsonl, or
// PROJECT/SESSION/subagents/….jsonl.
func newTranscript(key string) *transcript {
	t := &transcript{key: key}
	var rest string
	t.project, rest, _ = strings.Cut(key, "/")
	t.session, _, t.subagent = strings.Cut(rest, "/")
	if !t.subagent {
		t.session = strings.TrimSuffix(t.session, transcriptSuffix)
	}
	return t
}

// readCursor restores the state that the last run left.
func (c *collection) readCursor(v jsonvalue.Value) {
	if v.Get("version").Int() != cursorVersion {
		return
	}
	for p := v.Get("projects").Children(); p.Next(); {
		project := p.Name().Str()
		for f := p.Value().Children(); f.Next(); {
			t := c.files.get(project + "/" + f.Name().Str())
			t.read(f.Value())
			c.join(t)
		}
	}
	c.notes.read(v.Get("notes"))
	c.results.read(v.Get("tool_results"))
	for it := v.Get("other_types").Children(); it.Next(); {
		c.otherTypes[it.Value().Str()] = true
	}
}

func (t *transcript) read(v jsonvalue.Value) {
	if v.Kind() == jsonvalue.Array {
		t.readCondensed(v)
		return
	}
	t.cursor = filecursor.ParseCursor(v)
	t.root = v.Get("root").Str()
	t.invalid.read(v.Get("invalid"), v.Get("invalid_at"))
	t.tooLong.read(v.Get("too_long"), v.Get("too_long_at"))
	t.cut = v.Get("cut").Int()
	for it := v.Get("sessions").Children(); it.Next(); {
		t.shares = append(t.shares, t.readShare(it.Value()))
	}
}

func (t *transcript) readShare(v jsonvalue.Value) share {
	s := share{
		id: t.session, count: v.Get("messages").Int(), first: noTime, last: noTime,
		cwd: v.Get("cwd").Str(), branch: v.Get("branch").Str(), version: v.Get("version").Str(),
		userType: v.Get("user_type").Str(), entry: v.Get("entrypoint").Str(), project: v.Get("project").Str(),
	}
	if id := v.Get("id"); id.Exists() {
		s.id = id.Str()
	}
	if first, ok := v.Get("first_ms").IntOK(); ok {
		s.first, s.last = first, v.Get("last_ms").Int()
	}
	return s
}

// encode makes c.cursor the cursor, small enough for a STATE.
func (c *collection) encode() {
	c.cursor = c.appendCursor(c.cursor[:0])
	if len(c.cursor) > maxCursorBytes {
		c.condense(len(c.cursor), condenseToBytes)
		c.cursor = c.appendCursor(c.cursor[:0])
	}
}

// appendCursor appends the cursor. The same knowledge gives the same bytes.
func (c *collection) appendCursor(b []byte) []byte {
	b = jsonappend.Int(jsonappend.Name(append(b, '{'), "version"), cursorVersion)
	b = append(jsonappend.Name(b, "projects"), '{')
	for i, t := range c.files.list {
		if i == 0 || c.files.list[i-1].project != t.project {
			if i > 0 {
				b = append(b, '}')
			}
			b = append(jsonappend.Name(b, t.project), '{')
		}
		b = t.append(jsonappend.Name(b, t.key[len(t.project)+1:]))
	}
	if len(c.files.list) > 0 {
		b = append(b, '}')
	}
	b = append(b, '}')
	b = c.notes.append(jsonappend.Name(b, "notes"))
	b = c.results.append(jsonappend.Name(b, "tool_results"))
	b = jsonappend.Strings(jsonappend.Name(b, "other_types"), sortedKeys(c.otherTypes))
	return append(b, '}')
}

func (t *transcript) append(b []byte) []byte {
	if t.condensed {
		return t.appendCondensed(b)
	}
	if t.cursor.Known() {
		b = t.cursor.AppendJSON(b)
		b = b[:len(b)-1] // its object continues
	} else {
		b = append(b, '{')
	}
	b = textMember(b, "root", t.root)
	b = t.invalid.append(b, "invalid", "invalid_at")
	b = t.tooLong.append(b, "too_long", "too_long_at")
	b = countMember(b, "cut", t.cut)
	b = append(jsonappend.Name(b, "sessions"), '[')
	for i := range t.shares {
		b = t.shares[i].append(jsonappend.Elem(b), t.session)
	}
	return append(b, "]}"...)
}

func (s *share) append(b []byte, session string) []byte {
	b = append(b, '{')
	if s.id != session {
		b = textMember(b, "id", s.id)
	}
	b = countMember(b, "messages", s.count)
	if s.first != noTime {
		b = jsonappend.Int(jsonappend.Name(b, "first_ms"), s.first)
		b = jsonappend.Int(jsonappend.Name(b, "last_ms"), s.last)
	}
	b = textMember(b, "cwd", s.cwd)
	b = textMember(b, "branch", s.branch)
	b = textMember(b, "version", s.version)
	b = textMember(b, "user_type", s.userType)
	b = textMember(b, "entrypoint", s.entry)
	return append(textMember(b, "project", s.project), '}')
}

func textMember(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	return jsonappend.String(jsonappend.Name(b, name), value)
}

func countMember(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	return jsonappend.Int(jsonappend.Name(b, name), n)
}
