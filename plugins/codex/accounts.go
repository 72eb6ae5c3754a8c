package main

import "github.com/pdpp-host/pdpp-host/sdk/jsonvalue"

// account tells the host what became of each rollout (AC-02), also of those that have not changed.
func (r *run) account() {
	for i := range r.rollouts {
		f := &r.rollouts[i]
		switch s := r.after.files[f.path]; {
		case s == nil && f.size == 0:
			r.books.Read(f.granted, f.name) // Codex has begun it, and written nothing
		case s == nil:
			r.books.Known(f.granted, f.name, unreadable.Reason)
		case s.brokenBy != "":
			r.books.Damaged(f.granted, f.name, broken.Reason)
		case s.malformed > 0:
			r.books.Damaged(f.granted, f.name, malformed.Reason)
		case s.oversized > 0:
			r.books.Known(f.granted, f.name, tooLong.Reason)
		default:
			r.books.Read(f.granted, f.name)
			if s.packed == 0 && s.observed > s.offset && r.settled(f) {
				r.problem(torn, f.path)
			}
		}
	}
	switch r.threads.problem {
	case "":
		r.books.Read(rootHome, stateDB)
	case threadsUnreadable:
		r.books.Known(rootHome, stateDB, noThreads.Reason)
	}
}

// settledMS is for how long nobody writes to a rollout that ends within a line before the rest of
// the line is called missing: until then Codex may be about to write it.
const settledMS = 60 * 60 * 1000

func (r *run) settled(f *rolloutFile) bool { return r.h.Now().UnixMilli()-f.mtimeMS > settledMS }

// accountUnread tells the host of a file among the rollouts that is not read. One that is
// compressed beside its plain file has nothing that the plain one lacks.
func (r *run) accountUnread(f *rolloutFile, as fate) {
	switch as {
	case fateOld:
		r.books.Known(f.granted, f.name, oldRollout.Reason)
	case fateUnknown:
		r.books.Unknown(f.granted, f.name)
	default:
		r.books.Read(f.granted, f.name)
	}
}

// maxUnknown bounds how many unknown types are named.
const maxUnknown = 50

// strange counts an unknown type by its name, when it looks like one.
func (r *rollout) strange(what string, kind jsonvalue.Value) {
	name := "other"
	if k := kind.View(); k != "" && len(k) <= 64 {
		plain := true
		for i := range len(k) {
			c := k[i]
			plain = plain && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')
		}
		if plain {
			name = string([]byte(k)) // a copy: View shares the line's memory
		}
	}
	name = what + " " + name
	r.items.Unknown(name)
	if r.unknown == nil {
		r.unknown = map[string]bool{}
	}
	if len(r.unknown) < maxUnknown {
		r.unknown[name] = true
	}
}

func one(yes bool) int64 {
	if yes {
		return 1
	}
	return 0
}
