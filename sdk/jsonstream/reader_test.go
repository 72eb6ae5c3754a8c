package jsonstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// found lists the values at the paths as PATH=VALUE, and what ended the walk.
func found(in io.Reader, paths ...string) string {
	r := jsonstream.New(in, paths...)
	var list []string
	for r.Next() {
		list = append(list, fmt.Sprintf("%d=%s", r.Path(), r.Value().Raw()))
	}
	var e *abi.Error
	if errors.As(r.Err(), &e) {
		list = append(list, string(e.Code))
	} else if r.Err() != nil {
		list = append(list, r.Err().Error())
	}
	return strings.Join(list, " ")
}

func TestValuesAreFoundByPath(t *testing.T) {
	t.Parallel()
	const chats = ` [{"chat":{"id":"a","seen":[1,{"messages":[9]}],"messages":[{"n":1},{"n":"]"}]}}, {"chat":{"id":"b\"","messages":[]}},3,null] `
	for _, c := range []struct{ text, paths, want string }{
		{chats, "*.chat.id *.chat.messages.*", `0="a" 1={"n":1} 1={"n":"]"} 0="b\""`},
		{chats, "*", `0={"chat":{"id":"a","seen":[1,{"messages":[9]}],"messages":[{"n":1},{"n":"]"}]}} 0={"chat":{"id":"b\"","messages":[]}} 0=3 0=null`},
		{chats, "none.*", ""},
		{"\xef\xbb\xbf{\"x\":1,\"l\":[1, 2.5 ,true]}", "l.*", "0=1 0=2.5 0=true"},
		{`{"a":{"*":1}}`, "a.*", "0=1"},
		{`[]`, "*", ""},
		{`12`, "*", ""},
		{``, "*", "jsonstream.truncated"},
		{`[1,2`, "*", "0=1 0=2 jsonstream.truncated"},
		{`[1,"x`, "*", "0=1 jsonstream.truncated"},
		{`{"a"`, "a", "jsonstream.syntax"},
		{`[1 2]`, "*", "0=1 jsonstream.syntax"},
		{`[1,]`, "*", "0=1 jsonstream.syntax"},
		{`[1]]`, "*", "0=1 jsonstream.syntax"},
		{`{1:2}`, "a", "jsonstream.syntax"},
		{`[{"a":01}]`, "*", "jsonstream.syntax"},
		{`[}`, "*", "jsonstream.syntax"},
	} {
		for reader, in := range map[string]io.Reader{"whole": strings.NewReader(c.text), "bytes": iotest.OneByteReader(strings.NewReader(c.text))} {
			if got := found(in, strings.Fields(c.paths)...); got != c.want {
				t.Errorf("%s, %s: %s: got %s, want %s", c.text, c.paths, reader, got, c.want)
			}
		}
	}
	if got := found(io.MultiReader(strings.NewReader("[1,"), iotest.ErrReader(errors.New("lost"))), "*"); got != "0=1 lost" {
		t.Errorf("got %q, want the error of the stream", got)
	}
}

func TestALargeValueIsLeftOut(t *testing.T) {
	t.Parallel()
	text := `[1,"` + strings.Repeat("x", jsonstream.ValueBytes) + `",2]`
	r := jsonstream.New(strings.NewReader(text), "*")
	n := 0
	for r.Next() {
		n++
	}
	if n != 2 || r.Oversized() != 1 || r.Err() != nil {
		t.Errorf("%d values, %d left out, %v, want 2, 1 and no error", n, r.Oversized(), r.Err())
	}
}

func TestSkipPast(t *testing.T) {
	t.Parallel()
	r := jsonstream.New(strings.NewReader("window.YTD.tweets.part0 = [7]"), "*")
	if !r.SkipPast('=') || !r.Next() || r.Value().Int() != 7 {
		t.Errorf("got %s, %v, want 7", r.Value().Raw(), r.Err())
	}
	if r := jsonstream.New(strings.NewReader(strings.Repeat("x", 5000)+"="), "*"); r.SkipPast('=') {
		t.Error("the byte came after 4 KiB, want that it is not looked for there")
	}
}

// A long array is read element by element.
func ExampleReader() {
	text := `{"source": "phone", "locations": [{"lat": 52.5}, {"lat": 48.1}]}`
	r := jsonstream.New(strings.NewReader(text), "locations.*")
	for r.Next() {
		fmt.Println(r.Value().Get("lat").Float())
	}
	fmt.Println(r.Err())
	// Output:
	// 52.5
	// 48.1
	// <nil>
}

// AC-06: a fault costs the value that it is in, and not those behind it.
func TestAFaultHidesNoNeighbour(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`[1, {"a":oops}, 2]`:                 "0=1 0=2 a value before is not JSON at byte 14, 1",
		`[{"a":1}{"a":2},{"a":3}]`:           `0={"a":1} 0={"a":2} 0={"a":3} a comma or a closing bracket was expected at byte 8, 1`,
		"[1,\x00\x00\x00\x00 2]":             "0=1 0=2 a zero byte stands there at byte 3, 1",
		"[{\"a\":\"x\x00y\"}, 2]":            "0=2 a value before is not JSON at byte 12, 1",
		`[1, 2,]`:                            "0=1 0=2 a value was expected at byte 6, 1",
		`[1} , 2] `:                          "0=1 0=2 a comma or a closing bracket was expected at byte 2, 1",
		`[{"a":1} xx {"a":tru}, {"a":4}]`:    `0={"a":1} 0={"a":4} a comma or a closing bracket was expected at byte 9, 2`,
		`[1];`:                               "0=1 <nil>, 0",
		`{"a": [1 2]}`:                       "<nil>, 0",
		`[1, 2`:                              "0=1 0=2 at byte 5, 0",
		`[{"a":1}, {"a":bad}, {"a":3}, {"a"`: `0={"a":1} 0={"a":3} at byte 34, 1`,
	} {
		for reader, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			s := jsonstream.New(r, "*")
			got := ""
			for s.Next() {
				got += fmt.Sprintf("%d=%s ", s.Path(), s.Value().Raw())
			}
			var e *abi.Error
			if errors.As(s.Err(), &e) {
				got += e.Detail
			} else {
				got += fmt.Sprint(s.Err())
			}
			if got += fmt.Sprintf(", %d", s.Faults()); got != want {
				t.Errorf("%q, %s: got %s, want %s", in, reader, got, want)
			}
		}
	}
}

// The oracle is encoding/json: the elements of an array are the same.
func FuzzReader(f *testing.F) {
	for _, s := range []string{`[1,"a",{"b":[2]},null]`, `[[],[[]]]`, `["\"",-1.5e3 ]`, `[1,2`, `{"a":1}`, `[1,oops,2]`, `[{}{},]`, "[1,\x00\x002];"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r := jsonstream.New(strings.NewReader(string(b)), "*")
		var got []string
		for r.Next() {
			got = append(got, string(r.Value().Raw()))
		}
		var want []json.RawMessage
		if json.Unmarshal(b, &want) != nil || want == nil {
			return
		}
		if r.Err() != nil || len(got) != len(want) {
			t.Fatalf("%q: %d elements, %v, want %d and no error", b, len(got), r.Err(), len(want))
		}
		for i := range want {
			if got[i] != string(want[i]) {
				t.Fatalf("%q: element %d is %s, want %s", b, i, got[i], want[i])
			}
		}
	})
}
