package device_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// A record's parts are returned unchanged, whatever separates them.
func TestRecords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`[]`, ""},
		{` [ { "stream" : "a" , "data" : { "x" : [1, 2.50] } , "new":{"stream":"b"}, "record_key":"\u0061", "emitted_at":"t","op":null } ] `, `0 true "a" "\u0061" { "x" : [1, 2.50] } "t" null;`},
		{`[{"stream":"a","stream":"b","dat\u0061":1},{},null]`, `0 true "b"  1  ;1 true     ;2 true     ;`},
		{`[{"Stream":"a"},[{"stream":"a"}],7,"x",true]`, `0 true     ;1 false     ;2 false     ;3 false     ;4 false     ;`},
	} {
		got := ""
		err := device.Records([]byte(c.text), func(i int, r *device.RawRecord, ok bool) error {
			got += fmt.Sprintf("%d %v %s %s %s %s %s;", i, ok, r.Stream, r.Key, r.Data, r.EmittedAt, r.Op)
			return nil
		})
		if err != nil || got != c.want {
			t.Errorf("%s\nhas  %s, %v\nwant %s", c.text, got, err, c.want)
		}
	}
	never := func(int, *device.RawRecord, bool) error { t.Error("called"); return nil }
	for _, text := range []string{``, `null`, `{}`, `"[]"`, `[{}`, `[{}]]`, `[{},]`} {
		if err := device.Records([]byte(text), never); !errors.Is(err, device.ErrNotRecords) {
			t.Errorf("%q: device.Records([]byte(text), never): got %v, want errors.Is(err, device.ErrNotRecords)", text, err)
		}
	}
	n, stop := 0, errors.New("enough")
	err := device.Records([]byte(`[{},{},{}]`), func(int, *device.RawRecord, bool) error { n++; return stop })
	if n != 1 || !errors.Is(err, stop) {
		t.Errorf("got %d, %v, want n == 1 && errors.Is(err, stop)", n, err)
	}
}

// Records finds the same members as the standard library, except that names are exact.
func FuzzRecordsAgainstReference(f *testing.F) {
	for _, s := range append(awkward, `[{"stream":"a","record_key":"b","data":{"c":1},"emitted_at":"t","op":"delete"}]`, `[{"stream":1},null,[]]`) {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want []json.RawMessage
		bad := json.Unmarshal(text, &want) != nil || want == nil
		n := 0
		err := device.Records(text, func(i int, r *device.RawRecord, ok bool) error {
			n++
			var members map[string]json.RawMessage
			if known := json.Unmarshal(want[i], &members) == nil; known != ok {
				t.Fatalf("%q of %q: %v", want[i], text, ok)
			}
			for name, part := range map[string][]byte{"stream": r.Stream, "record_key": r.Key, "data": r.Data, "emitted_at": r.EmittedAt, "op": r.Op} {
				if string(members[name]) != string(part) {
					t.Fatalf("%s of %q: %q, want %v", name, want[i], part, string(part))
				}
			}
			return nil
		})
		if bad != (err != nil) || !bad && n != len(want) {
			t.Fatalf("%q: got %d, %v, want bad == (err != nil) && (bad || n == len(want))", text, n, err)
		}
	})
}
