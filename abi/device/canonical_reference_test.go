package device_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// sortedReference is the form of RFC 8785 as the standard library reads JSON: slow,
// and easily seen to be right. reference is that of JavaScript's objects.
func sortedReference(text []byte) ([]byte, error) { return referenceIn(text, false) }

func reference(text []byte) ([]byte, error) { return referenceIn(text, true) }

func referenceIn(text []byte, indices bool) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return appendReference(nil, v, indices), nil
}

func appendReference(b []byte, v any, indices bool) []byte {
	switch v := v.(type) {
	case map[string]any:
		var names []string
		for name := range v {
			if !indices || name != "__proto__" {
				names = append(names, name)
			}
		}
		slices.SortFunc(names, func(x, y string) int { return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y))) })
		if indices {
			isIndex := regexp.MustCompile(`^(0|[1-9][0-9]*)$`).MatchString
			index := func(name string) float64 {
				if n, err := strconv.ParseFloat(name, 64); err == nil && isIndex(name) && n < 1<<32-1 {
					return n
				}
				return math.Inf(1)
			}
			slices.SortStableFunc(names, func(x, y string) int { return cmp.Compare(index(x), index(y)) })
		}
		b = append(b, '{')
		for i, name := range names {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendReference(b, name, indices), ':')
			b = appendReference(b, v[name], indices)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, item := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendReference(b, item, indices)
		}
		return append(b, ']')
	case json.Number:
		f, err := v.Float64()
		switch {
		case err != nil && indices:
			return append(b, "null"...)
		case err != nil:
			return append(b, v...)
		case f == 0:
			return append(b, '0')
		}
		return append(b, marshalled(f)...)
	case string:
		var text bytes.Buffer
		e := json.NewEncoder(&text)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		s := strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(text.String())
		return append(b, strings.TrimSuffix(s, "\n")...)
	}
	return append(b, marshalled(v)...)
}

func marshalled(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// agrees holds a text's canonical form against the reference.
func agrees(t *testing.T, text []byte) {
	t.Helper()
	got, err := device.Sorted(text)
	want, wantErr := sortedReference(text)
	if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
		t.Fatalf("%.300q\nbecame %.300q, %v\nwant   %.300q, %v", text, got, err, want, wantErr)
	}
	if bytes.Contains(bytes.ToLower(text), []byte(`\ud`)) {
		return // Go's texts cannot hold half a pair
	}
	got, err = device.Canonical(text)
	want, wantErr = reference(text)
	if (err == nil) != (wantErr == nil) || !bytes.Equal(got, want) {
		t.Fatalf("%.300q\nbecame %.300q, %v\nwant   %.300q, %v, as JavaScript has it", text, got, err, want, wantErr)
	}
}

// awkward are texts at the edges of what JSON is.
var awkward = []string{
	`{"b":1.5e3,"a":["\u0000",null,true]}`, `-0.0`, `"\ud800"`, `"\ud800\u0041"`, `"\ud83d\ude00"`, `"\ud83d\ud83d\ude00"`, `"\ude00\ud83d"`, `"\ud800\`,
	`"\u12"`, `"\u00zz"`, `"\x"`, `"\`, `"a`, "\"\x01\"", "\"\xff\xc3\xa9\xe2\x82\"", "\"\xed\xa0\x80\"", `1e400`, `-1e-400`, `00`, `-`, `-01`, `1.`, `.5`, `1e`, `1e+`, `1E5`, `+1`,
	`123456789012345`, `1234567890123456789`, `-123456789012345`, `100000000000000000000000`, `-0`, `0`, `[[[]]]`, `[,]`, `[1,]`, `[1 2]`, `{"a"}`, `{"a":}`, `{"a":1,}`,
	`{a:1}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2,"b":3}`, `{"\n":1,"\u000a":2}`, `{"\\":1,"\"":2,"]":3,"[":4}`, `{"\n":1,"A":2," ":3}`, `tru`, `nulll`, `true false`, ` {} `,
	"{\"\U0001f600\":1,\"\ufb33\":2,\"\ue000\":3,\"\ud7ff\":4}", "{\"a\":1,\"a\xff\":2,\"a\ufffd\":3}", `{"9":1,"10":2,"-1":3,"4294967294":4,"4294967295":5,"00":6,"0":7,"__proto__":8}`, "\ufeff1", "\v1", "[1]\x00", "\x00", ``, ` `, "\"\u2028\u2029\u007f<>&\\/\\b\\f\\r\\t\"",
}

func TestCanonicalAgreesWithReference(t *testing.T) {
	t.Parallel()
	for _, text := range awkward {
		agrees(t, []byte(text))
	}
	for _, depth := range []int{9_999, 10_000, 10_001} {
		agrees(t, []byte(strings.Repeat("[", depth)+strings.Repeat("]", depth)))
		agrees(t, []byte(strings.Repeat(`{"a":`, depth)+"0"+strings.Repeat("}", depth)))
	}
	// Texts made of the pieces that matter, most of them no JSON.
	pieces := []string{`{`, `}`, `[`, `]`, `,`, `:`, ` `, `"a"`, `"b"`, `"\n"`, `"\u0061"`, `1`, `-0`, `1.0`, `null`, `{"b":1,"a":2}`, `[1,2]`, `"\ud83d\ude00"`, `"é"`}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		var text []byte
		for range 1 + random.IntN(9) {
			text = append(text, pieces[random.IntN(len(pieces))]...)
		}
		agrees(t, text)
	}
	for range 2_000 {
		agrees(t, appendRandom(nil, random, 5))
	}
}

// appendRandom writes a value that is JSON.
func appendRandom(b []byte, random *rand.Rand, depth int) []byte {
	if random.IntN(4) == 0 {
		b = append(b, ' ')
	}
	names := []string{`"10"`, `"9"`, `"01"`, `"4294967295"`, `"__proto__"`, `"a"`, `"b"`, `"\u0062"`, `"c\n"`, `"é"`, "\"\U0001f600\"", `"\ufb33"`, `""`, `"stream"`, `"data"`}
	switch kind := random.IntN(6); {
	case kind < 2 && depth > 0:
		b = append(b, '{')
		for i := range random.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(b, names[random.IntN(len(names))]...), ':')
			b = appendRandom(b, random, depth-1)
		}
		return append(b, '}')
	case kind < 3 && depth > 0:
		b = append(b, '[')
		for i := range random.IntN(6) {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendRandom(b, random, depth-1)
		}
		return append(b, ']')
	case kind < 4:
		return append(b, names[random.IntN(len(names))]...)
	}
	return append(b, marshalled((random.Float64()-0.5)*float64(random.Int64N(1<<60)))...)
}

// Canonical reads every text as the standard library does.
func FuzzCanonicalAgainstReference(f *testing.F) {
	for _, s := range awkward {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { agrees(t, text) })
}

// batch is much like what a collector delivers.
func batch() []byte {
	b := []byte{'['}
	for i := range 400 {
		if i > 0 {
			b = append(b, ',')
		}
		record := marshalled(map[string]any{
			"key": i, "text": strings.Repeat("a line of a transcript, \"quoted\"\n", 70), "tokens": 12345, "at": "2026-01-02T03:04:05Z", "kind": "message", "cost": 0.25,
		})
		b = append(append(append(b, `{"stream":"messages","record_key":"k","data":`...), record...), `,"emitted_at":"2026-01-02T03:04:05Z"}`...)
	}
	return append(b, ']')
}

func BenchmarkCanonical(b *testing.B) {
	text := batch()
	for name, canonical := range map[string]func([]byte) ([]byte, error){"canonical": device.Canonical, "reference": reference} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := canonical(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
