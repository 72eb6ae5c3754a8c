package assembly

import (
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
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

// Func is a function defined in the module. Its Locals have type i32 and come after
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
		b := append(binary.Text(i.Module), binary.Text(i.Name)...)
		if i.Memory {
			imports = append(imports, append(b, 2, 0, 1))
			continue
		}
		imports = append(imports, append(append(b, 0), binary.Unsigned(uint64(len(types)))...))
		types = append(types, binary.Signature(i.Params, i.Results))
		imported++
	}
	for _, f := range m.Funcs {
		funcs = append(funcs, binary.Unsigned(uint64(len(types))))
		types = append(types, binary.Signature(f.Params, f.Results))
		code = append(code, binary.Function(uint64(f.Locals), f.Body))
	}
	for _, e := range m.Exports {
		kind, at := byte(0), e.At+imported
		if e.Memory {
			kind, at = 2, 0
		}
		exports = append(exports, append(append(binary.Text(e.Name), kind), binary.Unsigned(uint64(at))...))
	}
	out := []byte(binary.Magic)
	out = append(out, binary.Section(1, binary.Vector(types...))...)
	if len(imports) > 0 {
		out = append(out, binary.Section(2, binary.Vector(imports...))...)
	}
	out = append(out, binary.Section(3, binary.Vector(funcs...))...)
	limits := append([]byte{0}, binary.Unsigned(uint64(m.Memory))...)
	out = append(out, binary.Section(5, append([]byte{1}, limits...))...)
	out = append(out, binary.Section(7, binary.Vector(exports...))...)
	if m.Start > 0 {
		out = append(out, binary.Section(8, binary.Unsigned(uint64(imported+m.Start-1)))...)
	}
	out = append(out, binary.Section(10, binary.Vector(code...))...)
	if len(m.Data) > 0 {
		out = append(out, binary.Section(11, binary.Vector(binary.Data(m.Data)))...)
	}
	return out
}
