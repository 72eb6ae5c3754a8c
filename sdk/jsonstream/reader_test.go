package jsonstream_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
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

// AC-06: a value that is nested deeper than is read is told as that, since it is JSON all the same. Behind one that is not, or
// where a bracket is missing, the text is not JSON.
func TestDeepValues(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return `{"n":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}` }
	most := deep(jsonvalue.MaxDepth - 1)
	for name, c := range map[string]struct{ text, want string }{
		"as deep as is read":   {`[` + most + `,1]`, "0=" + most + " 0=1"},
		"deeper":               {`[` + deep(jsonvalue.MaxDepth) + `,{"n":1}]`, `0={"n":1} jsonstream.too_deep`},
		"far deeper, and last": {`[{"n":1},` + deep(9000) + `]`, `0={"n":1} jsonstream.too_deep`},
		"one and a fault":      {`[{"n":1},` + deep(9000) + `,{"n":x},{"n":2}]`, `0={"n":1} 0={"n":2} jsonstream.too_deep`},
		"behind a fault":       {`[{"n":1},{"n":x},` + deep(9000) + `,{"n":2}]`, `0={"n":1} 0={"n":2} jsonstream.syntax`},
		"a fault within":       {`[{"n":1},{"n":x,` + deep(9000)[1:] + `,{"n":2}]`, `0={"n":1} 0={"n":2} jsonstream.syntax`},
		"passed":               {`{"a":` + deep(9000) + `,"l":[1]}`, "0=1"},
	} {
		path := "*"
		if name == "passed" {
			path = "l.*"
		}
		if got := found(strings.NewReader(c.text), path); got != c.want {
			t.Errorf("%s: got %.200s, want %.200s", name, got, c.want)
		}
	}
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

// AC-06: an element that does not close takes no other one along.
func TestAnElementThatDoesNotClose(t *testing.T) {
	t.Parallel()
	const chats = `[{"chat":{"id":"a","list":[{"m":{"n":1}},{"m":{"n":2}}]}},`
	for in, want := range map[string]string{
		`[{"t":"1"},{"t":"2},{"t":"3"},{"t":"4"}]`:                                        `1={"t":"1"} 1={"t":"3"} 1={"t":"4"} a value does not close at byte 11, 1`,
		`[{"t":"1"},{"t":["2"},{"t":"3"},{"t":"4"}]`:                                      `1={"t":"1"} 1={"t":"3"} 1={"t":"4"} a value does not close at byte 11, 1`,
		`[{"t":"1},{"t":"2"},{"t":"3"}]`:                                                  `1={"t":"2"} 1={"t":"3"} a value does not close at byte 1, 1`,
		"[\n {\n  \"t\": \"1\"\n },\n {\n  \"t\": \"2\n },\n {\n  \"t\" : \"3\"\n }\n]":   "1={\n  \"t\": \"1\"\n } 1={\n  \"t\" : \"3\"\n } a value does not close at byte 21, 1",
		`[{"t":"1"},{"t":"2},{"t":"3},{"t":"4"}`:                                          `1={"t":"1"} 1={"t":"4"} at byte 38, 2`,
		`[{"t":"1"},{"t":"3"},{"t":"4`:                                                    `1={"t":"1"} 1={"t":"3"} at byte 28, 0`,
		`[{"t":"1","u":[{"t":"9"}]},{"t":"2","u":[{"t":"9"},{"t":"8"}],{"t":"3","u":[]}]`: `1={"t":"1","u":[{"t":"9"}]} 1={"t":"3","u":[]} a value does not close at byte 27, 1`,
		`[{"t":"say {\"t\":1} 2"},{"t":"3"}]`:                                             `1={"t":"say {\"t\":1} 2"} 1={"t":"3"} <nil>, 0`,
		`[{"u":{"t":1}},{"u":{"t":2},{"u":{"t":3}}]`:                                      `1={"u":{"t":1}} 1={"u":{"t":3}} a value does not close at byte 15, 1`,
		`[{"t":"1"}],{"t":"2"},{"t":"3"}];`:                                               `1={"t":"1"} 1={"t":"2"} 1={"t":"3"} the end was expected at byte 11, 1`,
		`[{"t":"1"}] {"u":"2"},{"u":"3"}]`:                                                `1={"t":"1"} the end was expected at byte 12, 1`,
		chats + `{"chat":{"id":"b","list":[{"m":{"n":3},{"m":{"n":4}}]}},{"chat":{"id":"c","list":[{"m":{"n":5}}]}}]`:      `0={"m":{"n":1}} 0={"m":{"n":2}} 0={"m":{"n":4}} 0={"m":{"n":5}} a value does not close at byte 84, 1`,
		chats + `{"chat":{"id":"b","list":[{"m":{"n":3}},{"m":{"n]}},{"chat":{"id":"c","list":[{"m":{"n":5}}]}}]`:          `0={"m":{"n":1}} 0={"m":{"n":2}} 0={"m":{"n":3}} 0={"m":{"n":5}} a value does not close at byte 98, 1`,
		chats + `{"chat":{"id":"b,"list":[{"m":{"n":3}}]}},{"chat":{"id":"c","list":[{"m":{"n":5}}]}}]`:                    `0={"m":{"n":1}} 0={"m":{"n":2}} 0={"m":{"n":5}} a comma or a closing bracket was expected at byte 76, 1`,
		chats + `{"chat":{"id":"b","lis:[{"m":{"n":3}}]}},{"chat":{"id":"c","list":[{"m":{"n":5}}]}},{"chat":{"id":"d"}}]`: `0={"m":{"n":1}} 0={"m":{"n":2}} 0={"m":{"n":5}} a colon was expected at byte 84, 1`,
	} {
		for reader, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			s := jsonstream.New(r, "*.chat.list.*", "*")
			if strings.HasPrefix(in, `[{"chat"`) {
				s = jsonstream.New(r, "*.chat.list.*")
			}
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
				t.Errorf("%q, %s: got\n%s, want\n%s", in, reader, got, want)
			}
		}
	}
}

// AC-06: an element that does not close in front of more than is held hides none of it.
func TestAnElementThatDoesNotCloseInALongText(t *testing.T) {
	t.Parallel()
	const n = 30_000
	element := `{"id":1,"text":"` + strings.Repeat("x", 300) + `"},`
	for _, broken := range []string{`{"id":1,"text":["x"},`, `{"id":1,"text":"x},`, `{"id":1,"text":{"x":"},`} {
		r := jsonstream.New(strings.NewReader("["+strings.Repeat(element, n)+broken+strings.Repeat(element, n)+broken+strings.Repeat(element, n)+"{}]"), "*")
		got := 0
		for r.Next() {
			got++
		}
		if got != 3*n+1 || r.Faults() != 2 || r.Oversized() != 0 || abi.CodeOf(r.Err()) != jsonstream.CodeSyntax {
			t.Errorf("%s: got %d elements, %d faults, %d too large, %v, want %d and 2 faults", broken, got, r.Faults(), r.Oversized(), r.Err(), 3*n+1)
		}
	}
}

// AC-06: whatever stands in the place of an element, those around it are found.
func FuzzDamagedElement(f *testing.F) {
	for _, s := range []string{`{"id":7,"text":"x`, `]`, `}`, `{"id":[`, "\x00\x00", `"`, `{"text":"x"}`, `,,`, `{"text":{"id":1},"id":"`, `\`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		const element = `{"id":%d,"text":"say \"x\" [{"}`
		text := "["
		for i := range 6 {
			if text += fmt.Sprintf(element, i) + ","; i == 2 {
				text += string(b) + ","
			}
		}
		text = strings.TrimSuffix(text, ",") + "]"
		r := jsonstream.New(strings.NewReader(text), "*")
		got := map[string]bool{}
		for r.Next() {
			got[string(r.Value().Raw())] = true
		}
		for i := range 6 {
			// A text that is open in front of an element may end with its first quote.
			if want := fmt.Sprintf(element, i); !got[want] && !strings.HasSuffix(string(b), `\`) {
				t.Fatalf("%s: %s is not found: %v", text, want, r.Err())
			}
		}
	})
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

// AC-06: a valid value that is too large is left out alone, also where what it holds looks like its
// neighbours: their records are read, and what it holds is none of them.
func TestALargeValueHidesNoNeighbour(t *testing.T) {
	t.Parallel()
	many := "[" + strings.Repeat(`{"id":"x","text":"y"},`, 5<<20/22) + `{"id":"x"}]`
	for name, c := range map[string]struct{ text, path, want string }{
		"beside the path": {
			`[{"id":"a","messages":[{"id":"m1"}]},{"id":"b","attachments":` + many + `,"messages":[{"id":"m2"}]},{"id":"c","messages":[{"id":"m3"}]}]`,
			"*.messages.*", `0={"id":"m1"} 0={"id":"m2"} 0={"id":"m3"}`,
		},
		"at the path": {`[{"id":"a"},{"id":"b","replies":` + many + `},{"id":"c"}]`, "*", `0={"id":"a"} 0={"id":"c"}`},
	} {
		if got := found(strings.NewReader(c.text), c.path); got != c.want {
			t.Errorf("%s: got %.200s, want %s", name, got, c.want)
		}
	}
}

// AC-07: halves of surrogate pairs are counted in the values that are found.
func TestHalvesAreCounted(t *testing.T) {
	t.Parallel()
	r := jsonstream.New(strings.NewReader(`{"x":"\ud83d","l":[{"a":"\ud83d"},{"a":"\ud83d\ude00"},{"a":"\udc00"}]}`), "l.*")
	for r.Next() { //nolint:revive // up to its end
	}
	if r.Halves() != 2 || r.Err() != nil {
		t.Errorf("got %d, %v, want 2", r.Halves(), r.Err())
	}
}

// AC-05: each element of the outermost array is told of with what it has, whatever else it is.
func TestElementsAreToldOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`[{"a":{"id":1,"l":[2]}},{"a":{"l":[],"id":1}}]`:          "a/11,a/11",
		`[{"b":{"id":1}},{},17,["x"],null]`:                       "b/0,/0,/0,/0,/0",
		`[{"a":{"id":1,"l":{"x":1}}},{"a":{"l":"none"}},{"a":1}]`: "a/1,a/0,a/0",
		`[{"a":{"l":[1]}},{"a":{"id":1}}]`:                        "a/10,a/1",
		`[{"a":{"id":1,"l":[{"m":1},{"m":`:                        "",
		`{"a":{"id":1}}`:                                          "",
	} {
		r := jsonstream.New(strings.NewReader(text), "*.a.id", "*.a.l.*")
		var got []string
		r.Ended(func(first string, reached uint32) {
			got = append(got, first+"/"+strconv.FormatUint(uint64(reached), 2))
		})
		for r.Next() { //nolint:revive // up to its end
		}
		if got := strings.Join(got, ","); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
