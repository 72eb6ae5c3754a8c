package wasmbin

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sample imports f.g of type (i32) -> i64, defines a memory of 3 pages and a
// function of the same type, and exports both.
var sample = []byte("\x00asm\x01\x00\x00\x00" +
	"\x00\x06\x04name\x01" + // a custom section
	"\x01\x06\x01\x60\x01\x7f\x01\x7e" +
	"\x02\x07\x01\x01f\x01g\x00\x00" +
	"\x03\x02\x01\x00" +
	"\x05\x03\x01\x00\x03" +
	"\x07\x0b\x02\x01m\x02\x00\x03run\x00\x01" +
	"\x0a\x06\x01\x04\x00\x42\x00\x0b")

func TestParse(t *testing.T) {
	t.Parallel()
	m, err := Parse(sample)
	if err != nil {
		t.Fatal(err)
	}
	want := Signature{[]abi.ValueType{abi.I32}, []abi.ValueType{abi.I64}}
	if len(m.Imports) != 1 || m.Imports[0].Module != "f" || m.Imports[0].Name != "g" || !m.Imports[0].Signature.Equal(want) {
		t.Errorf(`got %+v, want len(m.Imports) == 1 && m.Imports[0].Module == "f" && m.Imports[0].Name == "g" && m.Imports[0].Signature.Equal(want)`, m.Imports)
	}
	if e := m.Exports["run"]; e.Kind != KindFunc || !e.Signature.Equal(want) || e.Signature.String() != "(i32) -> i64" {
		t.Errorf(`m.Exports["run"]: got %+v, want e.Kind == KindFunc && e.Signature.Equal(want) && e.Signature.String() == "(i32) -> i64"`, m.Exports)
	}
	if m.Exports["m"].Kind != KindMemory || m.Memories != 1 || m.MemoryMinPages != 3 {
		t.Errorf(`got %+v, want m.Exports["m"].Kind == KindMemory && m.Memories == 1 && m.MemoryMinPages == 3`, m)
	}
}

// Every torn module is refused, with a code, and none panics.
func TestTorn(t *testing.T) {
	t.Parallel()
	ends := map[int]bool{} // where a section ends: a shorter module, but a module
	for i := 8; i < len(sample); i += 2 + int(sample[i+1]) {
		ends[i] = true
	}
	for n := range sample {
		if _, err := Parse(sample[:n]); err == nil && !ends[n] || err != nil && abi.CodeOf(err) != abi.CodePluginInvalid {
			// The export section refers back; without it a shorter module is one.
			t.Errorf("%d bytes: %v, want (err != nil || ends[n]) && (no error || abi.CodeOf(err) == abi.CodePluginInvalid)", n, err)
		}
	}
}

func TestHostileCounts(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"types":      "\x01\x05\xff\xff\xff\xff\x0f",
		"imports":    "\x02\x05\xff\xff\xff\xff\x0f",
		"functions":  "\x03\x05\xff\xff\xff\xff\x0f",
		"name":       "\x02\x06\x01\xff\xff\xff\xff\x0f",
		"leb":        "\x03\x06\xff\xff\xff\xff\xff\x0f",
		"leb bits":   "\x03\x05\xff\xff\xff\xff\x1f",
		"section":    "\x01\xff\xff\xff\xff\x0f",
		"bad utf-8":  "\x02\x05\x01\x01\xff\x01g",
		"type index": "\x02\x07\x01\x01f\x01g\x00\x05",
		"export":     "\x07\x05\x01\x01x\x00\x09",
		"trailing":   "\x05\x04\x01\x00\x03\x00",
		"table":      "\x04\x07\x01\x70\x00\x80\x80\x80\x01",
		"tables":     "\x04\x0b\x02\x70\x00\xff\xff\x3f\x70\x00\xff\xff\x3f",
		"shared":     "\x05\x04\x01\x03\x01\x02",
		"memory64":   "\x05\x03\x01\x04\x01",
	} {
		if _, err := Parse([]byte("\x00asm\x01\x00\x00\x00" + body)); abi.CodeOf(err) != abi.CodePluginInvalid {
			t.Errorf("%s: abi.CodeOf(err): got %v, want %v", name, err, abi.CodePluginInvalid)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil && abi.CodeOf(err) != abi.CodePluginInvalid {
			t.Fatalf("got %+v, want no error || abi.CodeOf(err) == abi.CodePluginInvalid", err)
		}
		if err == nil && (len(m.Imports) > len(b) || len(m.Exports) > len(b)) {
			t.Fatal("more than the module can hold")
		}
	})
}
