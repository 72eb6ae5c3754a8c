package main

import "github.com/pdpp-host/pdpp-host/sdk/filecursor"

// A record's key has the number of its line. Codex only ever appends to a rollout; where another version of one takes
// its place, as an older copy that is put back and goes on, lines of it may come in the place of others that were
// collected. That is told, until the earlier version is there, too: in another folder it is a copy, whose own lines
// have keys of their own.

// version is what was read of a rollout before another one took its place; the zero value is none.
type version struct {
	offset, lines int64
	head, tail    string // of filecursor.Guards
}

// isIn reports whether a rollout begins with the version.
func (v *version) isIn(f *rolloutFile) bool {
	head, tail, err := filecursor.Guards(f.root, f.name, v.offset)
	return err == nil && head == v.head && tail == v.tail
}

// remember notes in the state of a rollout that is read anew what was read of it before.
func (s *rolloutState) remember(before *rolloutState) {
	if before == nil {
		return
	}
	if s.was = before.was; before.session != "" && before.lines > s.was.lines {
		s.was = version{before.offset, before.lines, before.head, before.tail}
	}
	s.overwritten = before.overwritten
}

// compare finds out whether lines of a rollout came in the place of others. anew: it was read from its beginning.
// A shorter one is taken for the beginning of what was there, unless that began otherwise.
func (s *rolloutState) compare(f *rolloutFile, anew bool) {
	was := &s.was
	switch {
	case was.lines == 0:
	case s.offset >= was.offset && was.isIn(f):
		s.was, s.shared, s.overwritten = version{}, 0, s.overwritten && anew
	case anew && s.offset < was.offset && (s.offset < filecursor.GuardBytes || s.head == was.head):
		s.shared = s.lines
	case s.lines > s.shared:
		s.overwritten = true
	}
}

// restore takes back that lines of rollouts were overwritten whose earlier versions are in other files.
func (r *run) restore() {
	for p, s := range r.after.files {
		if !s.overwritten || s.was.lines == 0 {
			continue
		}
		for i := range r.rollouts {
			f := &r.rollouts[i]
			other := r.after.files[f.path]
			if f.path != p && other != nil && other.session == s.session && other.offset >= s.was.offset && s.was.isIn(f) {
				s.was, s.shared, s.overwritten = version{}, 0, false
				break
			}
		}
	}
}
