package main

import (
	"io/fs"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// decide compares a rollout with the part read of it, and returns where the next line begins. It opens the
// file only when its stamp differs. A long one that has
// changed and has not grown may have other words in its midst, where no guard is.
func decide(f *rolloutFile, s *rolloutState) (plan filecursor.Plan, from int64, err error) {
	switch {
	case s == nil || f.Size < s.offset || s.reader < readerVersion:
		return filecursor.Rebuild, 0, nil
	case s.Same(f.Stamp):
		return filecursor.Skip, 0, nil
	case s.offset == 0, s.Size == f.Size && (s.MTimeMS == f.MTimeMS || s.offset > filecursor.GuardBytes): // another one has taken its place
		return filecursor.Rebuild, 0, nil
	}
	head, tail, err := filecursor.Guards(f.root, f.name, s.offset)
	if err != nil || head != s.head || tail != s.tail {
		return filecursor.Rebuild, 0, err
	}
	from, goesOn, err := filecursor.LineAfter(f.root, f.name, s.offset)
	if goesOn { // the last line read was not whole
		return filecursor.Rebuild, 0, err
	}
	return filecursor.Append, from, err
}

// packedStamp is the stamp of the compressed file.
func (s *rolloutState) packedStamp() files.Stamp {
	return files.Stamp{Size: s.packed, MTimeMS: s.MTimeMS, CTimeMS: s.CTimeMS}
}

// isWhole reports whether a last line without a line feed is nothing but whole objects: no byte can come to it
// that would be a part of them.
func isWhole(line []byte) bool {
	var doc jsonvalue.Doc
	if v, err := doc.Parse(line); err == nil {
		return v.Kind() == jsonvalue.Object
	}
	return jsonraw.OnlyObjects(line, isLineOf(&doc))
}

// unpack makes f the rollout that a compressed file has. known says that the file is as the
// last run read it, and what it has is not looked at.
func unpack(f *rolloutFile, s *rolloutState) (content rolloutFile, damage *zstd.Error, known bool, err error) {
	content = *f
	if s != nil && s.reader == readerVersion && s.packedStamp().Same(f.Stamp) {
		files.Learn(&s.Stamp, f.Stamp)
		return content, nil, true, nil
	}
	info, err := fs.Stat(f.root, f.name)
	if err != nil {
		return content, nil, false, err
	}
	content.Size = info.Size()
	return content, faultOf(f.root), false, nil
}

// file reads one rollout, as far as it is new. Only an error of the host ends the run.
func (r *run) file(f *rolloutFile) error {
	s := r.after.files[f.path]
	if !f.packed {
		return r.plain(f, s, &rolloutState{metaOffset: -1, forkAt: notForked})
	}
	content, damage, known, err := unpack(f, s)
	switch {
	case err != nil:
		r.problem(unreadable, f.path)
		return nil //nolint:nilerr // it is the file's fault, and reported
	case known:
		return nil
	}
	fresh := &rolloutState{metaOffset: -1, forkAt: notForked, packed: f.Size}
	if damage != nil {
		fresh.broken, fresh.brokenBy = damage.Offset, damage.Kind.Error()
	}
	return r.plain(&content, s, fresh)
}

// plain reads the lines of one rollout, as far as they are new. fresh has what the new state
// starts with.
func (r *run) plain(f *rolloutFile, s, fresh *rolloutState) error {
	plan, from, fault := decide(f, s)
	next := fresh
	switch {
	case fault == nil && plan == filecursor.Skip:
		// The same lines, though they may be packed otherwise.
		files.Learn(&s.Stamp, f.Stamp)
		s.packed, s.broken, s.brokenBy = fresh.packed, fresh.broken, fresh.brokenBy
		return nil
	case plan == filecursor.Append:
		copied := *s
		copied.offset, copied.packed, copied.broken, copied.brokenBy = from, fresh.packed, fresh.broken, fresh.brokenBy
		next = &copied
	default:
		next.remember(s)
	}
	if fault == nil {
		fault = r.roll.open(f, next)
	}
	var what filecursor.Result
	if fault == nil {
		err := r.read(f, next)
		if what, fault = r.roll.in.Close(); err != nil {
			return err
		}
		if r.roll.understood { // a file of something else has no items
			r.roll.items.KeptBack += r.roll.lost
		}
	}
	switch {
	case fault == nil && next.lines > 0 && what.Change != filecursor.Stable:
		r.problem(changed, f.path)
		return nil
	case fault == nil && !r.roll.understood:
		r.noSession(f, next)
		return nil
	case fault == nil:
		next.head, next.tail, fault = filecursor.Guards(f.root, f.name, next.offset)
	}
	if fault != nil {
		r.problem(unreadable, f.path)
		return nil //nolint:nilerr // it is the file's fault, and reported
	}
	next.compare(f, plan == filecursor.Rebuild)
	next.Stamp, next.reader = f.Stamp, readerVersion
	return r.storeState(f.path, next)
}

// noSession has the cursor know a rollout that no line of Codex's is in: one that is damaged, or ends
// within its first line, or is something else. A session begins with its first complete line.
func (r *run) noSession(f *rolloutFile, s *rolloutState) {
	if s.lines == 0 && f.Size == 0 && s.brokenBy == "" && s.packed == 0 {
		return
	}
	r.after.files[f.path] = &rolloutState{
		Stamp: f.Stamp, reader: readerVersion, metaOffset: -1, forkAt: notForked,
		packed: s.packed, broken: s.broken, brokenBy: s.brokenBy, was: s.was, overwritten: s.overwritten,
		strange: s.lines > 0 || s.brokenBy == "" && !filecursor.BeginsObject(f.root, f.name),
	}
}

// read walks the new lines of an open rollout, up to a fault of the file.
func (r *run) read(f *rolloutFile, s *rolloutState) error {
	from, begun := s.offset, s.offset
	for {
		more, err := r.roll.next()
		if err != nil {
			return err
		}
		if !more {
			break
		}
		if s.lines%256 == 0 {
			r.pace.Read(s.offset - from)
			from = s.offset
			if err := r.progress(s.offset - begun); err != nil {
				return err
			}
			if r.h.Stopping() {
				return sdk.ErrStopped
			}
			// No record is held back between two calls, so a large rollout may be cut.
			if r.pace.Due() && len(r.roll.pending.byID) == 0 {
				if err := r.cut(f, s); err != nil {
					return err
				}
			}
		}
	}
	if r.roll.in.Err() != nil {
		return nil //nolint:nilerr // Close returns it
	}
	r.pace.Read(s.offset - from)
	if err := r.roll.flush(); err != nil {
		return err
	}
	if s.session == "" {
		r.roll.name(r.roll.meta.id)
	}
	alone, has := slices.Index(s.unknown, unrepeated), s.messages > 0 || s.repeated > 0 || s.copied
	switch {
	case has && alone >= 0:
		s.unknown = slices.Delete(s.unknown, alone, alone+1)
	case !has && r.roll.heard > 0:
		r.roll.items.UnknownTimes(unrepeated, r.roll.heard)
		if alone < 0 {
			s.unknown = append(s.unknown, unrepeated)
		}
	}
	return nil
}

// cut makes a checkpoint in the middle of a rollout.
func (r *run) cut(f *rolloutFile, s *rolloutState) (err error) {
	part := *s
	if part.head, part.tail, err = filecursor.Guards(f.root, f.name, part.offset); err != nil || part.session == "" {
		return nil //nolint:nilerr // the walk itself will find out
	}
	part.Stamp, part.packed, part.reader = files.Stamp{Size: part.offset, MTimeMS: -1}, 0, readerVersion
	if err := r.storeState(f.path, &part); err != nil {
		return err
	}
	return r.checkpoint(f.path + " through line " + strconv.FormatInt(part.lines, 10))
}

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
