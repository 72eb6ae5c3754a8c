package main

import (
	"cmp"
	"io/fs"
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
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

// The names of the granted roots.
const (
	rootHome     = "codex"
	rootSessions = "sessions"
)

// sliceBytes is how much is read between two checkpoints at least.
const sliceBytes = 16 << 20

// run is one collection.
type run struct {
	h             *sdk.Host
	home          fs.FS
	present       map[string]bool // entries of the home folder
	rollouts      []rolloutFile   // by path
	folders       map[string]*files.Listing
	fates         [fateUnknown + 1]int64
	full          bool // there are more rollouts than one run reads
	before, after *state
	readOnly      bool // the run collects less than the cursor covers: it may not move it
	threads       *threads
	maxThreads    int
	maxRules      int
	unnamed       []unnamed
	looked        int // how many of them were looked into
	roll          rollout
	bySession     map[string][]string // session -> paths of its rollouts
	emitted       map[string]bool     // sessions of this run
	places        *problems.Places
	books         *accounts.Books

	total, done int64
	pace        cursor.Pace
}

func newRun(h *sdk.Host, slice int64) (*run, error) {
	home, ok := h.Root(rootHome)
	if !ok {
		return nil, &sdk.Failure{Code: "codex_home_missing", Message: "the folder of Codex was not granted", Hint: "manual_action_required"}
	}
	entries, err := fs.ReadDir(home, ".")
	if err != nil {
		return nil, &sdk.Failure{Code: "codex_home_unreadable", Message: "the folder of Codex cannot be read", Retryable: true,
			Hint: "manual_action_required", Err: err}
	}
	r := &run{
		h: h, home: home, pace: cursor.Pace{Every: cmp.Or(slice, sliceBytes)}, before: newState(), after: newState(), present: map[string]bool{}, folders: map[string]*files.Listing{},
		bySession: map[string][]string{}, emitted: map[string]bool{}, threads: &threads{problem: threadsMissing},
		places: problems.NewPlaces(h, kinds...), books: accounts.Open(h),
	}
	for _, e := range entries {
		r.present[e.Name()] = true
	}
	for _, stream := range [...]string{streamRules, streamPrompts, streamSkills} {
		r.books.Items(stream)
	}
	return r, nil
}

func (r *run) collect() error {
	if r.h.Wants(streamSessions) || r.h.Wants(streamMessages) || r.h.Wants(streamCalls) {
		if err := r.sessions(); err != nil {
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
		r.before = readState(r.h.Cursor(streamSessions))
	}
	b := r.before
	for _, stream := range [...]string{streamMessages, streamCalls} {
		if r.h.Wants(stream) {
			r.after.covers = append(r.after.covers, stream)
			if !slices.Contains(b.covers, stream) {
				b.files = map[string]*rolloutState{} // it never covered a stream of this run
			}
		}
	}
	r.readOnly = len(b.files) > 0 && len(b.covers) > len(r.after.covers)
	for id, p := range b.threads {
		r.after.threads[id] = p
	}
	r.roll.messages, r.roll.calls, r.roll.assign = r.h.Record(streamMessages), r.h.Record(streamCalls), r.assign
	r.roll.originals, r.roll.sibling = r.originals, r.sibling
	r.roll.items, r.roll.callItems = r.books.Items(streamMessages), r.books.Items(streamCalls)
	// A folder granted as root "sessions" replaces the one below the home folder.
	r.listRollouts(r.home, rootHome, "archived_sessions", "archived_sessions")
	if sessions, ok := r.h.Root(rootSessions); ok {
		r.listRollouts(sessions, rootSessions, ".", "sessions")
	} else {
		r.listRollouts(r.home, rootHome, "sessions", "sessions")
	}
	r.takeUnnamed()
	r.inOrder()
	r.carry()
}

// carry copies the states of the rollouts that are there, or may be. One that
// moved, as archiving does, or was compressed or unpacked, keeps its state.
func (r *run) carry() {
	present, moved := map[string]bool{}, map[string]string{}
	for _, f := range r.rollouts {
		present[f.path] = true
	}
	for p, s := range r.before.files {
		if present[p] || r.hides(p) {
			r.after.files[p] = s
		} else {
			moved[plainName(p)] = p
		}
	}
	for _, f := range r.rollouts {
		if old, ok := moved[plainName(f.path)]; ok && r.after.files[f.path] == nil {
			r.after.files[f.path] = r.before.files[old].moved()
		}
	}
	r.takeOver()
	for _, p := range cursor.Keys(r.after.files) {
		id := r.after.files[p].session
		r.bySession[id] = append(r.bySession[id], p)
	}
}

// sessions collects the rollouts and the sessions that they are of.
func (r *run) sessions() error {
	r.readCursor()
	if r.h.Wants(streamSessions) {
		r.threads = openThreads(r.home, r.maxThreads)
		defer r.threads.close()
	}
	for i := range r.rollouts {
		f := &r.rollouts[i]
		if r.h.Stopping() {
			return sdk.ErrStopped
		}
		if err := r.file(f); err != nil {
			return err
		}
		r.done += f.Size
		if err := r.progress(0); err != nil {
			return err
		}
		if r.pace.Due() {
			if err := r.checkpoint("through " + f.path); err != nil {
				return err
			}
		}
	}
	if err := r.remaining(); err != nil {
		return err
	}
	r.account()
	return r.checkpoint("")
}

func (r *run) progress(within int64) error {
	return r.h.Progress("reading sessions", r.done+within, r.total, "bytes")
}

// checkpoint sends the cursor: of a slice when it has a name, else the last.
func (r *run) checkpoint(slice string) error {
	r.pace.Wrote(0)
	if r.readOnly || !r.h.Wants(streamSessions) {
		return nil
	}
	state := r.after.encode()
	r.pace.Wrote(len(state))
	if slice != "" {
		return r.h.Slice(streamSessions, slice, state)
	}
	return r.h.State(streamSessions, state)
}
