package main

import (
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// cursorVersion changes with the meaning of the cursor; another version's
// rollouts are read anew.
const cursorVersion = 1

// readerVersion rises when lines give more than before. A rollout that an earlier version read is read again.
const readerVersion = 6

// sessionWords rises when the record of a session gets other fields: each session is emitted again, without its lines.
const sessionWords = 1

// maxPlaces bounds the places that are kept of one rollout.
const maxPlaces = 3

// maxUnknownOfOne bounds the unknown types that are kept of one rollout.
const maxUnknownOfOne = 8

// maxCursorBytes leaves room for the rest of a STATE.
const maxCursorBytes = abi.MaxStateBytes - 256<<10

// rolloutState is the memory of one rollout.
type rolloutState struct {
	files.Stamp       // when it was read; Size, of a compressed one that of what it has, is above offset when a line was torn
	offset      int64 // behind the last line read
	lines       int64
	head, tail  string // of filecursor.Guards
	session     string
	alias       string // set when another rollout has the same session
	messages    int64
	calls       int64
	malformed   int64 // lines that are damaged
	// malformedAt has the numbers of the first of them.
	malformedAt []int64
	reader      int64 // readerVersion of the version that read it
	oversized   int64 // lines above maxLineBytes
	cut         int64 // texts of which only the beginning was collected
	first       time.Time
	last        time.Time
	metaOffset  int64 // offset of the session_meta line; -1 without one
	forkedFrom  string
	forkAt      int64 // place in the parent's items that is copied next; notForked
	repeated    int64 // items that are the parent's
	copied      bool  // it begins with the items of the other rollout of its session, which forkAt counts
	was         version
	shared      int64 // lines that it has from that version
	overwritten bool  // others of its lines came in the place of that version's
	packed      int64 // size of the compressed file; 0: it was not compressed
	broken      int64 // where the compressed file is damaged, and why; "" when it is not
	brokenBy    string
	unknown     []string // types of lines and items that this version does not know, at most maxUnknownOfOne
	dirty       bool     // the session's record is still to be emitted
	strange     bool     // it has lines, and none is one that Codex writes
}

// Members implements cursor.Value.
func (s *rolloutState) Members(m *cursor.Members) {
	m.Int("mtime_ms", &s.MTimeMS)
	m.Int("ctime_ms", &s.CTimeMS)
	m.Int("size_bytes", &s.offset)
	m.IntOr("observed_size_bytes", &s.Size, s.offset)
	m.Int("line_count", &s.lines)
	m.Text("head_sha256", &s.head)
	m.Text("tail_sha256", &s.tail)
	m.Text("session_id", &s.session)
	m.Text("alias", &s.alias)
	m.Int("message_count", &s.messages)
	m.Int("function_call_count", &s.calls)
	m.Int("malformed", &s.malformed)
	m.Int("oversized", &s.oversized)
	m.Int("cut", &s.cut)
	m.Time("first_ts", &s.first)
	m.Time("last_ts", &s.last)
	m.IntOr("meta_offset", &s.metaOffset, -1)
	m.Flag("session_pending", &s.dirty)
	m.Ints("malformed_at", &s.malformedAt, maxPlaces)
	m.IntOr("reader", &s.reader, 1)
	m.Text("forked_from", &s.forkedFrom)
	m.IntOr("fork_at", &s.forkAt, notForked)
	m.Int("repeated", &s.repeated)
	m.Flag("copied", &s.copied)
	m.Int("was_bytes", &s.was.offset)
	m.Int("was_lines", &s.was.lines)
	m.Text("was_head", &s.was.head)
	m.Text("was_tail", &s.was.tail)
	m.Int("was_shared", &s.shared)
	m.Flag("overwritten", &s.overwritten)
	m.Int("packed_bytes", &s.packed)
	m.Int("broken_at", &s.broken)
	m.Text("broken_by", &s.brokenBy)
	m.Flag("not_understood", &s.strange)
	m.Texts("unknown", &s.unknown, maxUnknownOfOne)
}

// ours reports whether this connector wrote the state.
func (s *rolloutState) ours() bool {
	return min(s.offset, s.lines, s.messages, s.calls, s.malformed, s.oversized, s.was.offset, s.was.lines) >= 0 && (s.session != "" || s.lines == 0)
}

// state is the cursor of stream sessions.
type state struct {
	files   map[string]*rolloutState
	threads map[string]int64 // session -> fingerprint of its row of threads
	// covers are the streams that the offsets cover beside sessions. A run that collects
	// one more has to read everything again.
	covers []string

	words   int64 // sessionWords of the version that emitted the sessions
	limit   int   // bytes of the cursor
	dropped int   // rollouts that did not fit: they are read again in every run
}

func newState() *state {
	return &state{files: map[string]*rolloutState{}, threads: map[string]int64{}, words: sessionWords, limit: maxCursorBytes}
}

// Members implements cursor.Value. Sessions whose rows do not fit are emitted again.
func (c *state) Members(m *cursor.Members) {
	m.Int("words", &c.words)
	m.Texts("covers", &c.covers, 2)
	m.Numbers("threads", &c.threads, c.limit/2)
	c.dropped = cursor.Map(m, "files", &c.files, c.limit-m.Len()-1)
}

func readState(v jsonvalue.Value) *state {
	c := newState()
	c.words = 0
	cursor.Read(v, cursorVersion, c)
	if c.words < sessionWords {
		c.threads = map[string]int64{}
		for _, s := range c.files {
			s.dirty = true
		}
	}
	for p, s := range c.files {
		if !s.ours() {
			delete(c.files, p) // the file is read anew
		}
	}
	return c
}

func (c *state) encode() []byte { return cursor.Encode(cursorVersion, sdk.Account{}, c) }
