package jsonappend

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"": `""`, "plain": `"plain"`, "a\"b\\c": `"a\"b\\c"`, "\b\f\n\r\t": `"\b\f\n\r\t"`, "\x00\x1f\x7f": "\"\\u0000\\u001f\x7f\"",
		"é😀": `"é😀"`, "a\xffb": "\"a\ufffdb\"", "\xe2\x82": "\"\ufffd\ufffd\"", "\xed\xa0\x80": "\"\ufffd\ufffd\ufffd\"", "\ufffd": "\"\ufffd\"",
		"12345678\"": `"12345678\""`, "1234567é12345678\n": `"1234567é12345678\n"`, "</>&\u2028": "\"</>&\u2028\"",
	} {
		if got := string(String(nil, s)); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestObject(t *testing.T) {
	t.Parallel()
	b := []byte{'{'}
	b = String(Name(b, "a\n"), "{")
	b = append(Name(b, "list"), '[')
	b = Bool(Elem(b), true)
	b = Null(Elem(b))
	b = append(b, ']')
	b = Strings(Name(b, "none"), nil)
	b = Uint(Name(b, "max"), math.MaxUint64)
	b = append(Int(Name(b, "min"), math.MinInt64), '}')
	want := `{"a\n":"{","list":[true,null],"none":[],"max":18446744073709551615,"min":-9223372036854775808}`
	if string(b) != want {
		t.Errorf("got %s, want %s", b, want)
	}
	if got := string(Rune(Rune(Rune(nil, '"'), 'é'), 0xD800)); got != "\\\"é\ufffd" {
		t.Errorf("runes %s, want \\\"é\ufffd", got)
	}
}

func TestTime(t *testing.T) {
	t.Parallel()
	for want, at := range map[string]time.Time{
		`"2026-01-02T03:04:05Z"`:           time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)),
		`"2026-01-02T03:04:05.000000001Z"`: time.Date(2026, 1, 2, 3, 4, 5, 1, time.UTC),
		`"0000-01-01T00:00:00Z"`:           time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC),
		`null`:                             time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC),
	} {
		if got := string(Time(nil, at)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := string(Time(nil, time.Date(-1, 1, 1, 0, 0, 0, 0, time.UTC))); got != "null" {
		t.Errorf("%v, want null", got)
	}
}

// Any text comes back from encoding/json, with U+FFFD for invalid UTF-8.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", "a\"\\\n\x00é\xff\xed\xa0\x80", strings.Repeat("x", 17) + "\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := String(nil, s)
		var back string
		if err := json.Unmarshal(got, &back); err != nil || back != string([]rune(s)) {
			t.Fatalf("%q became %s: %v, want back = %v", s, got, err, string([]rune(s)))
		}
		if !utf8.Valid(got) || !jsontext.Value(got).IsValid() {
			t.Fatalf("%q became %q, want utf8.Valid(got) and jsontext.Value(got).IsValid()", s, got)
		}
		if b := Bytes([]byte("x"), []byte(s)); string(b[1:]) != string(got) {
			t.Fatalf("Bytes gives %s, want b[1:] = %v", b, string(got))
		}
	})
}

func FuzzFloat(f *testing.F) {
	for _, v := range []float64{0, 1, -1.5, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.NaN()} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		got := Float(nil, v)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if string(got) != "null" {
				t.Fatalf("%v became %s, want got = null", v, got)
			}
			return
		}
		var back float64
		if err := json.Unmarshal(got, &back); err != nil || back != v {
			t.Fatalf("%v became %s: %v", v, got, err)
		}
	})
}

func BenchmarkString(b *testing.B) {
	s := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 10)
	dst := make([]byte, 0, 1000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		dst = String(dst[:0], s)
	}
}
