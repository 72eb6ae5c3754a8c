package main

import (
	"cmp"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// share is one transcript's contribution to one session's record. A session is the sum
// of the shares of its transcript and its subagents' transcripts, so that appended
// lines are added and a rewritten file replaces only its own share.
type share struct {
	id          string // of the session
	count       int64  // messages of it that are records of its session
	before      int64  // those of an earlier version of the file, which may be fewer or more
	first, last int64  // Unix milliseconds, noTime without any

	// The latest value in the lines, "" without one.
	cwd, branch, version, userType, entry string
	title, aiTitle                        string
	project                               string // folder that the project is named after
}

// shareOf returns the transcript's share of the session, a new one when there is none
// yet, nil when the transcript has too many.
func (t *transcript) shareOf(session string) *share {
	for i := range t.shares {
		if t.shares[i].id == session {
			return &t.shares[i]
		}
	}
	if len(t.shares) >= maxShares {
		return nil
	}
	t.shares = append(t.shares, share{id: session, first: noTime, last: noTime})
	return &t.shares[len(t.shares)-1]
}

// maxShares bounds the sessions that one transcript contributes to. It is one
// in practice, a few where resumed conversations were copied.
const maxShares = 32

// add accounts for one line of the session.
func (s *share) add(t *transcript, e *event, at int64) {
	if at != noTime {
		if s.first == noTime || at < s.first {
			s.first = at
		}
		s.last = max(s.last, at)
	}
	latest(&s.branch, e.branch)
	latest(&s.version, e.version)
	latest(&s.userType, e.userType)
	latest(&s.entry, e.entry)
	if latest(&s.cwd, e.cwd) && s.project == "" {
		s.project = projectFolder(t.project, s.cwd)
	}
}

// maxTitle bounds a title, in bytes.
const maxTitle = 4 << 10

// takeTitle keeps the title of a session that a line has. One that is too long is counted as a name that
// is not known.
func (c *collection) takeTitle(t *transcript, e *event) {
	v := e.title
	if e.typ.Is(typeAITitle) {
		v = e.aiTitle
	} else if !e.typ.Is(typeTitle) {
		return
	}
	session := c.sessionOf(t, e)
	switch {
	case len(v) > maxTitle:
		c.books.Items("messages").Unknown("title that is too long")
		return
	case !v.IsString() || session != t.session && c.files.has(t.project, session):
		return
	}
	s := t.shareOf(session)
	if s == nil {
		return
	}
	place := &s.title
	if e.typ.Is(typeAITitle) {
		place = &s.aiTitle
	}
	if latest(place, v) {
		c.touch(session)
	}
}

// latest keeps the newest value that is not empty, and reports a change. It
// allocates only when the value changes.
func latest(place *string, v raw) bool {
	if text := text(v); text != "" && text != *place {
		*place = strings.Clone(text)
		return true
	}
	return false
}

// projectFolder returns the folder that a project's name in the home folder was made
// from: cwd or a folder above it, whichever equals the name once everything but letters
// and digits is a hyphen, or "".
func projectFolder(name, cwd string) string {
	for cwd != "" {
		if spelledLike(name, cwd) {
			return cwd
		}
		cut := strings.LastIndexAny(cwd, `/\`)
		if cut < 0 {
			break
		}
		cwd = cwd[:cut]
	}
	return ""
}

func spelledLike(name, folder string) bool {
	i := 0
	for _, r := range folder {
		if i >= len(name) {
			return false
		}
		alphanumeric := r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if alphanumeric && name[i] != byte(r) || !alphanumeric && name[i] != '-' {
			return false
		}
		i++
	}
	return i == len(name)
}

// merged is a session's record.
type merged struct {
	share
	fallback string // the project's name in the home folder
}

// add adds one transcript's share. A field with one value takes it from the first
// transcript that has one; the caller goes through them in the order of mergeOrder.
func (m *merged) add(t *transcript, s *share) {
	m.count += max(s.count, s.before)
	if s.first != noTime && (m.first == noTime || s.first < m.first) {
		m.first = s.first
	}
	m.last = max(m.last, s.last)
	for _, f := range [...]struct {
		place *string
		value string
	}{
		{&m.cwd, s.cwd}, {&m.branch, s.branch}, {&m.version, s.version},
		{&m.userType, s.userType}, {&m.entry, s.entry}, {&m.title, s.title}, {&m.aiTitle, s.aiTitle}, {&m.project, s.project}, {&m.fallback, t.project},
	} {
		if *f.place == "" {
			*f.place = f.value
		}
	}
}

// emitSessions emits the sessions whose shares changed since the last call.
func (c *collection) emitSessions() error {
	if len(c.dirty) == 0 {
		return nil
	}
	ids := cursor.Keys(c.dirty)
	c.dirty, c.touched = make(map[string]bool), ""
	if !c.h.Wants("sessions") {
		return nil
	}
	sessions := make(map[string]*merged, len(ids))
	for _, id := range ids {
		sessions[id] = &merged{share: share{id: id, first: noTime, last: noTime}}
	}
	// The conversation's own transcript first, then its subagents', then others with
	// lines of it.
	for pass := range 3 {
		for _, t := range c.files.list {
			for i := range t.shares {
				s := &t.shares[i]
				if m := sessions[s.id]; m != nil && t.rank(s.id) == pass {
					m.add(t, s)
				}
			}
		}
	}
	for _, id := range ids {
		if err := c.emitSession(sessions[id]); err != nil {
			return err
		}
	}
	return nil
}

// rank orders the transcripts that contribute to a session.
func (t *transcript) rank(session string) int {
	switch {
	case t.session != session:
		return 2
	case t.subagent:
		return 1
	}
	return 0
}

func (c *collection) emitSession(m *merged) error {
	if m.fallback == "" {
		return nil // no transcript has a share of it: the record stays as it is
	}
	r := c.h.Record("sessions")
	r.String("id", m.id)
	r.String("project_path", m.fallback)
	r.StringOrNull("project_folder", m.project)
	r.StringOrNull("cwd", m.cwd)
	r.StringOrNull("git_branch", m.branch)
	r.StringOrNull("version", m.version)
	r.StringOrNull("started_at", formatTime(m.first))
	r.StringOrNull("last_event_at", formatTime(m.last))
	r.Int("message_count", m.count)
	r.StringOrNull("user_type", m.userType)
	r.StringOrNull("entrypoint", m.entry)
	r.StringOrNull("title", cmp.Or(m.title, m.aiTitle))
	return r.Emit()
}
