package assembly

import (
	"bytes"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Module is a module before it is encoded.
type Module struct {
	Imports []Import
	Funcs   []Func
	Exports []Export
	Memory  uint32 // pages at the start
	Start   int    // index into Funcs, plus 1, of the start function; 0: none
	Data    []byte // placed at 0
}

// Import is an imported function; with Memory it is a memory of one page.
// Types are a letter a value: i for i32, l for i64.
type Import struct {
	Module, Name    string
	Params, Results string
	Memory          bool
}

// Func is a function of the module's own. Its Locals are of i32 and come after
// the parameters.
type Func struct {
	Params, Results string
	Locals          uint32
	Body            []byte // without the closing end
}

// Export is an export: of function At of Funcs, or of the memory.
type Export struct {
	Name   string
	At     int
	Memory bool
}

// File returns the encoded module under a name.
func (m *Module) File(name string) *plugin.File { return plugin.FromBytes(name, m.Encode()) }

// Encode returns the module's bytes.
func (m *Module) Encode() []byte {
	var types, imports, funcs, exports, code [][]byte
	imported := 0
	for _, i := range m.Imports {
		b := append(text(i.Module), text(i.Name)...)
		if i.Memory {
			imports = append(imports, append(b, 2, 0, 1))
			continue
		}
		imports = append(imports, append(append(b, 0), unsigned(uint64(len(types)))...))
		types = append(types, signature(i.Params, i.Results))
		imported++
	}
	for _, f := range m.Funcs {
		funcs = append(funcs, unsigned(uint64(len(types))))
		types = append(types, signature(f.Params, f.Results))
		locals := []byte{0}
		if f.Locals > 0 {
			locals = append(append([]byte{1}, unsigned(uint64(f.Locals))...), 0x7f)
		}
		body := append(append(locals, f.Body...), 0x0b)
		code = append(code, append(unsigned(uint64(len(body))), body...))
	}
	for _, e := range m.Exports {
		kind, at := byte(0), e.At+imported
		if e.Memory {
			kind, at = 2, 0
		}
		exports = append(exports, append(append(text(e.Name), kind), unsigned(uint64(at))...))
	}
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	out = append(out, section(1, vector(types))...)
	if len(imports) > 0 {
		out = append(out, section(2, vector(imports))...)
	}
	out = append(out, section(3, vector(funcs))...)
	limits := append([]byte{0}, unsigned(uint64(m.Memory))...)
	out = append(out, section(5, append([]byte{1}, limits...))...)
	out = append(out, section(7, vector(exports))...)
	if m.Start > 0 {
		out = append(out, section(8, unsigned(uint64(imported+m.Start-1)))...)
	}
	out = append(out, section(10, vector(code))...)
	if len(m.Data) > 0 {
		d := append(append([]byte{0}, I32(0)...), 0x0b)
		d = append(append(d, unsigned(uint64(len(m.Data)))...), m.Data...)
		out = append(out, section(11, vector([][]byte{d}))...)
	}
	return out
}

func signature(params, results string) []byte {
	return append(append([]byte{0x60}, values(params)...), values(results)...)
}

func values(letters string) []byte {
	out := unsigned(uint64(len(letters)))
	for _, c := range letters {
		if c == 'l' {
			out = append(out, 0x7e)
		} else {
			out = append(out, 0x7f)
		}
	}
	return out
}

func text(s string) []byte { return append(unsigned(uint64(len(s))), s...) }

func vector(items [][]byte) []byte {
	return append(unsigned(uint64(len(items))), bytes.Join(items, nil)...)
}

func section(id byte, content []byte) []byte {
	return append(append([]byte{id}, unsigned(uint64(len(content)))...), content...)
}

// letters spells value types as Import does.
func letters(ts []abi.ValueType) string {
	out := make([]byte, len(ts))
	for i, t := range ts {
		if out[i] = 'i'; t == abi.I64 {
			out[i] = 'l'
		}
	}
	return string(out)
}
