package wasmbin

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

// codeOf is a module that is nothing but code.
func codeOf(bodies ...[]byte) []byte {
	var functions [][]byte
	for _, body := range bodies {
		functions = append(functions, binary.Function(0, body))
	}
	return append([]byte(binary.Magic), binary.Section(sectionCode, binary.Vector(functions...))...)
}

// nested is depth blocks of that opcode inside each other.
func nested(depth int, open ...byte) []byte {
	return append(bytes.Repeat(open, depth), bytes.Repeat([]byte{opEnd}, depth)...)
}

func TestCheckCode(t *testing.T) {
	t.Parallel()
	wide := bytes.Repeat([]byte{0x01}, 4<<20) // pays for what is nested beside it
	for name, c := range map[string]struct {
		module []byte
		says   string // "": accepted
	}{
		"no code":         {[]byte(binary.Magic), ""},
		"as deep as Go":   {codeOf(nested(549, opBlock, 0x40)), ""},
		"side by side":    {codeOf(bytes.Repeat(nested(100, opBlock, 0x40), 100)), ""},
		"deepest":         {codeOf(nested(maxNesting, opBlock, 0x40), wide), ""},
		"too deep":        {codeOf(nested(maxNesting+1, opBlock, 0x40), wide), "nested"},
		"a million loops": {codeOf(nested(1000000, opLoop, 0x40)), "nested"},
		"ifs":             {codeOf(nested(maxNesting, 0x41, 0, opIf, 0x40)), "nested"},
		"many functions":  {codeOf(slices.Repeat([][]byte{nested(1500, opLoop, 0x40)}, 10)...), "nested"},
		"no block at all": {codeOf([]byte{0x41, opBlock, 0x44, 2, 2, 2, 2, 2, 2, 2, 2, 0x0e, 2, 2, 2, 2, 0xfd, 12, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}), ""},
		"exceptions":      {codeOf([]byte{0x06, 0x40}), "0x6 is no instruction"},
		"torn":            {codeOf([]byte{0x43, 1}), "past the end"},
	} {
		err := CheckCode(c.module)
		switch {
		case c.says == "" && err != nil:
			t.Errorf("%s: got %v, want it accepted", name, err)
		case c.says != "" && (abi.CodeOf(err) != abi.CodePluginInvalid || !strings.Contains(err.Error(), c.says)):
			t.Errorf("%s: got %v, want %s that says %q", name, err, abi.CodePluginInvalid, c.says)
		}
	}
}

func FuzzCheckCode(f *testing.F) {
	f.Add(sample)
	f.Add(codeOf(nested(3, opLoop, 0x40), []byte{0xfc, 10, 0, 0, 0xfd, 84, 0, 0, 0}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := Parse(b); err != nil {
			return
		}
		if err := CheckCode(b); err != nil && abi.CodeOf(err) != abi.CodePluginInvalid {
			t.Fatalf("CheckCode(b): got %+v, want no error || abi.CodeOf(err) == abi.CodePluginInvalid", err)
		}
	})
}
