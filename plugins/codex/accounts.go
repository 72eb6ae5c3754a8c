package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// account tells the host what became of each rollout (AC-02), also of those that have not changed.
func (r *run) account() {
	r.restore()
	for i := range r.rollouts {
		r.accountRead(&r.rollouts[i])
	}
	r.accountThreads()
}

func (r *run) accountRead(f *rolloutFile) {
	s := r.after.files[f.path]
	if r.isEmpty(f, s) {
		r.places.Note(emptyRollout, f.path, "")
	}
	if s != nil && s.copied {
		r.places.Note(copied, f.path, "")
	}
	if s != nil && s.overwritten {
		r.problem(rewritten, f.path)
	}
	open := s != nil && !s.strange && s.brokenBy == "" && s.Size > s.offset
	cut := open && r.torn(f, s)
	switch {
	case cut:
		r.problem(torn, f.path)
	case open:
		r.places.Note(begun, f.path, streamMessages)
	}
	switch {
	case s == nil && f.Size == 0:
		r.books.Read(f.granted, f.name) // Codex has begun it, and written nothing
	case s == nil:
		r.books.Known(f.granted, f.name, unreadable.Reason)
	case s.strange:
		r.books.Unknown(f.granted, f.name)
		r.problem(notUnderstood, f.path)
		r.fates[fateUnknown]++
	case s.brokenBy != "":
		r.books.Damaged(f.granted, f.name, broken.Reason)
	case s.malformed > 0:
		r.books.Damaged(f.granted, f.name, malformed.Reason)
	case cut:
		r.books.Damaged(f.granted, f.name, torn.Reason)
	case s.overwritten:
		r.books.Known(f.granted, f.name, rewritten.Reason)
	case len(s.unknown) > 0:
		r.books.Known(f.granted, f.name, unknownType.Reason)
	case s.oversized > 0:
		r.books.Known(f.granted, f.name, tooLong.Reason)
	case s.cut > 0:
		r.books.Beginning(f.granted, f.name, "long_texts")
	default:
		r.books.Read(f.granted, f.name)
	}
}

// settledMS is for how long nobody writes to a rollout that ends within a line before the rest of
// the line is called missing: until then Codex may be about to write it.
const settledMS = 60 * 60 * 1000

// torn reports whether nobody is writing the line within which a rollout ends: Codex compresses what is
// whole, and a line that the run before met as it is was cut off. The time alone does not show that,
// since a copy may have the time at which it was made.
func (r *run) torn(f *rolloutFile, s *rolloutState) bool {
	before := r.before.files[f.path]
	met := before != nil && before.Same(s.Stamp)
	return met || s.packed > 0 || r.h.Now().UnixMilli()-f.MTimeMS > settledMS
}

// isEmpty reports whether nothing was ever written to a rollout, and nobody is about to.
func (r *run) isEmpty(f *rolloutFile, s *rolloutState) bool {
	if s == nil {
		return f.Size == 0 && r.h.Now().UnixMilli()-f.MTimeMS > settledMS
	}
	return s.packed > 0 && s.Size == 0 && s.brokenBy == ""
}

// ruleTwice is the rule of the manifest by which the shorter one of a plain and a compressed rollout is passed over.
const ruleTwice = "repeated_sessions"

// accountUnread tells the host of a file among the rollouts that is not read.
func (r *run) accountUnread(f *rolloutFile, as fate) {
	switch as {
	case fateTwice:
		r.books.Rule(f.granted, f.name, ruleTwice)
	case fateBroken:
		r.books.Damaged(f.granted, f.name, broken.Reason)
	case fateOld:
		r.books.Known(f.granted, f.name, oldRollout.Reason)
	case fateUnknown:
		r.books.Unknown(f.granted, f.name)
	default:
		r.books.Read(f.granted, f.name)
	}
}

// halfCharacter is told of texts with an escape that is half of a surrogate pair: it is no character.
const halfCharacter = "half of a character"

// noTime is told of times that no calendar has, or that are no texts.
const noTime = "timestamp that is no time"

// maxUnknown bounds how many unknown types are named.
const maxUnknown = 50

// strange counts an unknown type among the items of a stream, by its name when it looks like one.
func (r *rollout) strange(items *accounts.Items, what string, kind jsonvalue.Value) {
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
	items.Unknown(name)
	// The text of a part is collected, and an event repeats items.
	if s := r.state; what != "part" && what != "event" {
		if len(s.unknown) < maxUnknownOfOne && !slices.Contains(s.unknown, name) {
			s.unknown = append(s.unknown, name)
		}
		return
	}
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
