package wasmbin

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
)

const (
	sectionCustom   = 0
	sectionType     = 1
	sectionImport   = 2
	sectionFunction = 3
	sectionTable    = 4
	sectionMemory   = 5
	sectionExport   = 7
	sectionCode     = 10
	sectionData     = 11
	sectionCount    = 12
	sectionTag      = 13

	// maxNames bounds the imports and the exports, each far above any real connector,
	// and keeps an error that names each one readable.
	maxNames = 10000
	maxTypes = 100000
	// maxFunctions and maxLocals are the limits of browsers' engines: one million
	// functions, fifty thousand locals each.
	maxFunctions = 1000000
	maxLocals    = 50000
	// maxElements bounds the initial size of all tables together: 8 MB of pointers.
	// Go's largest connectors need some ten thousand elements.
	maxElements = 1000000
)

var preamble = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// rank returns the position of a section in the order that the binary format requires.
// The data-count section comes between element (9) and code (10), the tag section
// between memory (5) and global (6).
func rank(id byte) int {
	switch id {
	case sectionCount:
		return 95
	case sectionTag:
		return 55
	default:
		return int(id) * 10
	}
}

// Parse reads the interface of module b. The error is an *abi.Error with
// abi.CodePluginInvalid whose Detail gives the problem and its byte offset.
func Parse(b []byte) (*Module, error) {
	m, err := parse(b)
	if err != nil {
		return nil, invalid(err)
	}
	return m, nil
}

// invalid returns the refusal for err, nil for nil.
func invalid(err error) error {
	if err == nil {
		return nil
	}
	return abi.NewError(abi.CodePluginInvalid, "this is not a WebAssembly module that this host accepts",
		"rebuild the connector as a WebAssembly 2.0 module, or download it again").WithDetail(err.Error())
}

func parse(b []byte) (*Module, error) {
	if !bytes.HasPrefix(b, preamble) {
		if len(b) >= 8 && bytes.HasPrefix(b, preamble[:4]) {
			return nil, fmt.Errorf("binary version %x is not 1 (a component, not a core module?)", b[4:8])
		}
		return nil, fmt.Errorf("it does not start with the WebAssembly preamble")
	}
	p := parser{m: &Module{Exports: map[string]Export{}}}
	r := reader{b: b, at: 8}
	last := 0
	for r.at < len(b) {
		id := r.byte()
		size := r.u32()
		body := r.bytes(size)
		if r.err != nil {
			return nil, r.err
		}
		if id == sectionCustom {
			continue
		}
		if id > sectionTag {
			return nil, fmt.Errorf("unknown section %d before byte %d", id, r.at)
		}
		if rank(id) <= last {
			return nil, fmt.Errorf("section %d is repeated or out of order before byte %d", id, r.at)
		}
		last = rank(id)
		s := reader{b: body, base: r.at - len(body)}
		if err := p.section(id, &s); err != nil {
			return nil, err
		}
	}
	return p.m, p.finish()
}

// parser collects the contents of the sections; exports are resolved at the end, when
// every function's type is known.
type parser struct {
	m         *Module
	types     []Signature
	functions []uint32 // type index of each function, imported ones first
	exported  map[string]uint32
}

func (p *parser) section(id byte, s *reader) error {
	switch id {
	case sectionType:
		p.typeSection(s)
	case sectionImport:
		p.importSection(s)
	case sectionFunction:
		for range s.count(1 << 27) {
			p.functions = append(p.functions, s.u32())
			if s.err != nil {
				break
			}
		}
	case sectionTable:
		elements := uint64(0)
		for range s.count(maxNames) {
			s.byte() // the type
			if elements += s.limits(); s.err == nil && elements > maxElements {
				s.fail("tables of %d elements are too large", elements)
			}
			if s.err != nil {
				break
			}
		}
	case sectionMemory:
		for range s.count(maxNames) {
			p.m.MemoryMinPages += s.limits()
			p.m.Memories++
			if s.err != nil {
				break
			}
		}
	case sectionExport:
		p.exportSection(s)
	case sectionCode:
		p.codeSection(s)
	default:
		return nil
	}
	return s.end()
}

// codeSection reads the number of locals of each function, and skips its code. A
// declaration is a count and a type, so a few bytes can ask a compiler for gigabytes.
func (p *parser) codeSection(s *reader) {
	for range s.count(maxFunctions) {
		size := s.u32()
		body := s.bytes(size)
		if s.err != nil {
			return
		}
		f := reader{b: body, base: s.base + s.at - len(body)}
		locals := uint64(0)
		for range f.count(maxLocals) {
			locals += uint64(f.u32())
			f.byte()
			if f.err != nil || locals > maxLocals {
				break
			}
		}
		switch {
		case f.err != nil:
			s.err = f.err
			return
		case locals > maxLocals:
			s.fail("a function declares more than %d locals", maxLocals)
			return
		}
	}
}

func (p *parser) typeSection(s *reader) {
	for range s.count(maxTypes) {
		if form := s.byte(); form != 0x60 {
			s.fail("type form 0x%x is not a function type", form)
		}
		params, results := s.valueTypes(), s.valueTypes()
		if s.err != nil {
			return
		}
		p.types = append(p.types, Signature{params, results})
	}
}

func (p *parser) importSection(s *reader) {
	for range s.count(maxNames) {
		im := Import{Module: s.name(), Name: s.name(), Kind: Kind(s.byte())}
		switch im.Kind {
		case KindFunc:
			i := s.u32()
			if s.err == nil && uint64(i) >= uint64(len(p.types)) {
				s.fail("import %s.%s has unknown type %d", im.Module, im.Name, i)
			}
			if s.err == nil {
				im.Signature = p.types[i]
				p.functions = append(p.functions, i)
			}
		case KindTable:
			s.byte()
			s.limits()
		case KindMemory:
			s.limits()
		case KindGlobal:
			s.byte()
			s.byte()
		case KindTag:
			s.byte()
			s.u32()
		default:
			s.fail("import kind %d is unknown", im.Kind)
		}
		if s.err != nil {
			return
		}
		p.m.Imports = append(p.m.Imports, im)
	}
}

func (p *parser) exportSection(s *reader) {
	p.exported = map[string]uint32{}
	for range s.count(maxNames) {
		name, kind, index := s.name(), Kind(s.byte()), s.u32()
		if _, dup := p.m.Exports[name]; dup {
			s.fail("export %q is repeated", name)
		}
		if s.err != nil {
			return
		}
		p.m.Exports[name] = Export{Kind: kind}
		if kind == KindFunc {
			p.exported[name] = index
		}
	}
}

func (p *parser) finish() error {
	for name, i := range p.exported {
		if uint64(i) >= uint64(len(p.functions)) || uint64(p.functions[i]) >= uint64(len(p.types)) {
			return fmt.Errorf("export %q names an unknown function", name)
		}
		p.m.Exports[name] = Export{Kind: KindFunc, Signature: p.types[p.functions[i]]}
	}
	return nil
}

// reader reads bytes and keeps the first error; after an error every read returns
// zero.
type reader struct {
	b    []byte
	at   int
	base int // offset of b in the file, for messages
	err  error
}

func (r *reader) fail(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %s", r.base+r.at, fmt.Sprintf(format, a...))
	}
}

func (r *reader) end() error {
	if r.err == nil && r.at != len(r.b) {
		r.fail("a section is longer than its content")
	}
	return r.err
}

func (r *reader) byte() byte {
	if r.err != nil || r.at >= len(r.b) {
		r.fail("unexpected end")
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) bytes(n uint32) []byte {
	if r.err != nil || uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("a length of %d runs past the end", n)
		return nil
	}
	r.at += int(n)
	return r.b[r.at-int(n) : r.at]
}

func (r *reader) leb(bits uint) uint64 {
	var v uint64
	for shift := uint(0); shift < bits; shift += 7 {
		c := r.byte()
		if left := bits - shift; left < 7 && c>>left != 0 {
			break
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return v
		}
	}
	r.fail("a number is too long")
	return 0
}

func (r *reader) u32() uint32 { return uint32(r.leb(32)) }

// count reads a vector's length. An element takes at least one byte, so a length above
// the number of remaining bytes is refused before any allocation.
func (r *reader) count(limit uint32) uint32 {
	n := r.u32()
	if n > limit || uint64(n) > uint64(len(r.b)-r.at) {
		r.fail("%d entries are too many", n)
		return 0
	}
	return n
}

func (r *reader) name() string {
	b := r.bytes(r.u32())
	if !utf8.Valid(b) {
		r.fail("a name is not UTF-8")
		return ""
	}
	return string(b)
}

func (r *reader) valueTypes() []abi.ValueType {
	n := r.count(1000)
	if r.err != nil || n == 0 {
		return nil
	}
	out := make([]abi.ValueType, 0, n)
	for range n {
		switch c := r.byte(); c {
		case 0x7f:
			out = append(out, abi.I32)
		case 0x7e:
			out = append(out, abi.I64)
		case 0x7d:
			out = append(out, "f32")
		case 0x7c:
			out = append(out, "f64")
		case 0x7b:
			out = append(out, "v128")
		case 0x70:
			out = append(out, "funcref")
		case 0x6f:
			out = append(out, "externref")
		default:
			r.fail("value type 0x%x is unknown", c)
		}
	}
	return out
}

// limits reads a table's or memory's limits and returns the minimum.
func (r *reader) limits() uint64 {
	switch flag := r.byte(); flag {
	case 0:
		return uint64(r.u32())
	case 1:
		n := uint64(r.u32())
		r.u32()
		return n
	default:
		r.fail("limits flag %d is not supported (shared or 64-bit memory)", flag)
		return 0
	}
}
