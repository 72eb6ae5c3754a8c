package main

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// cursorVersion changes with the meaning of the cursor; another version's
// rollouts are read anew.
const cursorVersion = 1

// maxCursorBytes leaves room for the rest of a STATE.
const maxCursorBytes = abi.MaxStateBytes - 256<<10

// rolloutState is the memory of one rollout.
type rolloutState struct {
	mtimeMS    int64
	offset     int64 // behind the last line read; size_bytes on the wire
	observed   int64 // the file's size then: above offset when a line was torn
	lines      int64
	head       string // SHA-256 of the first guard bytes, hex
	guard      int64
	tail       string // of the last bytes before offset, shortened
	session    string
	alias      string // set when another rollout has the same session
	messages   int64
	calls      int64
	malformed  int64 // lines that are not JSON
	oversized  int64 // lines above maxLineBytes
	first      time.Time
	last       time.Time
	metaOffset int64 // offset of the session_meta line; -1 without one
	dirty      bool  // the session's record is still to be emitted
}

// cursor is the state of stream sessions.
type cursor struct {
	files   map[string]*rolloutState
	threads map[string]int64 // session -> fingerprint of its row of threads
	// messages and calls record which streams the offsets cover. A run that collects
	// one more has to read everything again.
	messages, calls bool
}

func newCursor() *cursor {
	return &cursor{files: map[string]*rolloutState{}, threads: map[string]int64{}}
}

func decodeCursor(v jsonvalue.Value) *cursor {
	c := newCursor()
	if v.Get("v").Int() != cursorVersion {
		return c
	}
	for it := v.Get("covers").Children(); it.Next(); {
		c.messages = c.messages || it.Value().TextIs(streamMessages)
		c.calls = c.calls || it.Value().TextIs(streamCalls)
	}
	for it := v.Get("files").Children(); it.Next(); {
		f := it.Value()
		s := &rolloutState{
			mtimeMS: f.Get("mtime_ms").Int(), offset: f.Get("size_bytes").Int(), lines: f.Get("line_count").Int(),
			head: f.Get("head_sha256").Str(), guard: f.Get("guard_bytes").Int(), tail: f.Get("tail_sha256").Str(),
			session: f.Get("session_id").Str(), alias: f.Get("alias").Str(),
			messages: f.Get("message_count").Int(), calls: f.Get("function_call_count").Int(),
			malformed: f.Get("malformed").Int(), oversized: f.Get("oversized").Int(),
			first: timestamp(f.Get("first_ts")), last: timestamp(f.Get("last_ts")), metaOffset: -1, dirty: f.Get("session_pending").Bool(),
		}
		s.observed = s.offset
		if o := f.Get("observed_size_bytes"); o.Exists() {
			s.observed = o.Int()
		}
		if m := f.Get("meta_offset"); m.Exists() {
			s.metaOffset = m.Int()
		}
		if s.offset < 0 || s.lines < 0 || s.messages < 0 || s.calls < 0 || s.malformed < 0 || s.oversized < 0 || s.session == "" && s.lines > 0 {
			continue // not ours: the file is read anew
		}
		c.files[it.Name().Str()] = s
	}
	for it := v.Get("threads").Children(); it.Next(); {
		c.threads[it.Name().Str()] = it.Value().Int()
	}
	return c
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// encode returns the cursor as JSON, within limit bytes. When it is longer, the
// rollouts that sort first, the oldest, are left out: they are read again in every run.
// dropped is how many.
func (c *cursor) encode(limit int) (text []byte, dropped int) {
	b := append(jsonappend.Int([]byte(`{"v":`), cursorVersion), `,"covers":[`...)
	if c.messages {
		b = jsonappend.String(jsonappend.Elem(b), streamMessages)
	}
	if c.calls {
		b = jsonappend.String(jsonappend.Elem(b), streamCalls)
	}
	b = append(b, `],"threads":{`...)
	for _, id := range sortedKeys(c.threads) {
		if len(b) > limit/2 {
			break // these rows' sessions are emitted again
		}
		b = jsonappend.Int(jsonappend.Name(b, id), c.threads[id])
	}
	b = append(b, `},"files":{`...)
	paths := sortedKeys(c.files)
	for i := len(paths) - 1; i >= 0; i-- {
		before := len(b)
		if b = c.files[paths[i]].append(jsonappend.Name(b, paths[i])); len(b) > limit-2 {
			return append(b[:before], "}}"...), i + 1
		}
	}
	return append(b, "}}"...), 0
}

func (s *rolloutState) append(b []byte) []byte {
	b = append(b, '{')
	b = jsonappend.Int(jsonappend.Name(b, "mtime_ms"), s.mtimeMS)
	b = jsonappend.Int(jsonappend.Name(b, "size_bytes"), s.offset)
	if s.observed != s.offset {
		b = jsonappend.Int(jsonappend.Name(b, "observed_size_bytes"), s.observed)
	}
	b = jsonappend.Int(jsonappend.Name(b, "line_count"), s.lines)
	b = jsonappend.String(jsonappend.Name(b, "head_sha256"), s.head)
	b = jsonappend.Int(jsonappend.Name(b, "guard_bytes"), s.guard)
	b = jsonappend.String(jsonappend.Name(b, "tail_sha256"), s.tail)
	b = jsonappend.String(jsonappend.Name(b, "session_id"), s.session)
	if s.alias != "" {
		b = jsonappend.String(jsonappend.Name(b, "alias"), s.alias)
	}
	b = jsonappend.Int(jsonappend.Name(b, "message_count"), s.messages)
	b = jsonappend.Int(jsonappend.Name(b, "function_call_count"), s.calls)
	if s.malformed > 0 {
		b = jsonappend.Int(jsonappend.Name(b, "malformed"), s.malformed)
	}
	if s.oversized > 0 {
		b = jsonappend.Int(jsonappend.Name(b, "oversized"), s.oversized)
	}
	if !s.first.IsZero() {
		b = jsonappend.Time(jsonappend.Name(b, "first_ts"), s.first)
		b = jsonappend.Time(jsonappend.Name(b, "last_ts"), s.last)
	}
	if s.metaOffset >= 0 {
		b = jsonappend.Int(jsonappend.Name(b, "meta_offset"), s.metaOffset)
	}
	if s.dirty {
		b = jsonappend.Bool(jsonappend.Name(b, "session_pending"), true)
	}
	return append(b, '}')
}
