package jsonvalue

import (
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/swar"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// MaxValueDepth is how deep AppendJSON lets a value nest, its own bracket included: the
// depth that abi.MaxNesting leaves inside a record's data, less one.
const MaxValueDepth = abi.MaxNesting - 3

// AppendJSON appends the value as JSON that the host accepts, whatever the input was:
// on one line, in valid UTF-8, each object with distinct names (the first of equals
// stays), nested at most MaxValueDepth deep (an array or object below that becomes a
// string of its text, so that nothing is lost). Numbers keep their spelling. A missing
// value becomes null.
func (v Value) AppendJSON(dst []byte) []byte {
	switch {
	case !v.Exists():
		return append(dst, "null"...)
	case v.clean():
		return append(dst, v.Raw()...)
	}
	return v.rewrite(dst)
}

// nesting lists the ends of the containers around a node, outermost first.
type nesting struct {
	ends  [MaxValueDepth]uint32
	depth int
}

// leave drops the containers that end at or before node i.
func (o *nesting) leave(i uint32) (left int) {
	for o.depth > 0 && o.ends[o.depth-1] <= i {
		o.depth--
		left++
	}
	return left
}

// enter adds a container, and reports whether it may nest that deep.
func (o *nesting) enter(end uint32) bool {
	if o.depth == MaxValueDepth {
		return false
	}
	o.ends[o.depth] = end
	o.depth++
	return true
}

// clean reports whether Raw already satisfies the promise of AppendJSON.
func (v Value) clean() bool {
	nodes, end := v.d.nodes, v.node().next.at()
	var open nesting
	defer v.forget(v.mark())
	for i := v.i; i < end; i++ {
		open.leave(i)
		switch n := &nodes[i]; n.kind {
		case String:
			if n.flags&flagUnicode != 0 || n.flags&flagNonASCII != 0 && !utf8.Valid(n.source(v.d.src)) {
				return false
			}
		case Object, Array:
			if !open.enter(n.next.at()) || n.kind == Object && v.d.repeats(i, nil) {
				return false
			}
		}
	}
	k := v.node().kind
	return k != Object && k != Array || !swar.HasNewline(v.Raw())
}

// rewrite is AppendJSON for a value that is not clean.
func (v Value) rewrite(dst []byte) []byte {
	d, end := v.d, v.node().next.at()
	var open nesting
	var closers [MaxValueDepth]byte
	var again map[uint32]bool // names to leave out, by node
	for i := v.i; i < end; {
		for left := open.leave(i); left > 0; left-- {
			dst = append(dst, closers[open.depth+left-1])
		}
		if open.depth > 0 && closers[open.depth-1] == '}' {
			if again[i] {
				i = d.nodes[i+1].next.at()
				continue
			}
			mark := len(d.text)
			dst = jsonappend.Name(dst, Value{d, i}.View())
			d.text = d.text[:mark]
			i++
		} else if open.depth > 0 {
			dst = jsonappend.Elem(dst)
		}
		n := &d.nodes[i]
		switch {
		case n.kind == String:
			mark := len(d.text)
			dst = jsonappend.String(dst, Value{d, i}.View())
			d.text = d.text[:mark]
		case n.kind != Object && n.kind != Array:
			dst = append(dst, n.source(d.src)...)
		case !open.enter(n.next.at()):
			dst = jsonappend.Bytes(dst, n.source(d.src))
			i = n.next.at()
			continue
		case n.kind == Array:
			closers[open.depth-1] = ']'
			dst = append(dst, '[')
		default:
			closers[open.depth-1] = '}'
			dst = append(dst, '{')
			if d.repeats(i, nil) {
				if again == nil {
					again = make(map[uint32]bool)
				}
				d.repeats(i, again)
			}
		}
		i++
	}
	for ; open.depth > 0; open.depth-- {
		dst = append(dst, closers[open.depth-1])
	}
	return dst
}

// fewNames is up to how many members comparing all pairs is cheaper than a map.
const fewNames = 24

// repeats reports whether an object has two members of the same name, and
// marks in again, when it is given, every name node but the first of each.
func (d *Doc) repeats(object uint32, again map[uint32]bool) bool {
	end, found, count := d.nodes[object].next.at(), false, 0
	var names [fewNames]uint32
	var seen map[string]bool
	for i := object + 1; i < end; i = d.nodes[i+1].next.at() {
		repeated := false
		switch {
		case count < fewNames:
			for _, j := range names[:count] {
				if d.sameName(i, j) {
					repeated = true
					break
				}
			}
			names[count] = i
		default:
			if seen == nil {
				seen = make(map[string]bool)
				for _, j := range names[:] {
					seen[Value{d, j}.Str()] = true
				}
			}
			name := Value{d, i}.Str()
			repeated = seen[name]
			seen[name] = true
		}
		count++
		if !repeated {
			continue
		}
		found = true
		if again == nil {
			return true
		}
		again[i] = true
	}
	return found
}

// sameName compares the decoded texts of two name nodes.
func (d *Doc) sameName(i, j uint32) bool {
	a, b := &d.nodes[i], &d.nodes[j]
	if a.flags == 0 && b.flags == 0 {
		return string(a.source(d.src)) == string(b.source(d.src))
	}
	mark := len(d.text)
	same := Value{d, i}.View() == Value{d, j}.View()
	d.text = d.text[:mark]
	return same
}
