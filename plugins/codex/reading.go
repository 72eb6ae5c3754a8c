package main

import (
	"io/fs"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// file reads one rollout, as far as it is new.
func (r *run) file(f *rolloutFile) error {
	s := r.after.files[f.path]
	p, err := decide(f, s)
	if err != nil {
		r.problem(problemUnreadable, f.path)
		return nil
	}
	next := &rolloutState{metaOffset: -1}
	switch {
	case p == planSkip:
		return nil
	case p == planAppend:
		*next = *s
	}
	file, err := r.roll.open(f, next)
	if err != nil {
		r.problem(problemUnreadable, f.path)
		return nil
	}
	defer file.Close()
	readErr, err := r.read(f, next)
	if err != nil {
		return err
	}
	if readErr == nil && next.lines == 0 {
		return nil // a session begins with its first complete line
	}
	if readErr == nil {
		next.head, next.tail, readErr = guards(file, next.offset)
	}
	if readErr != nil {
		r.problem(problemUnreadable, f.path)
		return nil
	}
	if info, err := fs.Stat(f.root, f.name); err != nil || info.Size() < next.offset {
		r.problem(problemChanged, f.path)
		return nil
	}
	next.guard, next.observed, next.mtimeMS = min(next.offset, guardBytes), f.size, f.mtimeMS
	return r.storeState(f.path, next)
}

// read walks the new lines of an open rollout. readErr is the file's, err the
// host's.
func (r *run) read(f *rolloutFile, s *rolloutState) (readErr, err error) {
	from, begun := s.offset, s.offset
	for {
		more, err := r.roll.next()
		if err != nil && r.roll.in.err != nil {
			return err, nil
		}
		if err != nil {
			return nil, err
		}
		if !more {
			break
		}
		if s.lines%256 == 0 {
			r.since += s.offset - from
			from = s.offset
			if err := r.progress(s.offset - begun); err != nil {
				return nil, err
			}
			if r.h.Stopping() {
				return nil, sdk.ErrStopped
			}
			// No record is held back between two calls, so a large rollout may be cut.
			if r.due() && r.roll.pending.live == 0 {
				if err := r.cut(f, s); err != nil {
					return nil, err
				}
			}
		}
	}
	r.since += s.offset - from
	if err := r.roll.flush(); err != nil {
		return nil, err
	}
	if s.session == "" {
		r.roll.name(r.roll.meta.id)
	}
	return nil, nil
}

// cut makes a checkpoint in the middle of a rollout.
func (r *run) cut(f *rolloutFile, s *rolloutState) error {
	file, err := f.root.Open(f.name)
	if err != nil {
		return nil // the walk itself will find out
	}
	defer file.Close()
	part := *s
	if part.head, part.tail, err = guards(file, part.offset); err != nil || part.session == "" {
		return nil
	}
	part.guard, part.observed, part.mtimeMS = min(part.offset, guardBytes), part.offset, -1
	if err := r.storeState(f.path, &part); err != nil {
		return err
	}
	return r.checkpoint(f.path + " through line " + strconv.FormatInt(part.lines, 10))
}
