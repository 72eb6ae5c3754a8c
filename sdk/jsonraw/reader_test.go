package jsonraw

import (
	"bytes"
	"encoding/json"
	"testing"
)

// flat writes a text anew from what a Reader finds in it, without white space.
func flat(r *Reader, to *bytes.Buffer) {
	switch {
	case r.Enter('{'):
		to.WriteByte('{')
		for first := true; ; first = false {
			name, ok := r.Member(first)
			if !ok {
				break
			}
			if !first {
				to.WriteByte(',')
			}
			to.WriteString(`"` + string(name) + `":`)
			flat(r, to)
		}
		to.WriteByte('}')
	case r.Enter('['):
		to.WriteByte('[')
		for first := true; r.Element(first); first = false {
			if !first {
				to.WriteByte(',')
			}
			flat(r, to)
		}
		to.WriteByte(']')
	default:
		to.Write(r.Value())
	}
}

// FuzzReader compares with encoding/json: every text that it takes is read as it is, and
// value by value as in one step.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e3,"x\"\\"],"b":{},"c":[],"d":null}`, ` [ true , {"":false} ] `, `"`, `{"a":1,}`, `[1 2]`, `{"a"}`, `-`, `[[`, "\"\x01\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > MaxDepth { // deeper texts are refused
			return
		}
		once := Reader{Src: text}
		whole := once.Value()
		if !json.Valid(text) {
			return
		}
		if !once.End() {
			t.Fatalf("%q is refused, want it read", text)
		}
		var want, got bytes.Buffer
		if err := json.Compact(&want, whole); err != nil {
			t.Fatalf("%q: %v, want the text of the value", whole, err)
		}
		r := Reader{Src: text}
		flat(&r, &got)
		if !r.End() || got.String() != want.String() {
			t.Fatalf("got %s, want %s", got.String(), want.String())
		}
	})
}

func TestFrom(t *testing.T) {
	t.Parallel()
	r := Reader{Src: []byte(`{"a":[1,2],"b":3}`)}
	r.Enter('{')
	r.Member(true)
	at := r.At()
	r.Value()
	if got := r.From(at); !got.IsArray() || string(got) != "[1,2]" {
		t.Errorf("got %s, want the array", got)
	}
}
