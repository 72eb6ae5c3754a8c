// Package cursor keeps a stream's cursor as a Go value.
//
// A connector describes the members of its cursor once, in a method that both reading and
// writing call:
//
//	type place struct {
//		newest int64
//		next   string
//	}
//
//	func (p *place) Members(m *cursor.Members) {
//		m.Int("newest_ms", &p.newest)
//		m.Text("next", &p.next)
//	}
//
// A cursor names its version. One of another version is forgotten, so the next run begins
// as a first one: raise the version when a member changes its meaning or when records are
// built in another way. Members that are zero are left out, lists and maps have a bound, and
// a map is written in the order of its keys, so that equal values are equal bytes.
//
// In and out: JSON objects, at most abi.MaxStateBytes. Not here: where the cursor is kept,
// which is the host's.
package cursor
