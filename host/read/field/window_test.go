package field

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// whole is what a Window has to find in a record, read from the decoded value.
func whole(data []byte, w *Window) string {
	value := Get(data, w.Name)
	if value == nil {
		return "no member"
	}
	var decoded any
	if err := json.Unmarshal(value, &decoded); err != nil {
		return err.Error()
	}
	text, ok := decoded.(string)
	if !ok {
		return "no text"
	}
	chars, start, match := []rune(text), w.Start, -1
	if len(w.Query) > 0 {
		at := strings.Index(text, string(w.Query))
		if at < 0 {
			return "no match"
		}
		match = utf8.RuneCountInString(text[:at])
		start = max(match-w.Before, 0)
	}
	from := min(start, len(chars))
	return fmt.Sprintf("%q of %d, match %d", string(chars[from:min(from+w.Limit, len(chars))]), len(chars), match)
}

// found is what a Window has found in a record that came in pieces, whose lengths are asked of next.
func found(data []byte, w *Window, next func() int) string {
	for len(data) > 0 {
		n := min(max(next(), 1), len(data))
		w.Write(bytes.Clone(data[:n]))
		data = data[n:]
	}
	switch {
	case !w.Found:
		return "no member"
	case !w.IsText:
		return "no text"
	case len(w.Query) > 0 && w.Match < 0:
		return "no match"
	case len(w.Query) == 0 && w.Match != -1:
		return "a match of nothing"
	}
	return fmt.Sprintf("%q of %d, match %d", w.Text, w.Total, w.Match)
}

// RD-22.3, RD-22.4: a record in pieces has the windows that its decoded value has, however it is cut.
func FuzzWindow(f *testing.F) {
	for i, data := range []string{
		`{"id":"a","t":"äb\ud83d\ude00d needle f\n\"\\\/\b\f\r\t\u00e9","n":[{"t":"x"},"t"],"o":{"t":1,"z":"}]"}}`, `{"t":"one","t":"two needle"}`, `{"t":"one","\u0074":7}`,
		` { "t" : "a\\" , "x" : "needle" } `, `["t",{"t":"y"},7]`, `{"x":"t","t":null}`, `{"t":"\ud800\ud800\udc00\udc00x\ud800\n\ud800"}`, `{}`, `"t"`, `{"t":"","tt":"t"}`, `{"x":["t",{"t":"n"}],"t":[]}`, `{"t":{}}`,
		`{"t":"` + strings.Repeat(`aé\u20ac😀nee`, 5000) + `needle"}`, `{"t":"` + strings.Repeat("😀", 9000) + `needle😀"}`,
	} {
		f.Add([]byte(data), "t", []string{"", "needle", "a"}[i%3], i%5, 1+i%7, uint64(i))
	}
	f.Add([]byte(`{"t":"`+strings.Repeat("😀", 20_000)+`needle"}`), "t", "needle", 8192, 16_384, uint64(3))
	f.Fuzz(func(t *testing.T, data []byte, name, query string, at, limit int, cut uint64) {
		w := Window{Name: name, Start: max(at, 0), Limit: max(limit, 1), Query: []byte(query), Before: min(max(at, 0), 8192)}
		if json.Valid(data) && utf8.Valid(data) && utf8.ValidString(query) { // the boundary lets no other pass, and no text has another
			sameWindow(t, data, w, cut)
		} else {
			w.Write(data) // and does not panic
		}
	})
}

func sameWindow(t interface{ Errorf(string, ...any) }, data []byte, w Window, cut uint64) {
	random, longest := rand.New(rand.NewPCG(cut, 0)), []int{1, 3, 100, 70_000}[cut%4]
	want := whole(data, &w)
	if got := found(data, &w, func() int { return 1 + random.IntN(longest) }); got != want {
		t.Errorf("%.500s\n%q in pieces of up to %d: got %.300s, want %.300s", data, w.Query, longest, got, want)
	}
}

// RD-22.3, RD-22.4: the same of random records, whose texts are as long as what is looked through together.
func TestWindowOfAnyRecord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sample := func(of ...string) string { return rapid.SampledFrom(of).Draw(rt, "sample") }
		text := func() string {
			b := strings.Builder{}
			for range rapid.IntRange(0, 6).Draw(rt, "runs") {
				run := sample("a", "é", "needle", "need", "needleneedle", "😀", `\\`, `\"`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\n`, `\u0000`, "}", "{", ",", "t", `\u0074`)
				b.WriteString(strings.Repeat(run, rapid.SampledFrom([]int{1, 2, 7, 4000, 17_000}).Draw(rt, "times")))
			}
			return `"` + b.String() + `"`
		}
		var value func(depth int) string
		value = func(depth int) string {
			space := sample("", " ", "\n")
			switch kind := rapid.IntRange(0, 5).Draw(rt, "kind"); {
			case kind == 0 && depth < 3:
				return "[" + space + value(depth+1) + "," + space + value(depth+1) + "]"
			case kind == 1 && depth < 3:
				return `{"t"` + space + ":" + value(depth+1) + space + `,"u":` + value(depth+1) + "}"
			case kind == 2: //nolint:mnd // one of six
				return sample("null", "true", "-1.5e3", "0", "[]", "{}")
			}
			return text()
		}
		var members []string
		for range rapid.IntRange(0, 4).Draw(rt, "members") {
			members = append(members, sample(`"t"`, `"\u0074"`, `"tt"`, `"u"`, text())+": "+value(0))
		}
		sameWindow(rt, []byte("{"+strings.Join(members, ",")+"}"), Window{
			Name: sample("t", "tt", ""), Start: rapid.IntRange(0, 40_000).Draw(rt, "start"), Limit: rapid.IntRange(1, 16_384).Draw(rt, "limit"),
			Query: []byte(sample("", "needle", "é", "need", "\\", strings.Repeat("needle", 3000))), Before: rapid.SampledFrom([]int{0, 1, 5, 8192}).Draw(rt, "before"),
		}, rapid.Uint64().Draw(rt, "cut"))
	})
}

// RD-22.6: a window of a text of 100 MB, and of a search through it, takes under 1 MB.
func TestWindowOfALongText(t *testing.T) { //nolint:paralleltest // it counts what the process allocates
	const pieces = 1550
	piece := []byte(strings.Repeat(strings.Repeat("plain text, é 😀 ", 100)+`\n\u20ac\ud83d\ude00`, 1<<16/2000))
	text := strings.NewReplacer(`\n`, "\n", `\u20ac`, "€", `\ud83d\ude00`, "😀").Replace(string(piece))
	chars := utf8.RuneCountInString(text)
	for _, query := range []string{"", "needle"} {
		w := Window{Name: "t", Start: chars * pieces / 2, Limit: 16384, Query: []byte(query), Before: 8192}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		w.Write([]byte(`{"t":"`))
		for range pieces {
			w.Write(piece)
		}
		w.Write([]byte(`needle"}`))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 1_000_000 {
			t.Errorf("%q: a window of %d bytes allocated %d, want under 1 MB", query, pieces*len(piece), used)
		}
		if n := chars*pieces + len("needle"); w.Total != n {
			t.Errorf("%q: got %d characters, want %d", query, w.Total, n)
		}
		want := 16384
		if query != "" {
			want = 8192 + len(query)
			if w.Match != chars*pieces {
				t.Errorf("got the match at %d, want it at %d", w.Match, chars*pieces)
			}
		}
		if n := utf8.RuneCount(w.Text); n != want || !utf8.Valid(w.Text) {
			t.Errorf("%q: got a part of %d characters, want %d whole ones", query, n, want)
		}
	}
}
