package main

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
)

// The streams.
const (
	streamSessions  = "sessions"
	streamMessages  = "messages"
	streamCalls     = "function_calls"
	streamRules     = "rules"
	streamPrompts   = "prompts"
	streamSkills    = "skills"
	streamHistory   = "history"
	streamIndex     = "session_index"
	streamSnapshots = "shell_snapshots"
	streamConfig    = "config_inventory"
	streamCache     = "cache_inventory"
	streamCoverage  = "coverage_diagnostics"
)

// A slice is at least sliceBytes, and sliceShare bytes for each byte of cursor: a large
// cursor costs more than it saves.
const (
	sliceBytes = 16 << 20
	sliceShare = 16
)

// run is one collection.
type run struct {
	h             *sdk.Host
	home          fs.FS
	list          *listing
	before, after *cursor
	readOnly      bool // the run collects less than the cursor covers: it may not move it
	threads       *threads
	roll          rollout
	bySession     map[string][]string // session -> paths of its rollouts
	emitted       map[string]bool     // sessions of this run

	total, done, since, encoded, slice int64
	dropped                            int
	problems                           map[string][]string
}

func newRun(h *sdk.Host, slice int64) (*run, error) {
	home, ok := h.Root("codex")
	if !ok {
		return nil, &sdk.Failure{Code: "codex_home_missing", Message: "the folder of Codex was not granted", Hint: "manual_action_required"}
	}
	if _, err := fs.ReadDir(home, "."); err != nil {
		return nil, &sdk.Failure{Code: "codex_home_unreadable", Message: "the folder of Codex cannot be read", Retryable: true,
			Hint: "manual_action_required", Err: err}
	}
	r := &run{
		h: h, home: home, slice: slice, before: newCursor(),
		bySession: map[string][]string{}, emitted: map[string]bool{}, problems: map[string][]string{}, threads: &threads{problem: threadsMissing},
	}
	if r.slice <= 0 {
		r.slice = sliceBytes
	}
	return r, nil
}

func (r *run) collect() error {
	if r.h.Wants(streamSessions) || r.h.Wants(streamMessages) || r.h.Wants(streamCalls) {
		if err := r.rollouts(); err != nil {
			return err
		}
	}
	for _, part := range [...]func() error{r.rules, r.prompts, r.skills, r.inventories, r.coverage, r.report} {
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// readCursor reads the cursor. It covers sessions, messages and calls together, so its use
// depends on which of them the run collects.
func (r *run) readCursor() {
	if r.h.Wants(streamSessions) {
		r.before = decodeCursor(r.h.Cursor(streamSessions))
	}
	messages, calls := r.h.Wants(streamMessages), r.h.Wants(streamCalls)
	r.after = newCursor()
	r.after.messages, r.after.calls = messages, calls
	for id, p := range r.before.threads {
		r.after.threads[id] = p
	}
	b := r.before
	if messages && !b.messages || calls && !b.calls {
		b.files = map[string]*rolloutState{} // it never covered a stream of this run
	}
	r.readOnly = len(b.files) > 0 && (b.messages && !messages || b.calls && !calls)
	r.roll.messages, r.roll.calls, r.roll.assign = r.h.Record(streamMessages), r.h.Record(streamCalls), r.assign
	r.list = list(r.h, r.home)
	r.carry()
}

// carry copies the states of the rollouts that are there, or may be. One that
// moved, as archiving does, keeps its state.
func (r *run) carry() {
	present, moved := map[string]bool{}, map[string]string{}
	for _, f := range r.list.files {
		present[f.path] = true
		r.total += f.size
	}
	for p, s := range r.before.files {
		if present[p] || r.list.hides(p) {
			r.after.files[p] = s
		} else {
			moved[path.Base(p)] = p
		}
	}
	for _, f := range r.list.files {
		if old, ok := moved[path.Base(f.path)]; ok && r.after.files[f.path] == nil {
			s := *r.before.files[old]
			s.dirty = true // its record names the path
			r.after.files[f.path] = &s
		}
	}
	for _, p := range sortedKeys(r.after.files) {
		id := r.after.files[p].session
		r.bySession[id] = append(r.bySession[id], p)
	}
}

// hides reports whether p may exist although the listing lacks it.
func (l *listing) hides(p string) bool {
	for _, f := range l.failed {
		if p == f || strings.HasPrefix(p, f+"/") {
			return true
		}
	}
	return l.tooMany
}

func (r *run) rollouts() error {
	r.readCursor()
	if r.h.Wants(streamSessions) {
		r.threads = openThreads(r.home)
		defer r.threads.close()
	}
	for i := range r.list.files {
		f := &r.list.files[i]
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := r.file(f); err != nil {
			return err
		}
		r.done += f.size
		if err := r.progress(0); err != nil {
			return err
		}
		if r.due() {
			if err := r.checkpoint("through " + f.path); err != nil {
				return err
			}
		}
	}
	if err := r.remaining(); err != nil {
		return err
	}
	return r.checkpoint("")
}

func (r *run) progress(within int64) error {
	return r.h.Progress("reading sessions", r.done+within, r.total, "bytes")
}

func (r *run) due() bool { return r.since >= max(r.slice, sliceShare*r.encoded) }

// checkpoint sends the cursor: of a slice when it has a name, else the last.
func (r *run) checkpoint(slice string) error {
	r.since = 0
	if r.readOnly || !r.h.Wants(streamSessions) {
		return nil
	}
	state, dropped := r.after.encode(maxCursorBytes)
	r.encoded, r.dropped = int64(len(state)), dropped
	if slice != "" {
		return r.h.Slice(streamSessions, slice, state)
	}
	return r.h.State(streamSessions, state)
}
