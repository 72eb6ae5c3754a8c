package main

import (
	"path"
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// storeState puts a rollout's new state into the cursor and emits its session.
func (r *run) storeState(p string, s *rolloutState) error {
	r.after.files[p] = s
	if !slices.Contains(r.bySession[s.session], p) {
		r.bySession[s.session] = append(r.bySession[s.session], p)
	}
	done, err := r.session(s.session, &r.roll.meta)
	if err != nil {
		return err
	}
	r.markSession(s.session, done)
	return nil
}

// markSession notes whether a session's record is as new as its rollouts.
func (r *run) markSession(id string, done bool) {
	r.emitted[id] = r.emitted[id] || done
	for _, p := range r.bySession[id] {
		if s := r.after.files[p]; s != nil && s.session == id {
			s.dirty = !done
		}
	}
}

// assign gives a rollout an alias when another one already counts lines for its
// session: two files with one session must not share record ids. A name that two folders have
// makes one alias, so the path makes that of the second.
func (r *run) assign(p string, s *rolloutState) {
	for _, name := range [...]string{"", path.Base(p), p} {
		alias := ""
		if name != "" {
			sum := sha256.Sum256([]byte(name))
			alias = sha256.Hex(sum[:4])
		}
		if s.alias = alias; !r.taken(p, s) {
			return
		}
	}
}

// taken reports whether another rollout has the session and the alias of one.
func (r *run) taken(p string, s *rolloutState) bool {
	return slices.ContainsFunc(r.bySession[s.session], func(other string) bool {
		o := r.after.files[other]
		return other != p && o != nil && o.session == s.session && o.alias == s.alias
	})
}

// remaining emits the sessions whose rollouts did not change: those whose row of
// threads did, those that have no rollout, and those left over.
func (r *run) remaining() error {
	r.besideThreads()
	if r.threads.problem == threadsUnreadable && len(r.threads.rows) == 0 {
		return nil // each session waits for its row
	}
	want := map[string]bool{}
	for id, ref := range r.threads.rows {
		if old, ok := r.before.threads[id]; !ok || old != ref.print {
			want[id] = true
		}
	}
	for _, s := range r.after.files {
		if s.dirty && s.session != "" {
			want[s.session] = true
		}
	}
	for i, id := range cursor.Keys(want) {
		if r.emitted[id] {
			continue
		}
		if i%64 == 0 && r.h.Stopping() {
			return sdk.ErrStopped
		}
		done, err := r.session(id, r.metaOf(id))
		if err != nil {
			return err
		}
		r.markSession(id, done)
	}
	return nil
}

// metaOf reads a session's meta from its rollout; empty without one.
func (r *run) metaOf(id string) *meta {
	for _, p := range r.bySession[id] {
		s := r.after.files[p]
		if s == nil || s.session != id || s.metaOffset < 0 {
			continue
		}
		for i := range r.rollouts {
			copied := *s
			if f := &r.rollouts[i]; f.path == p && r.roll.open(f, &copied) == nil {
				_, _ = r.roll.in.Close() // nothing more is read
				return &r.roll.meta
			}
		}
	}
	return &meta{}
}
