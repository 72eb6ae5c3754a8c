package main

import (
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
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
	s := r.state
	if s.forkAt < 0 {
		return false
	}
	sum, _ := r.print(v)
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
	for _, name := range [...]string{"call_id", "name", "arguments", "input", "action", "output"} {
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
	case "message", "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "function_call_output", "custom_tool_call_output":
		return true
	}
	return false
}
