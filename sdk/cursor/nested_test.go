package cursor_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
)

// file is what a cursor knows of one file.
type file struct {
	offset int64
	at     time.Time
	lines  []int64
}

func (f *file) Members(m *cursor.Members) {
	m.IntOr("offset", &f.offset, -1)
	m.Time("at", &f.at)
	m.Ints("lines", &f.lines, 2)
}

// shelf has files by name and in a list.
type shelf struct {
	files map[string]*file
	list  []file
	sums  map[string]int64
	room  int
	left  int
}

func newShelf() *shelf {
	return &shelf{files: map[string]*file{}, sums: map[string]int64{}, room: 1 << 20}
}

func (s *shelf) Members(m *cursor.Members) {
	m.Numbers("sums", &s.sums, s.room)
	cursor.List(m, "list", &s.list, 2)
	s.left = cursor.Map(m, "files", &s.files, s.room-m.Len())
}

func TestNested(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.files["b"] = &file{offset: 0, at: time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC), lines: []int64{3, 1}}
	s.files["a"] = &file{offset: -1}
	s.list, s.sums["x"] = []file{{offset: 7}}, 1<<48
	got := string(cursor.Encode(1, sdk.Account{}, s))
	const want = `{"v":1,"sums":{"x":281474976710656},"list":[{"offset":7}],` +
		`"files":{"b":{"offset":0,"at":"2026-01-02T03:04:05.006Z","lines":[3,1]},"a":{}}}`
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	back := newShelf()
	if !cursor.Read(parse(t, got), 1, back) {
		t.Fatalf("%s is not read, want it read", got)
	}
	if again := string(cursor.Encode(1, sdk.Account{}, back)); again != got || back.files["a"].offset != -1 {
		t.Errorf("read and written again: got %s, want %s", again, got)
	}
	for _, other := range []string{`{"v":1,"files":[{}],"sums":[3],"list":{"a":{}}}`, `{"v":1,"files":7}`} {
		back := newShelf()
		cursor.Read(parse(t, other), 1, back)
		if len(back.files)+len(back.sums) != 0 {
			t.Errorf("%s: %d files and %d sums, want none", other, len(back.files), len(back.sums))
		}
	}
}

// Entries that do not fit are left out from the front, and counted.
func TestMapWithinItsRoom(t *testing.T) {
	t.Parallel()
	for room := 40; room < 900; room += 13 {
		s := newShelf()
		s.room = room
		for i := range 20 {
			s.files[fmt.Sprintf("file-%02d", i)] = &file{offset: int64(i)}
		}
		text := string(cursor.Encode(1, sdk.Account{}, s))
		if parse(t, text); len(text) > room+1 {
			t.Errorf("room for %d: %d bytes, want no more than that and a brace", room, len(text))
		}
		if kept := strings.Count(text, "file-"); kept+s.left != 20 || kept > 0 && !strings.Contains(text, "file-19") {
			t.Errorf("room for %d: %d of 20 kept and %d left, want the last ones kept: %s", room, kept, s.left, text)
		}
	}
}

func TestPace(t *testing.T) {
	t.Parallel()
	p := cursor.Pace{Every: 100}
	for _, c := range []struct {
		read, wrote int
		due         bool
	}{{99, -1, false}, {1, -1, true}, {0, 10, false}, {100, -1, false}, {60, -1, true}, {0, 0, false}, {100, -1, true}} {
		p.Read(int64(c.read))
		if c.wrote >= 0 {
			p.Wrote(c.wrote)
		}
		if got := p.Due(); got != c.due {
			t.Errorf("%+v: due %v, want %v", c, got, c.due)
		}
	}
}
