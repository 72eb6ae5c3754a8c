package tape

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

var seeds = []string{
	`{"a":1}`, `[1,2.5,-0e10,"x\u00e9\ud83d\ude00"]`, `{"a":1,"\u0061":2}`, `"\ud800"`, "\"\xff\"",
	`{"a":{"b":[{},[],null,true,false]}}`, " \t\r\n1 ", `{"":0,"a":[]}`, `01`, `1.`, `nul`, `[1,]`, `"\u12"`,
	`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0,"k":0,"l":0,"m":0,"n":0,"o":0,"p":0,"q":0,"\u0061":0}`,
	`[[[[[[[[[[[[]]]]]]]]]]]]`, `"12345678\"`, `"1234567é8\n"`, "{\"a\x7f\":1}",
}

// Another strict reader agrees on what is JSON, and on what each text means.
func FuzzScan(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var tp Tape
		err := tp.Scan(text)
		e := &Error{}
		if errors.As(err, &e) {
			return // bounds of ours
		}
		if want := jsontext.Value(text).IsValid(); (err == nil) != want {
			t.Fatalf("Scan(%q) = %v, jsontext says valid=%v", text, err, want)
		}
		if err != nil {
			return
		}
		if tp.Next(Root) != tp.Nodes() {
			t.Fatalf("the root ends at %d of %d, want tp.Next(Root) == tp.Nodes()", tp.Next(Root), tp.Nodes())
		}
		var want any
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		same(t, &tp, Root, want)
	})
}

// same walks the tape and what encoding/json read side by side.
func same(t *testing.T, tp *Tape, i int, want any) {
	t.Helper()
	switch want := want.(type) {
	case nil:
		if tp.Kind(i) != Null {
			t.Fatalf("kind %v, want null", tp.Kind(i))
		}
	case bool:
		if (tp.Kind(i) == True) != want || (tp.Kind(i) == False) == want {
			t.Fatalf("kind %v, want %v", tp.Kind(i), want)
		}
	case json.Number:
		if tp.Kind(i) != Number || string(tp.Text(i)) != want.String() {
			t.Fatalf("number %q, want %q", tp.Text(i), want)
		}
		if n, ok := tp.Int64(i); ok {
			if got, err := want.Int64(); err != nil || got != n {
				t.Fatalf("Int64 of %s = %d, want no error && got == n", want, n)
			}
		}
	case string:
		if tp.Kind(i) != String || tp.String(i) != want || !tp.Equal(i, want) || tp.Equal(i, want+"x") ||
			string(tp.Bytes(i, []byte("scratch"))) != want || string(tp.Decode([]byte("pre"), i)) != "pre"+want {
			t.Fatalf("string %q, want %q", tp.String(i), want)
		}
		if n := len([]rune(want)); tp.Runes(i) != n {
			t.Fatalf("%d runes of %q, want %d", tp.Runes(i), want, n)
		}
	case []any:
		if tp.Kind(i) != Array || tp.Count(i) != len(want) {
			t.Fatalf("array of %d, want %d", tp.Count(i), len(want))
		}
		k := i + 1
		for _, item := range want {
			same(t, tp, k, item)
			k = tp.Next(k)
		}
		if k != tp.Next(i) {
			t.Fatalf("array ends at %d, want %d", tp.Next(i), k)
		}
	case map[string]any:
		if tp.Kind(i) != Object || tp.Count(i) != len(want) {
			t.Fatalf("object of %d, want %d", tp.Count(i), len(want))
		}
		for name, item := range want {
			k := tp.Member(i, name)
			if k < 0 {
				t.Fatalf("no member %q, want k >= 0", name)
			}
			same(t, tp, k, item)
		}
	}
}
