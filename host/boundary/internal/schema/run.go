package schema

import "github.com/pdpp-host/pdpp-host/host/boundary/internal/tape"

// verdict is the shape's answer. Only yes is final.
type verdict uint8

const (
	yes verdict = iota
	no
	unsure
)

// runner holds one validation's state, so that it allocates nothing.
type runner struct {
	t       *tape.Tape
	work    int // visits left
	scratch []byte
	// The value and the keyword of the last no.
	failed  int
	keyword string
	missing string
}

func (r *runner) start(t *tape.Tape, sh *shape, i int) verdict {
	r.t, r.work = t, budgetBase+8*t.Nodes()
	r.failed, r.keyword, r.missing = i, "", ""
	v := r.check(sh, i)
	r.t = nil
	return v
}

func (r *runner) no(i int, keyword string) verdict {
	r.failed, r.keyword, r.missing = i, keyword, ""
	return no
}

func (r *runner) check(sh *shape, i int) verdict {
	if r.work--; r.work < 0 {
		return unsure
	}
	if sh.never {
		return r.no(i, "false")
	}
	kind := r.t.Kind(i)
	if sh.types != 0 && !sh.types.has(kind) {
		if kind != tape.Number || sh.types&integer == 0 {
			return r.no(i, "type")
		}
		switch integral(r.t, i) {
		case no:
			return r.no(i, "type")
		case unsure:
			return unsure
		}
	}
	for n, list := range sh.values {
		switch r.among(list, i) {
		case no:
			return r.no(i, sh.words[n])
		case unsure:
			return unsure
		}
	}
	if sh.ref != nil {
		if v := r.check(sh.ref, i); v != yes {
			return v
		}
	}
	for _, sub := range sh.allOf {
		if v := r.check(sub, i); v != yes {
			return v
		}
	}
	if len(sh.anyOf) > 0 {
		if v := r.any(sh.anyOf, i); v != yes {
			return v
		}
	}
	switch kind {
	case tape.Object:
		return r.object(sh, i)
	case tape.Array:
		return r.array(sh, i)
	case tape.String:
		return r.string(sh, i)
	case tape.Number:
		return r.number(sh, i)
	}
	return yes
}

func (r *runner) any(list []*shape, i int) verdict {
	answer := no
	for _, sub := range list {
		switch r.check(sub, i) {
		case yes:
			return yes
		case unsure:
			answer = unsure
		}
	}
	if answer == no {
		return r.no(i, "anyOf")
	}
	return unsure
}

func (r *runner) object(sh *shape, i int) verdict {
	t := r.t
	count := t.Count(i)
	if count < sh.minMembers {
		return r.no(i, "minProperties")
	}
	if count > sh.maxMembers {
		return r.no(i, "maxProperties")
	}
	if len(sh.members) == 0 && !sh.closed && sh.additional == nil {
		return yes
	}
	required, position := 0, 0
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k + 1) {
		m := r.member(sh, k, position)
		position++
		var sub *shape
		switch {
		case m != nil && m.declared:
			sub = m.shape
		case sh.closed:
			return r.no(i, "additionalProperties")
		default:
			sub = sh.additional
		}
		if m != nil && m.required {
			required++
		}
		if sub != nil {
			if v := r.check(sub, k+1); v != yes {
				return v
			}
		}
	}
	if required < sh.required { // the tape contains no name twice
		return r.lacking(sh, i)
	}
	return yes
}

// member returns the shape's member for the name k, or nil. A guest's records have the
// same order of names, so the position usually suffices.
func (r *runner) member(sh *shape, k, position int) *member {
	name, plain := r.t.Plain(k)
	if !plain {
		r.scratch = append(r.scratch[:0], r.t.Bytes(k, r.scratch[:0])...)
		name = r.scratch
	}
	if position < len(sh.guess) {
		if g := sh.guess[position]; g >= 0 && sh.members[g].name == string(name) {
			return &sh.members[g]
		}
	}
	g, ok := sh.index[string(name)]
	if !ok {
		return nil
	}
	if position < len(sh.guess) {
		sh.guess[position] = g
	}
	return &sh.members[g]
}

func (r *runner) lacking(sh *shape, i int) verdict {
	for m := range sh.members {
		if sh.members[m].required && r.t.Member(i, sh.members[m].name) < 0 {
			r.no(i, "required")
			r.missing = sh.members[m].name
			break
		}
	}
	return no
}

func (r *runner) array(sh *shape, i int) verdict {
	t := r.t
	count := t.Count(i)
	if count < sh.minItems {
		return r.no(i, "minItems")
	}
	if count > sh.maxItems {
		return r.no(i, "maxItems")
	}
	if sh.items == nil && len(sh.prefix) == 0 {
		return yes
	}
	position := 0
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k) {
		sub := sh.items
		if position < len(sh.prefix) {
			sub = sh.prefix[position]
		}
		position++
		if sub == nil {
			return yes // past the prefix, and items is absent
		}
		if v := r.check(sub, k); v != yes {
			return v
		}
	}
	return yes
}

func (r *runner) string(sh *shape, i int) verdict {
	if sh.minRunes > 0 || sh.maxRunes != unbounded {
		runes := r.t.Runes(i)
		if runes < sh.minRunes {
			return r.no(i, "minLength")
		}
		if runes > sh.maxRunes {
			return r.no(i, "maxLength")
		}
	}
	if sh.format == nil {
		return yes
	}
	text, plain := r.t.Plain(i)
	if !plain {
		r.scratch = append(r.scratch[:0], r.t.Bytes(i, r.scratch[:0])...)
		text = r.scratch
	}
	if !sh.format(text) {
		return unsure
	}
	return yes
}
