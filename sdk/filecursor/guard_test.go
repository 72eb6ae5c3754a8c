package filecursor

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// From an offset on, the lines are those of a scan from the start, and oversized ones are
// counted where they are.
func TestOpenAt(t *testing.T) {
	t.Parallel()
	text := "one\n\n" + strings.Repeat("x", 50) + "\ntwo\n" + strings.Repeat("y", 21) + "\ntorn"
	read := func(sc *Scanner, offset int64) (got string, lines int64) {
		if err := sc.OpenAt(newDisk(text), name, offset); err != nil {
			t.Fatal(err)
		}
		for sc.Next() {
			lines++
			got += fmt.Sprintf("%d:%s:%d:%d ", sc.Offset(), sc.Line(), sc.Position(), sc.Skipped())
		}
		got += fmt.Sprintf("%d:%d", sc.Position(), sc.Skipped())
		if _, err := sc.Close(); err != nil {
			t.Fatal(err)
		}
		return got, lines + sc.Skipped()
	}
	for buffer := 1; buffer < 40; buffer += 3 {
		sc := &Scanner{MaxLine: 20, Buffer: buffer}
		for _, c := range []struct {
			offset int64
			want   string
			lines  int64
		}{
			{0, "0:one:4:0 4::5:0 56:two:60:1 82:2", 5}, {5, "56:two:60:1 82:2", 3}, {60, "82:1", 1}, {82, "82:0", 0},
		} {
			if got, lines := read(sc, c.offset); got != c.want || lines != c.lines {
				t.Errorf("buffer %d, from %d: got %s and %d lines, want %s and %d", buffer, c.offset, got, lines, c.want, c.lines)
			}
		}
	}
}

// A file that loses what was read of it, or goes, says so.
func TestOpenAtNoticesAChange(t *testing.T) {
	t.Parallel()
	for now, want := range map[string]Change{"one\ntwo\n": Stable, "one\ntwo\nthree\n": Stable, "one\n": Rewritten} {
		d, sc := newDisk("one\ntwo\n"), &Scanner{}
		if err := sc.OpenAt(d, name, 0); err != nil {
			t.Fatal(err)
		}
		for sc.Next() { //nolint:revive // only the end matters
		}
		d.write(now)
		if res, err := sc.Close(); err != nil || res.Change != want {
			t.Errorf("%q: %v, %v, want %v", now, res.Change, err, want)
		}
	}
}

func TestGuards(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("0123456789abcde\n", GuardBytes/8)
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	for _, offset := range []int{0, 1, 16, tailBytes, GuardBytes, GuardBytes + 16, len(text)} {
		head, tail, err := Guards(newDisk(text), name, int64(offset))
		wantHead, wantTail := sum(text[:min(offset, GuardBytes)]), sum(text[max(offset-tailBytes, 0):offset])[:16]
		if err != nil || head != wantHead || tail != wantTail {
			t.Errorf("%d bytes: %s, %s, %v, want %s, %s", offset, head, tail, err, wantHead, wantTail)
		}
	}
	if _, _, err := Guards(newDisk(text), name, int64(len(text))+1); err == nil {
		t.Error("more bytes than the file has: no error, want one")
	}
}

// part is a cursor inside of another one.
type part struct{ file Cursor }

func (p *part) Members(m *cursor.Members) { Members(m, &p.file) }

// A typed cursor keeps what is known of a file, and forgets what is not whole.
func TestMembers(t *testing.T) {
	t.Parallel()
	known := part{Cursor{Offset: 7, Size: 9, MTimeMS: 11, known: true}}
	known.file.PrefixSHA256[31] = 0xa9
	for _, p := range []part{known, {Cursor{known: true}}, {}} {
		text := cursor.Append(nil, &p)
		v, err := jsonvalue.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var back part
		if cursor.Fill(v, &back); back != p {
			t.Errorf("%s: read as %+v, want %+v", text, back, p)
		}
		if p.file.known && p.file.Offset > 0 && ParseCursor(v) != p.file {
			t.Errorf("%s: ParseCursor reads %+v, want %+v", text, ParseCursor(v), p.file)
		}
	}
	for _, text := range []string{`{"committed_offset_bytes":3,"observed_size_bytes":3}`, `{"committed_prefix_sha256":"00"}`,
		`{"committed_offset_bytes":-1,"committed_prefix_sha256":"` + strings.Repeat("0", 64) + `"}`} {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var p part
		if cursor.Fill(v, &p); p != (part{}) {
			t.Errorf("%s: read as %+v, want the zero Cursor", text, p)
		}
	}
}
