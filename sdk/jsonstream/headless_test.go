package jsonstream_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

// starts are how elements begin in these tests.
var starts = []jsonstream.Start{{Path: 0, Names: []string{"id"}}, {Path: 1, Names: []string{"lat", "time"}}, {Path: 2, Names: []string{"tweet"}}}

// AC-06: of a text whose beginning is missing the elements behind it are found, whatever it begins with.
func TestABeginningThatIsMissing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"x":1},{"id":2},{"id":3}]`:                      `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 7, 1`,
		`x, and more"},{"id":2},{"id":3}]`:               `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 14, 1`,
		`},{"id":2},{"id":3}]`:                           `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 2, 1`,
		`,{"id":2},{"id":3}]`:                            `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 1, 1`,
		`{"id":2},{"id":3}]`:                             `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 0, 1`,
		`"},{"id":2},{"id":3}]`:                          `0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 3, 1`,
		`7],"u":{"id":1}},{"id":2}]`:                     `0={"id":2} the beginning is missing, up to an element at byte 17, 1`,
		"\x00\x00\x00\x001}, {\n\"id\": 2}, {\"id\":3}]": `0={"id":2} 0={"id":3} a zero byte stands there at byte 0, 2`,
		`"a":7},{"lat":1},{"time":2}],"l":[{"id":1}]}`:   `1={"lat":1} 1={"time":2} the beginning is missing, up to an element at byte 7, 1`,
		`"a":7}},{"tweet":{"id":1}},{"tweet":{"id":2}}]`: `2=1 2=2 the beginning is missing, up to an element at byte 8, 1`,
		`"a":7},{"id":2},{"id":3`:                        `0={"id":2} at byte 23, 1`,
		`"a":7},{"id":2},{"id":},{"id":4}]`:              `0={"id":2} 0={"id":4} the beginning is missing, up to an element at byte 7, 2`,
		`"a"},{"id":2},{"id":"x}`:                        `0={"id":2} at byte 23, 1`,
		`",{"id":2},{"id":3}] no more quotes`:            `0={"id":2} 0={"id":3} the end was expected at byte 21, 2`,
		`[{"n":1},{"n":2}],"a":7},{"id":2},{"id":3}]`:    `0={"n":1} 0={"n":2} 0={"id":2} 0={"id":3} the beginning is missing, up to an element at byte 25, 1`,
		`"a":7},{"no":2},{"no":3}]`:                      `the end was expected at byte 3, 1`,
		`[{"id":1},{"id":2}]`:                            `0={"id":1} 0={"id":2} <nil>, 0`,
		`{"a":{"id":1},"locations":[{"lat":1}]}`:         `1={"lat":1} <nil>, 0`,
	} {
		for reader, r := range map[string]io.Reader{"whole": strings.NewReader(in), "bytes": iotest.OneByteReader(strings.NewReader(in))} {
			s := jsonstream.New(r, "*", "locations.*", "*.tweet.id")
			if strings.Contains(in, "tweet") {
				s = jsonstream.New(r, "none", "locations.*", "*.tweet.id")
			}
			s.Begins(starts...)
			got := ""
			for s.Next() {
				got += fmt.Sprintf("%d=%s ", s.Path(), strings.ReplaceAll(strings.ReplaceAll(string(s.Value().Raw()), "\n", ""), " ", ""))
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

// AC-06: wherever a text is cut in front, each element behind the cut is found.
func FuzzBeginning(f *testing.F) {
	f.Add(uint16(3))
	f.Add(uint16(120))
	var b strings.Builder
	b.WriteString(`{"note":"a {\"lat\": 1} text","locations":[`)
	var at []int
	const n = 12
	for i := range n {
		at = append(at, b.Len())
		fmt.Fprintf(&b, `{"lat":%d,"text":"say \"x\" [{","of":[{"n":1},{"n":"]"}]},`, i)
	}
	text := strings.TrimSuffix(b.String(), ",") + "]}"
	f.Fuzz(func(t *testing.T, cut uint16) {
		from := int(cut) % at[n-1]
		r := jsonstream.New(strings.NewReader(text[from:]), "*", "locations.*")
		r.Begins(starts...)
		met := make(map[int64]bool)
		for r.Next() {
			if v := r.Value(); v.Get("text").Exists() {
				met[v.Get("lat").Int()] = true
			}
		}
		for i := range n {
			if !met[int64(i)] && at[i] >= from {
				t.Fatalf("cut at %d: element %d at %d is not found: %v", from, i, at[i], r.Err())
			}
		}
		if from > at[0] && r.Err() == nil {
			t.Fatalf("cut at %d: got no error", from)
		}
	})
}
