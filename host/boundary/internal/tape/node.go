package tape

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of value. A member's name is a node of kind String.
const (
	Null Kind = iota
	False
	True
	Number
	String
	Array
	Object
)

// String returns the kind's JSON Schema type name.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "boolean", "number", "string", "array", "object"}[k]
}

type flags uint8

const (
	escaped  flags = 1 << iota // a string with an escape: decode before comparing
	nonASCII                   // a string with a byte above 0x7f
	fraction                   // a number with a fraction
	exponent                   // a number with an exponent
	vast                       // a number outside the host's arithmetic
)

// node is one value. start and end delimit its text, a string's quotes excluded. next
// is the index after its subtree. count is the number of elements or members of a
// container.
type node struct {
	start, end uint32
	next       uint32
	count      uint32
	kind       Kind
	flags      flags
}

// Root is the index of the outermost value.
const Root = 0

// Kind returns the kind of value i.
func (t *Tape) Kind(i int) Kind { return t.nodes[i].kind }

// Next returns the index of the value after i's subtree. The first child of a
// container i is i+1, and its last child ends at Next(i). An object's children
// alternate: name, value.
func (t *Tape) Next(i int) int { return int(t.nodes[i].next) }

// Count returns the number of elements or members of container i.
func (t *Tape) Count(i int) int { return int(t.nodes[i].count) }

// Nodes returns the number of nodes on the tape, names included.
func (t *Tape) Nodes() int { return len(t.nodes) }

// Vast reports whether any number of the text exceeds MaxNumberBytes or MaxExponent.
func (t *Tape) Vast() bool { return t.vast }

// IsVast reports whether value i is such a number.
func (t *Tape) IsVast(i int) bool { return t.nodes[i].flags&vast != 0 }

// Text returns value i's text, a part of the scanned source; a string's text includes
// its quotes.
func (t *Tape) Text(i int) []byte {
	n := &t.nodes[i]
	if n.kind == String {
		return t.src[n.start-1 : n.end+1]
	}
	return t.src[n.start:n.end]
}

// Integer reports whether number i is written without fraction and exponent.
func (t *Tape) Integer(i int) bool { return t.nodes[i].flags&(fraction|exponent) == 0 }

// HasExponent reports whether number i is written with an exponent.
func (t *Tape) HasExponent(i int) bool { return t.nodes[i].flags&exponent != 0 }

// Member returns the index of the value of the member called name of object i,
// or -1.
func (t *Tape) Member(i int, name string) int {
	for k, end := i+1, t.Next(i); k < end; k = t.Next(k + 1) {
		if t.Equal(k, name) {
			return k + 1
		}
	}
	return -1
}
