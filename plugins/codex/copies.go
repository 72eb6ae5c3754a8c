package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A rollout that was copied into another folder begins with the items of the other one of its session. They are the
// records of the one without an alias; those of the copy begin behind them. Which of two has no alias does not
// depend on the order in which runs met them, as far as no record's key would change for it: the longer one of
// those that go on from what was read, and of two that are as long the one whose path sorts first.

// inOrder sorts the rollouts by their names, those of one name by compareCopies.
func (r *run) inOrder() {
	slices.SortFunc(r.rollouts, func(a, b rolloutFile) int {
		return cmp.Or(strings.Compare(plainName(a.path), plainName(b.path)), compareCopies(&a, &b))
	})
}

// compareCopies orders rollouts of one session: that with the most bytes is first.
func compareCopies(a, b *rolloutFile) int {
	return cmp.Or(cmp.Compare(b.Size, a.Size), strings.Compare(a.path, b.path))
}

// takeOver gives the state of a rollout to a new one that has everything that was read of it, and comes before it, or
// to a copy of which no record is. The rollouts are in order.
func (r *run) takeOver() {
	for i := range r.rollouts {
		f := &r.rollouts[i]
		if s := r.after.files[f.path]; f.packed || s != nil && (!s.copied || s.messages+s.calls > 0) {
			continue
		}
		for j := i + 1; j < len(r.rollouts) && plainName(r.rollouts[j].path) == plainName(f.path); j++ {
			other := r.rollouts[j].path
			s := r.after.files[other]
			if s == nil || s.session == "" || s.alias != "" || s.packed > 0 || s.offset == 0 || s.offset > f.Size {
				continue
			}
			if head, tail, err := filecursor.Guards(f.root, f.name, s.offset); err == nil && head == s.head && tail == s.tail {
				r.after.files[f.path] = s.moved()
				delete(r.after.files, other)
				break
			}
		}
	}
}

// moved is the state of a rollout at another path.
func (s *rolloutState) moved() *rolloutState {
	next := *s
	next.dirty = true // its record names the path
	next.CTimeMS = 0  // the move changed it
	return &next
}

// copies prepares r for the items that a rollout with an alias has from the one without.
func (r *rollout) copies() {
	s := r.state
	if s.alias == "" || r.sibling == nil {
		return
	}
	if r.parent = r.sibling(r.path, s.session); r.parent != nil {
		s.copied, s.forkAt = true, 0
	}
}

// continueCopy reads again what the rollout is a copy of, if it may go on with it.
func (r *rollout) continueCopy() {
	s := r.state
	switch r.parent = nil; {
	case s.forkAt < 0:
	case s.copied && r.sibling != nil:
		r.parent = r.sibling(r.path, s.session)
	case !s.copied && r.originals != nil:
		r.parent = r.originals(s.forkedFrom)
	}
}

// sibling reads the items of the rollout without an alias that has the session of another one at path p, nil when
// there is none.
func (r *run) sibling(p, session string) []original {
	for i := range r.rollouts {
		f := &r.rollouts[i]
		if s := r.after.files[f.path]; f.path != p && s != nil && s.session == session && s.alias == "" {
			return itemsOf(f, nil)
		}
	}
	return nil
}

// itemsOf appends the items of a rollout that make records, as far as it can be read.
func itemsOf(f *rolloutFile, items []original) []original {
	var in filecursor.Scanner
	in.MaxLine, in.Whole = maxLineBytes, isWhole
	if in.OpenAt(f.root, f.name, 0) != nil {
		return items
	}
	one := rollout{}
	add := func(v jsonvalue.Value) {
		switch kind := v.Get("type"); {
		case kind.TextIs("response_item"):
			v = v.Get("payload")
		case v.Get("payload").Exists():
			return
		}
		if isRecord(v) {
			sum, fixed := one.print(v)
			items = append(items, original{sum, fixed})
		}
	}
	for in.Next() && len(items) < maxForkItems {
		if v, err := one.doc.Parse(in.Line()); err == nil && v.Kind() == jsonvalue.Object {
			add(v)
			continue
		}
		for s := jsonraw.NewSalvage(in.Line(), isLineOf(&one.doc)); s.Next(); {
			if v, err := one.doc.Parse(s.Object()); err == nil {
				add(v)
			}
		}
	}
	_, _ = in.Close() // the items read so far are all there are
	return items
}
