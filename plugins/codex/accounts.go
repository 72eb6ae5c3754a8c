package main

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
	for name := range r.roll.unknown {
		r.books.Items(streamMessages).Unknown(name)
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
