package jsonstream

// element is what was met of the element of the outermost array that the walk is inside.
type element struct {
	name    string // its first member's; "" for one without
	reached uint32 // the paths whose value, or whose array of values, it has, as bits
}

// elements tells of those of the outermost array.
type elements struct {
	element element
	ended   func(first string, reached uint32)
}

// Ended has f called behind each element of the outermost array that no path ends at, with the name of the
// element's first member, "" for one without, and the paths that lead somewhere in it, as bits: to a value, or
// to an array where a path ends with "*". An element that a fault ended is left out. Next calls f, before it
// has the next value.
func (r *Reader) Ended(f func(first string, reached uint32)) { r.ended = f }

// into goes into the container at hand, which begins with c.
func (r *Reader) into(c byte, paths uint32) {
	depth := len(r.open)
	if depth == 1 {
		r.element = element{}
	}
	for i, p := range r.paths {
		if paths>>i&1 == 1 && c == '[' && len(p) == depth+1 && p[depth] == "*" {
			r.element.reached |= 1 << i
		}
	}
	r.sought = false
	r.pass()
	r.open = append(r.open, container{object: c == '{', paths: paths})
	r.root = r.open[0]
}

// leave leaves the innermost container.
func (r *Reader) leave() {
	r.pass()
	if r.open = r.open[:len(r.open)-1]; r.inOutermost() {
		r.ended(r.element.name, r.element.reached)
	}
}

// passed notes a value into which no path leads, and which was passed whole.
func (r *Reader) passed() {
	if r.inOutermost() {
		r.ended("", 0)
	}
}

// inOutermost reports whether the walk stands right in the outermost array, and its elements are told of.
func (r *Reader) inOutermost() bool { return r.ended != nil && len(r.open) == 1 && !r.open[0].object }
