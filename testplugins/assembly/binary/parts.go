package binary

import (
	"bytes"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Magic is the beginning of every module, its version included.
const Magic = "\x00asm\x01\x00\x00\x00"

// Unsigned spells a number in LEB128.
func Unsigned(v uint64) []byte {
	var out []byte
	for {
		b := byte(v & 0x7f)
		if v >>= 7; v == 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// Signed spells a number in signed LEB128.
func Signed(v int64) []byte {
	var out []byte
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// Text is a name: its length and its bytes.
func Text[T string | []byte](s T) []byte { return append(Unsigned(uint64(len(s))), s...) }

// Vector is a list: its length and its items.
func Vector(items ...[]byte) []byte {
	return append(Unsigned(uint64(len(items))), bytes.Join(items, nil)...)
}

// Section is a section: its id, its length and its content.
func Section(id byte, content []byte) []byte { return append([]byte{id}, Text(content)...) }

// Signature is a function's type. Types are a letter a value: i for i32, l for
// i64.
func Signature(params, results string) []byte {
	return append(append([]byte{0x60}, values(params)...), values(results)...)
}

func values(letters string) []byte {
	out := Unsigned(uint64(len(letters)))
	for _, c := range letters {
		if c == 'l' {
			out = append(out, 0x7e)
		} else {
			out = append(out, 0x7f)
		}
	}
	return out
}

// Letters spells the value types of a host call as Signature takes them.
func Letters(types []abi.ValueType) string {
	out := make([]byte, len(types))
	for i, t := range types {
		if out[i] = 'i'; t == abi.I64 {
			out[i] = 'l'
		}
	}
	return string(out)
}

// Function is a function's code: so many locals of i32, and the body, which it
// ends.
func Function(locals uint64, body []byte) []byte {
	code := []byte{0}
	if locals > 0 {
		code = append(append([]byte{1}, Unsigned(locals)...), 0x7f)
	}
	return Text(append(append(code, body...), 0x0b))
}

// Data is a segment of memory from 0 on.
func Data(b []byte) []byte { return append([]byte{0, 0x41, 0, 0x0b}, Text(b)...) }
