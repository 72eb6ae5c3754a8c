package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// cursorVersion is that of the cursor of stream sessions, which also covers the streams that
// ride it (messages, attachments, memory_notes). A damaged cursor, or one of another version,
// counts as missing: everything is read again. Version 1 is read, too.
const cursorVersion = 2

// readerVersion rises when lines give more than before. A transcript that an earlier version read is read again.
const readerVersion = 9

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
	t := &transcript{}
	if s.byKey == nil {
		s.byKey = make(map[string]*transcript)
	}
	s.byKey[key] = t
	s.add(key, t)
	return t
}

// add lists a transcript. Its key names its project and its session: PROJECT/SESSION.jsonl, or
// PROJECT/SESSION/subagents/….jsonl.
func (s *fileSet) add(key string, t *transcript) {
	t.key = key
	var rest string
	t.project, rest, _ = strings.Cut(key, "/")
	t.session, _, t.subagent = strings.Cut(rest, "/")
	if !t.subagent {
		t.session = strings.TrimSuffix(t.session, transcriptSuffix)
	}
	s.list = append(s.list, t)
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
	n := len(s.list)
	s.list = slices.DeleteFunc(s.list, func(t *transcript) bool {
		gone := drop(t)
		if gone {
			delete(s.byKey, t.key)
		}
		return gone
	})
	return len(s.list) < n
}

const transcriptSuffix = ".jsonl"

// readCursor restores the state that the last run left.
func (c *collection) readCursor(v jsonvalue.Value) {
	c.files.byKey = map[string]*transcript{}
	if !cursor.Read(v, cursorVersion, c) && v.Get("version").Int() == 1 {
		cursor.Fill(v, c)
		for p := v.Get("projects").Children(); p.Next(); {
			for f := p.Value().Children(); f.Next(); {
				t := &transcript{}
				cursor.Fill(f.Value(), t)
				c.files.byKey[p.Name().Str()+"/"+f.Name().Str()] = t
			}
		}
	}
	for _, key := range cursor.Keys(c.files.byKey) {
		t := c.files.byKey[key]
		c.files.add(key, t)
		for i := range t.shares {
			if t.shares[i].id == "" {
				t.shares[i].id = t.session
			}
		}
		c.join(t)
	}
}

// Members implements cursor.Value.
func (c *collection) Members(m *cursor.Members) {
	cursor.Map(m, "files", &c.files.byKey, maxRoom)
	m.Own("notes", c.notes)
	m.Own("tool_results", &c.results)
	types := cursor.Keys(c.otherTypes)
	m.Texts("other_types", &types, maxOtherTypes+1)
	for _, kind := range types {
		if c.otherTypes[kind] == nil {
			c.otherTypes[strings.Clone(kind)] = new(int64) // no line of this run
		}
	}
}

// maxRoom is more than a cursor may have: condense sees to it.
const maxRoom = 1 << 30

// Members implements cursor.Value.
func (t *transcript) Members(m *cursor.Members) {
	size := int64(-1)
	if t.condensed {
		size = t.Size
	}
	if m.IntOr("size", &size, -1); size >= 0 {
		t.condensed, t.Size = true, size
		m.Int("mtime_ms", &t.MTimeMS)
		m.Int("ctime_ms", &t.CTimeMS)
	} else {
		filecursor.Members(m, &t.cursor)
		m.Text("root", &t.root)
		cursor.List(m, "sessions", &t.shares, maxShares)
	}
	t.invalid.members(m, "invalid", "invalid_at", t.condensed)
	t.tooLong.members(m, "too_long", "too_long_at", t.condensed)
	reader := int64(readerVersion)
	if m.IntOr("reader", &reader, 1); reader < readerVersion {
		t.condensed, t.cursor = false, filecursor.Cursor{} // read again: it may have more now
	}
	m.Int("cut", &t.cut)
	m.Flag("not_understood", &t.strange)
	m.Texts("unknown", &t.unknown, maxUnknownOfOne)
}

// Members implements cursor.Value.
func (s *share) Members(m *cursor.Members) {
	m.Text("id", &s.id)
	m.Int("messages", &s.count)
	m.Int("messages_before", &s.before)
	m.IntOr("first_ms", &s.first, noTime)
	m.IntOr("last_ms", &s.last, noTime)
	m.Text("cwd", &s.cwd)
	m.Text("branch", &s.branch)
	m.Text("version", &s.version)
	m.Text("user_type", &s.userType)
	m.Text("entrypoint", &s.entry)
	m.Text("title", &s.title)
	m.Text("ai_title", &s.aiTitle)
	m.Text("project", &s.project)
}

// encode makes c.cursor the cursor, small enough for a STATE.
func (c *collection) encode() {
	c.cursor = cursor.Encode(cursorVersion, sdk.Account{}, c)
	if len(c.cursor) > maxCursorBytes {
		c.condense(len(c.cursor), condenseToBytes)
		c.cursor = cursor.Encode(cursorVersion, sdk.Account{}, c)
	}
}
