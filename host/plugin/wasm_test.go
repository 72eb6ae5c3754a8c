package plugin

import (
	"bytes"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/testplugins/assembly/binary"
)

// module is a hand-assembled WebAssembly module, for guests that no compiler
// would build. The zero value plus connector() is a well-behaved one.
type module struct {
	imports []imported
	funcs   []function
	exports []exported
	memMin  uint32
	memMax  uint32 // 0: none declared
	noMem   bool
	start   int // 0: none, else index of a function of funcs plus 1
	data    []byte
	table   bool       // one table of funcref, growable
	extra   []function // placed after funcs; see extraCall
}

type imported struct {
	module, name    string
	kind            byte   // 0 func, 2 memory, 3 global
	params, results string // a letter a value: i for i32, l for i64
}

type function struct {
	params, results string
	locals          int // of i32
	body            []byte
}

type exported struct {
	name string
	kind byte
	at   int // for functions: index into funcs
}

func (m *module) encode() []byte {
	var typ, imp, fun, exp, code [][]byte
	nimp := 0
	all := slices.Clip(m.funcs)
	if len(m.extra) > 0 {
		for len(all) < extraFrom {
			all = append(all, function{})
		}
		all = append(all, m.extra...)
	}
	for _, i := range m.imports {
		b := append(binary.Text(i.module), binary.Text(i.name)...)
		switch i.kind {
		case 0:
			b = append(append(b, 0), binary.Unsigned(uint64(len(typ)))...)
			typ = append(typ, binary.Signature(i.params, i.results))
			nimp++
		case 2:
			b = append(b, 2, 0, 1)
		case 3:
			b = append(b, 3, 0x7f, 0)
		}
		imp = append(imp, b)
	}
	for _, f := range all {
		fun = append(fun, binary.Unsigned(uint64(len(typ))))
		typ = append(typ, binary.Signature(f.params, f.results))
		code = append(code, binary.Function(uint64(f.locals), f.body))
	}
	for _, e := range m.exports {
		at := e.at
		if e.kind == 0 {
			at += nimp
		}
		exp = append(exp, append(append(binary.Text(e.name), e.kind), binary.Unsigned(uint64(at))...))
	}
	out := []byte(binary.Magic)
	out = append(out, binary.Section(1, binary.Vector(typ...))...)
	if len(imp) > 0 {
		out = append(out, binary.Section(2, binary.Vector(imp...))...)
	}
	out = append(out, binary.Section(3, binary.Vector(fun...))...)
	if m.table {
		out = append(out, binary.Section(4, []byte{1, 0x70, 0, 1})...)
	}
	if !m.noMem {
		lim := append([]byte{0}, binary.Unsigned(uint64(m.memMin))...)
		if m.memMax > 0 {
			lim = append(append([]byte{1}, binary.Unsigned(uint64(m.memMin))...), binary.Unsigned(uint64(m.memMax))...)
		}
		out = append(out, binary.Section(5, append([]byte{1}, lim...))...)
	}
	out = append(out, binary.Section(7, binary.Vector(exp...))...)
	if m.start > 0 {
		out = append(out, binary.Section(8, binary.Unsigned(uint64(nimp+m.start-1)))...)
	}
	out = append(out, binary.Section(10, binary.Vector(code...))...)
	if len(m.data) > 0 {
		out = append(out, binary.Section(11, binary.Vector(binary.Data(m.data)))...)
	}
	return out
}

// extraFrom is where extra functions start, counted without the imports: so
// far behind that funcs can still grow.
const extraFrom = 4

// extraCall is a call of extra function i. It is fixed before funcs is
// complete, so funcs must have extraFrom-1 entries or fewer by then.
func (m *module) extraCall(i int) []byte { return callTo(len(m.imports) + extraFrom + i) }

func (m *module) file() *File { return FromBytes("assembled", m.encode()) }

// Instructions.
func i32(v int64) []byte      { return append([]byte{0x41}, binary.Signed(v)...) }
func i64(v int64) []byte      { return append([]byte{0x42}, binary.Signed(v)...) }
func callTo(i int) []byte     { return append([]byte{0x10}, binary.Unsigned(uint64(i))...) }
func seq(p ...[]byte) []byte  { return bytes.Join(p, nil) }
func loop(body []byte) []byte { return seq([]byte{0x03, 0x40}, body, []byte{0x0c, 0, 0x0b}) }
func getLocal(i int) []byte   { return append([]byte{0x20}, binary.Unsigned(uint64(i))...) }

var (
	trap     = []byte{0x00}
	drop     = []byte{0x1a}
	add      = []byte{0x6a}
	memGrow  = []byte{0x40, 0}
	zero     = i32(0)
	manifest = `{"connector_key":"assembled"}`
)

// Every call of the table is imported, in its order, so that function i of
// abi.Calls is function i of the module; proc_exit follows.
func tableImports() []imported {
	var out []imported
	for _, c := range abi.Calls {
		out = append(out, imported{module: abi.ImportModule, name: c.Name, params: binary.Letters(c.Params), results: binary.Letters(c.Results)})
	}
	return append(out, imported{module: abi.WASIModule, name: "proc_exit", params: "i"})
}

func call(name string) []byte {
	for i, c := range abi.Calls {
		if c.Name == name {
			return callTo(i)
		}
	}
	if name == "proc_exit" {
		return callTo(len(abi.Calls))
	}
	panic(name)
}

// own is a call of function i of module.funcs.
func own(i int) []byte { return callTo(len(abi.Calls) + 1 + i) }

// connector is a module whose data is the manifest and whose collect runs
// body and returns 0 unless body returned or left a value itself.
func connector(collect []byte) *module {
	return &module{
		imports: tableImports(),
		funcs: []function{
			{}, // _initialize
			{results: "i", body: i32(abi.Version)},
			{results: "i", body: seq(i32(0), i32(int64(len(manifest))), call("manifest"))},
			{results: "i", body: seq(collect, zero), locals: 2},
		},
		exports: []exported{
			{abi.ExportMemory, 2, 0}, {abi.ExportInitialize, 0, 0}, {abi.ExportVersion, 0, 1},
			{abi.ExportDescribe, 0, 2}, {abi.ExportCollect, 0, 3},
		},
		memMin: 1,
		data:   []byte(manifest),
	}
}
