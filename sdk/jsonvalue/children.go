package jsonvalue

// Get returns the last member named name of an object, as JSON.parse does, and the zero Value
// when there is none or the value is not an object. It walks the members: linear in their
// number, not in their size.
func (v Value) Get(name string) Value {
	if v.Kind() != Object {
		return Value{}
	}
	nodes, src, end := v.d.nodes, v.d.src, v.node().next.at()
	found := Value{}
	for i := v.i + 1; i < end; i = nodes[i+1].next.at() {
		key := &nodes[i]
		if key.flags == 0 {
			if string(key.source(src)) == name {
				found = Value{v.d, i + 1}
			}
		} else if (Value{v.d, i}).TextIs(name) {
			found = Value{v.d, i + 1}
		}
	}
	return found
}

// Len returns how many elements an array or members an object has, 0 for any
// other kind. It counts them: use Children to walk.
func (v Value) Len() int {
	n := 0
	for it := v.Children(); it.Next(); {
		n++
	}
	return n
}

// At returns element i of an array, or the value of member i of an object,
// counted from 0, and the zero Value outside. It walks there: use Children to
// visit them all.
func (v Value) At(i int) Value {
	for it := v.Children(); it.Next(); i-- {
		if i == 0 {
			return it.Value()
		}
	}
	return Value{}
}

// Iter walks the children of one value. Its zero value has none.
type Iter struct {
	d         *Doc
	at, after uint32 // the current child, the next one
	end       uint32
	named     bool
}

// Children returns an Iter over an array's elements or an object's members, in
// the order of the text:
//
//	for it := v.Children(); it.Next(); {
//		use(it.Name(), it.Value())
//	}
func (v Value) Children() Iter {
	k := v.Kind()
	if k != Array && k != Object {
		return Iter{}
	}
	return Iter{d: v.d, after: v.i + 1, end: v.node().next.at(), named: k == Object}
}

// Next goes to the next child and reports whether there is one.
func (it *Iter) Next() bool {
	if it.after >= it.end {
		return false
	}
	it.at = it.after
	if it.named {
		it.at++
	}
	it.after = it.d.nodes[it.at].next.at()
	return true
}

// Value returns the current child. It may be called after Next returned true.
func (it *Iter) Value() Value { return Value{it.d, it.at} }

// Name returns the current member's name as a string Value, the zero Value in
// an array.
func (it *Iter) Name() Value {
	if !it.named {
		return Value{}
	}
	return Value{it.d, it.at - 1}
}
