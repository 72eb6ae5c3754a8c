package cursor_test

import (
	"fmt"
	"testing"
	"time"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place has a member of each kind.
type place struct {
	newest int64
	whole  bool
	next   string
	last   []string
	known  cursor.Sums
	at     time.Time
	counts map[string]int64
	each   map[string]*part
	spans  []part
}

// part is a value with members of its own.
type part struct{ n int64 }

func (p *part) Members(m *cursor.Members) { m.Int("n", &p.n) }

func (p *place) Members(m *cursor.Members) {
	m.Int("newest_ms", &p.newest)
	m.Flag("whole", &p.whole)
	m.Text("next", &p.next)
	m.Texts("last", &p.last, 3)
	m.Sums("known", &p.known)
	m.Time("at", &p.at)
	m.Numbers("counts", &p.counts, 26)
	cursor.Map(m, "each", &p.each, 100)
	cursor.List(m, "spans", &p.spans, 2)
}

func parse(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestEncode(t *testing.T) {
	t.Parallel()
	p := place{
		newest: -5, whole: true, next: "a\"b", last: []string{"1", "2", "3", "4"}, at: time.Date(2026, 1, 2, 4, 4, 5, 0, time.FixedZone("", 3600)),
		counts: map[string]int64{"c": 3, "b": 0, "a": -1}, each: map[string]*part{"y": {}, "x": {7}}, spans: []part{{1}, {2}, {3}},
	}
	p.known.Set("b", 1)
	p.known.Set("a", 1<<48-1)
	const want = `{"v":2,"newest_ms":-5,"whole":true,"next":"a\"b","last":["1","2","3"],"known":{"a":"________","b":"00000001"},` +
		`"at":"2026-01-02T03:04:05Z","counts":{"a":-1,"b":0},"each":{"y":{},"x":{"n":7}},"spans":[{"n":1},{"n":2}]}`
	got := string(cursor.Encode(2, sdk.Account{}, &p))
	var read place
	if !cursor.Read(parse(t, got), 2, &read) {
		t.Fatalf("%s is not read, want it read", got)
	}
	if again := string(cursor.Encode(2, sdk.Account{}, &read)); again != got {
		t.Errorf("read and written again: got %s, want %s", again, got)
	}
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if empty := string(cursor.Encode(2, sdk.Account{}, &place{})); empty != `{"v":2}` {
		t.Errorf("the empty cursor: got %s, want its version alone", empty)
	}
}

// A cursor of another version, or without one, is forgotten.
func TestOtherVersion(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"v":1,"newest_ms":5}`, `{"newest_ms":5}`, `{"v":"2","newest_ms":5}`, `{"v":2.5,"newest_ms":5}`} {
		var p place
		if cursor.Read(parse(t, text), 2, &p) || p.newest != 0 {
			t.Errorf("%s: read as %+v, want it forgotten", text, p)
		}
	}
	// One of before there was a version is read by Fill.
	var p place
	if cursor.Fill(parse(t, `{"newest_ms":5}`), &p); p.newest != 5 {
		t.Errorf("filled as %+v, want its member", p)
	}
	if cursor.Read(jsonvalue.Value{}, 2, &p) {
		t.Error("no cursor was read, want it not read")
	}
}

// For any cursor, what is written is read as it was.
func FuzzCursor(f *testing.F) {
	f.Add(`{"v":2,"newest_ms":5,"whole":true,"next":"x","last":["a"],"known":{"a":"3abcdefg"}}`)
	f.Add(`{"v":2,"newest_ms":"5","whole":7,"next":[],"last":[1,null],"known":{"":"--------","b":3}}`)
	f.Add(`{"v":2,"at":"2026-01-02T03:04:05.5+01:00","counts":{"a":1,"b":"x","c":3},"each":{"x":{"n":1},"y":7},"spans":[{"n":2},8,[]]}`)
	f.Add("{\"v\":2,\"next\":\"\xff\\ud800\",\"known\":[1]}")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			return
		}
		var p, q place
		cursor.Read(v, 2, &p)
		once := cursor.Encode(2, sdk.Account{}, &p)
		w, err := jsonvalue.Parse(once)
		if err != nil || !utf8.Valid(once) || !cursor.Read(w, 2, &q) {
			t.Fatalf("%s: %v, want a cursor in valid UTF-8", once, err)
		}
		if twice := cursor.Encode(2, sdk.Account{}, &q); string(once) != string(twice) {
			t.Errorf("written again: got %s, want %s", twice, once)
		}
	})
}

// The largest map stays below the limit of a STATE, and what is beyond it is not remembered.
func TestLargestSums(t *testing.T) {
	t.Parallel()
	var p place
	for i := range cursor.MostSums + 5 {
		p.known.Set(fmt.Sprintf("%040d", i), 1<<48-1)
	}
	if n := len(cursor.Encode(2, sdk.Account{}, &p)); n > abi.MaxStateBytes-(64<<10) || p.known.Len() != cursor.MostSums {
		t.Errorf("%d keys in %d bytes, want %d in at most %d", p.known.Len(), n, cursor.MostSums, abi.MaxStateBytes-(64<<10))
	}
	if _, known := p.known.Get(fmt.Sprintf("%040d", cursor.MostSums)); known {
		t.Error("a key beyond the bound is known, want it forgotten")
	}
}

func TestSumsKeep(t *testing.T) {
	t.Parallel()
	var s cursor.Sums
	for _, key := range []string{"a", "b", "c"} {
		s.Set(key, 1)
	}
	s.Keep(func(key string) bool { return key > "a" })
	if got := fmt.Sprint(s.Keys()); got != "[b c]" {
		t.Errorf("kept %s, want [b c]", got)
	}
}

// connector is one whose Collect is a function.
type connector func(h *sdk.Host) error

func (connector) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (c connector) Collect(h *sdk.Host) error { return c(h) }

// A large cursor is not written after every page.
func TestSaver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ known, records, want int }{{0, 0, 40}, {1000, 0, 2}, {1000, 50, 40}} {
		var p place
		for i := range c.known {
			p.known.Set(fmt.Sprintf("%040d", i), 7)
		}
		res := sdktest.Collect(t, connector(func(h *sdk.Host) error {
			s := cursor.Saver{Host: h, Stream: "notes", Version: 2, Value: &p}
			for page := range 40 {
				for i := range c.records {
					r := h.Record("notes")
					r.Int("id", int64(page*c.records+i))
					if err := r.Emit(); err != nil {
						return err
					}
				}
				if err := s.Page(fmt.Sprint("page ", page)); err != nil {
					return err
				}
			}
			return nil
		}), sdktest.Options{})
		if len(res.States) != c.want {
			t.Errorf("%d keys and %d records a page: %d cursors after 40 pages, want %d", c.known, c.records, len(res.States), c.want)
		}
	}
}
