package assembly

import (
	"bytes"

	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

// Instructions of one byte or a few.
var (
	Unreachable = []byte{0x00}
	Drop        = []byte{0x1a}
	Add         = []byte{0x6a}
	Sub         = []byte{0x6b}
	And         = []byte{0x71}
	Load8       = []byte{0x2d, 0, 0} // unsigned
	Store8      = []byte{0x3a, 0, 0}
	MemoryGrow  = []byte{0x40, 0}
	Zero        = I32(0)
)

// I32 pushes a constant.
func I32(v int64) []byte { return append([]byte{0x41}, binary.Signed(v)...) }

// Local pushes local or parameter n.
func Local(n int) []byte { return append([]byte{0x20}, binary.Unsigned(uint64(n))...) }

// Code is one instruction after another.
func Code(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

// Loop repeats body without end.
func Loop(body ...[]byte) []byte {
	return Code([]byte{0x03, 0x40}, bytes.Join(body, nil), []byte{0x0c, 0, 0x0b})
}

// If runs then when the value before it is not 0, and otherwise goes on.
func If(then ...[]byte) []byte {
	return Code([]byte{0x04, 0x40}, bytes.Join(then, nil), []byte{0x0b})
}

// Unless traps unless the value before it is want.
func Unless(want int64) []byte { return Code(I32(want), []byte{0x47}, If(Unreachable)) }

// function calls function n, counted with the imports.
func function(n int) []byte { return append([]byte{0x10}, binary.Unsigned(uint64(n))...) }

// Imported calls imported function n.
func Imported(n int) []byte { return function(n) }
