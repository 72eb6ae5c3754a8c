package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A session that is forked begins with a copy of its parent's items, in its own rollout. They are
// the parent's records; the fork's begin behind them. Codex copies a beginning of the parent, for
// some kinds of forks without calls or without the model's interim messages, so the copy ends at
// the first item that the parent has not next, with calls and the model's messages passed over
// on the way, and never a message of the person. Where the parent's rollout is gone, its
// items are the fork's, as nothing else has them.

// notForked is the place in its parent of a rollout that copies nothing more.
const notForked = -1

// maxForkItems bounds what is remembered of a parent: eight bytes an item.
const maxForkItems = 1 << 20

// original is one item of a parent.
type original struct {
	sum   uint64
	fixed bool // a copy has it, too, when it has anything behind it
}

// fork prepares r for the copy of another session's items, if the rollout may have one.
func (r *rollout) fork(parent string) {
	s := r.state
	if parent == "" || parent == s.session || s.forkedFrom != "" || r.originals == nil {
		return
	}
	if s.forkedFrom = parent; s.copied {
		return // the other rollout of the session has the parent's items, too
	}
	s.forkAt = 0
	if r.parent = r.originals(parent); r.parent == nil {
		s.forkAt = notForked
	}
}

// repeats reports whether an item is the copy of one of the parent's, or of the other rollout's of the session, which
// a copy has one by one.
func (r *rollout) repeats(v jsonvalue.Value) bool {
	if r.state.forkAt < 0 {
		return false
	}
	sum, _ := r.print(v)
	return r.isNext(sum)
}

// isNext reports whether an item with that fingerprint is the next one of the parent's.
func (r *rollout) isNext(sum uint64) bool {
	s := r.state
	for i := s.forkAt; i < int64(len(r.parent)); i++ {
		if r.parent[i].sum == sum {
			s.forkAt = i + 1
			s.repeated += one(!s.copied)
			return true
		}
		if s.copied || r.parent[i].fixed {
			break
		}
	}
	s.forkAt, r.parent = notForked, nil
	return false
}

// print is the fingerprint of what an item says, and whether it is a message of another than the
// model.
func (r *rollout) print(v jsonvalue.Value) (sum uint64, fixed bool) {
	r.text = append(r.text[:0], v.Get("type").View()...)
	role := v.Get("role").View()
	r.text = append(append(append(r.text, 0), role...), 0)
	if content := v.Get("content"); content.Exists() {
		r.text, _ = contentText(r.text, content, maxLineBytes, nil)
	}
	for _, name := range [...]string{"call_id", "name", "arguments", "input", "action", "output", "tools", "revised_prompt"} {
		r.text = append(r.text, 0)
		if m := v.Get(name); m.Exists() {
			r.text = m.AppendJSON(r.text)
		}
	}
	return fingerprint.Text(fingerprint.Start, r.text), v.Get("type").TextIs("message") && role != "assistant"
}

// originals reads the items of a session's rollout, nil when there is none.
func (r *run) originals(session string) (items []original) {
	for i := range r.rollouts {
		f := &r.rollouts[i]
		if s := r.after.files[f.path]; sessionFromName(f.path) != session && (s == nil || s.session != session) {
			continue
		}
		items = itemsOf(f, items)
	}
	return items
}

// isRecord reports whether an item makes a record, or belongs to one.
func isRecord(v jsonvalue.Value) bool {
	switch v.Get("type").View() {
	case "message", "agent_message", "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "function_call_output", "custom_tool_call_output",
		"tool_search_call", "tool_search_output", "image_generation_call":
		return true
	}
	return false
}

// A rollout that was copied into another folder begins with the items of the other one of its session. They are the
// records of the one without an alias; those of the copy begin behind them. Which of two has no alias does not
// depend on the order in which runs met them, as far as no record's key would change for it: the longer one of
// those that go on from what was read, and of two that are as long the one whose path sorts first.

// inOrder sorts the rollouts by the sessions that their names have, those of one session by compareCopies.
func (r *run) inOrder() {
	slices.SortFunc(r.rollouts, func(a, b rolloutFile) int {
		return cmp.Or(strings.Compare(sessionFromName(a.path), sessionFromName(b.path)), compareCopies(&a, &b))
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
		for j := i + 1; j < len(r.rollouts) && sessionFromName(r.rollouts[j].path) == sessionFromName(f.path); j++ {
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
		if v.Get("type").TextIs("response_item") {
			v = v.Get("payload")
		}
		if isRecord(v) && !v.Get("payload").Exists() {
			sum, fixed := one.print(v)
			items = append(items, original{sum, fixed})
			return
		}
		if form, text := saying(one.text[:0], v); form != "" {
			items = append(items, original{sumOf(form, text), false})
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
