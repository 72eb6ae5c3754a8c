package wasmbin

const (
	// maxNesting bounds the nested blocks in a function. Go's compiler nests one for
	// each point at which a function can resume: 549 in the largest function of its
	// standard library that connectors link.
	maxNesting = 5000
	// An engine's compiler spends time on a block in proportion to the blocks around
	// it. Their sum over all blocks of a module is below one a byte in Go's output;
	// these numbers bound it.
	nestingBase    = 2000000
	nestingPerByte = 4
)

// CheckCode reads the code of module b, which Parse accepted, and refuses code that
// would overload an engine's compiler: blocks nested too deep or too often, and bytes
// that are not an instruction of WebAssembly 2.0. It takes time in proportion to the
// code, so it is called only before a compilation. Its error has the form of Parse's.
func CheckCode(b []byte) error {
	r := reader{b: b, at: len(preamble)}
	for r.err == nil && r.at < len(b) {
		id, body := r.byte(), r.bytes(r.u32())
		if r.err == nil && id == sectionCode {
			s := reader{b: body, base: r.at - len(body)}
			s.functions(nestingBase + nestingPerByte*len(b))
			r.err = s.err
		}
	}
	return invalid(r.err)
}

// functions reads the bodies of a code section. room bounds the sum, over all blocks,
// of the blocks around each.
func (r *reader) functions(room int) {
	for range r.count(maxFunctions) {
		body := r.bytes(r.u32())
		f := reader{b: body, base: r.base + r.at - len(body), err: r.err}
		for range f.count(maxLocals) {
			f.numbers(2)
		}
		for depth := 0; f.err == nil && f.at < len(f.b); {
			step := f.instruction()
			depth += step
			if step > 0 {
				room -= depth
			}
			if depth > maxNesting || room < 0 {
				f.fail("blocks are nested too deep")
			}
		}
		if r.err = f.err; r.err != nil {
			return
		}
	}
}

// Opcodes that open and close a block or have operands other than numbers.
const (
	opBlock        = 0x02
	opLoop         = 0x03
	opIf           = 0x04
	opEnd          = 0x0b
	opBranchTable  = 0x0e
	opCallIndirect = 0x11
	opSelectTyped  = 0x1c
	opF32Const     = 0x43
	opF64Const     = 0x44
	opPrefixBulk   = 0xfc // conversions, and operations on whole ranges
	opPrefixVector = 0xfd
)

// instruction skips one instruction and returns its change of the nesting depth. The
// numbers are those of the core specification 2.0, section 5.4.
func (r *reader) instruction() int {
	switch op := r.byte(); {
	case op == opEnd:
		return -1
	case op >= opBlock && op <= opIf:
		r.numbers(1)
		return 1
	case op == opBranchTable:
		r.numbers(int(r.count(uint32(len(r.b)))) + 1)
	case op == opSelectTyped:
		r.bytes(r.u32())
	case op == opF32Const:
		r.bytes(4)
	case op == opF64Const:
		r.bytes(8)
	case op == opPrefixBulk:
		r.bulk()
	case op == opPrefixVector:
		r.vector()
	case op >= 0x28 && op <= 0x3e, op == opCallIndirect: // loads and stores
		r.numbers(2)
	case op == 0x0c, op == 0x0d, op == 0x10, // branches and calls
		op >= 0x20 && op <= 0x26, // variables and tables
		op >= 0x3f && op <= 0x42, // the memory's size, whole constants
		op == 0xd0, op == 0xd2:   // references
		r.numbers(1)
	case op <= 0x01, op == 0x05, op == 0x0f, op == 0x1a, op == 0x1b, op >= 0x45 && op <= 0xc4, op == 0xd1:
	default:
		r.fail("0x%x is no instruction of WebAssembly 2.0", op)
	}
	return 0
}

func (r *reader) bulk() {
	switch op := r.u32(); {
	case op <= 7:
	case op == 8, op == 10, op == 12, op == 14:
		r.numbers(2)
	case op <= 17:
		r.numbers(1)
	default:
		r.fail("0xfc %d is no instruction of WebAssembly 2.0", op)
	}
}

func (r *reader) vector() {
	switch op := r.u32(); {
	case op <= 11, op == 92, op == 93:
		r.numbers(2)
	case op == 12, op == 13:
		r.bytes(16)
	case op >= 21 && op <= 34:
		r.byte()
	case op >= 84 && op <= 91:
		r.numbers(2)
		r.byte()
	case op > 255:
		r.fail("0xfd %d is no instruction of WebAssembly 2.0", op)
	}
}

// numbers skips n numbers in LEB128 of any width.
func (r *reader) numbers(n int) {
	for ; n > 0 && r.err == nil; n-- {
		for r.byte() >= 0x80 {
		}
	}
}
