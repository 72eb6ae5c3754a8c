package filecursor

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// disk is one file whose clock ticks with every change.
type disk struct {
	fstest.MapFS
	clock time.Time
}

const name = "dir/a.jsonl"

func newDisk(text string) *disk {
	d := &disk{MapFS: fstest.MapFS{}, clock: time.UnixMilli(1_700_000_000_000)}
	d.write(text)
	return d
}

func (d *disk) write(text string) {
	d.clock = d.clock.Add(time.Millisecond)
	d.MapFS[name] = &fstest.MapFile{Data: []byte(text), ModTime: d.clock}
}

func (d *disk) text() string { return string(d.MapFS[name].Data) }

// scan reads the file once; between is called before the Close.
func scan(t testing.TB, sc *Scanner, fsys fs.FS, c Cursor, between func()) ([]string, Result) {
	t.Helper()
	plan, err := sc.Open(fsys, name, c)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for sc.Next() {
		lines = append(lines, fmt.Sprintf("%d:%s", sc.Offset(), sc.Line()))
	}
	if between != nil {
		between()
	}
	res, err := sc.Close()
	if err != nil {
		t.Fatal(err)
	}
	if res.Plan != plan {
		t.Fatalf("planned %v, did %v", plan, res.Plan)
	}
	return lines, res
}

func TestPlans(t *testing.T) {
	t.Parallel()
	const start = "one\ntwo\nto"
	for what, c := range map[string]struct {
		change func(d *disk)
		plan   Plan
		lines  []string
	}{
		"unchanged": {func(*disk) {}, Skip, nil},
		"touched":   {func(d *disk) { d.write(d.text()) }, Append, nil},
		"completed": {func(d *disk) { d.write(d.text() + "rn\n") }, Append, []string{"8:torn"}},
		"appended":  {func(d *disk) { d.write(d.text() + "rn\n\nlast\nx") }, Append, []string{"8:torn", "13:", "14:last"}},
		"untorn":    {func(d *disk) { d.write("one\ntwo\n") }, Append, nil},
		"cut":       {func(d *disk) { d.write("one\n") }, Rebuild, []string{"0:one"}},
		"emptied":   {func(d *disk) { d.write("") }, Rebuild, nil},
		"rewritten": {func(d *disk) { d.write("one\ntwO\nmore\n") }, Rebuild, []string{"0:one", "4:twO", "8:more"}},
		"same size": {func(d *disk) { d.write("oNe\ntwo\nto") }, Rebuild, []string{"0:oNe", "4:two"}},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d, sc := newDisk(start), &Scanner{Buffer: 4}
			lines, first := scan(t, sc, d, Cursor{}, nil)
			if first.Plan != Rebuild || !slices.Equal(lines, []string{"0:one", "4:two"}) || first.TornBytes != 2 || first.Bytes != 8 {
				t.Fatalf("%q %+v, want first.Plan = %v, lines = %q, first.TornBytes = 2 and first.Bytes = 8", lines, first, Rebuild, []string{"0:one", "4:two"})
			}
			c.change(d)
			lines, res := scan(t, sc, d, first.Cursor, nil)
			if res.Plan != c.plan || !slices.Equal(lines, c.lines) || !res.Advanced || res.Change != Stable {
				t.Errorf("%q %+v, want Plan = %v, lines = %v, Advanced and Change = %v", lines, res, c.plan, c.lines, Stable)
			}
			if _, again := scan(t, sc, d, res.Cursor, nil); again.Plan != Skip || again.Cursor != res.Cursor {
				t.Errorf("then %+v, want again.Plan = %v and again.Cursor = %v", again, Skip, res.Cursor)
			}
		})
	}
}

// The result describes a change of the file during the reading, and only the part that
// did not change moves the cursor.
func TestChangesUnderTheScan(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		change   func(d *disk)
		want     Change
		advanced bool
	}{
		"nothing":   {func(*disk) {}, Stable, true},
		"appended":  {func(d *disk) { d.write(d.text() + "three\n") }, Grew, true},
		"touched":   {func(d *disk) { d.write(d.text()) }, Grew, true},
		"rewritten": {func(d *disk) { d.write("oNe\ntwo\nlonger\n") }, Rewritten, false},
		"same size": {func(d *disk) { d.write("oNe\ntwo\n") }, Rewritten, false},
		"cut":       {func(d *disk) { d.write("one\n") }, Rewritten, false},
		"gone":      {func(d *disk) { delete(d.MapFS, name) }, Vanished, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			d, sc := newDisk("one\n"), &Scanner{}
			_, first := scan(t, sc, d, Cursor{}, nil)
			d.write("one\ntwo\n")
			lines, res := scan(t, sc, d, first.Cursor, func() { c.change(d) })
			if !slices.Equal(lines, []string{"4:two"}) || res.Change != c.want || res.Advanced != c.advanced {
				t.Fatalf("%q %+v, want lines = %q, Change = %v and Advanced = %v", lines, res, []string{"4:two"}, c.want, c.advanced)
			}
			if !c.advanced && res.Cursor != first.Cursor {
				t.Error("the cursor moved, want the earlier one")
			}
			if what != "appended" {
				return
			}
			if lines, res = scan(t, sc, d, res.Cursor, nil); res.Plan != Append || !slices.Equal(lines, []string{"8:three"}) {
				t.Errorf("then %q %+v, want Plan = %v and lines = %q", lines, res, Append, []string{"8:three"})
			}
		})
	}
}

func TestOversized(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for _, c := range []struct {
		text string
		want []string
		over []Oversized
		torn int64
	}{
		{"a\n" + long + "\nb\n", []string{"0:a", "103:b"}, []Oversized{{2, 100, 2}}, 0},
		{long[:10] + "\n" + long[:11] + "\n" + long[:12] + "\nb\n", []string{"0:xxxxxxxxxx", "36:b"}, []Oversized{{11, 11, 2}, {23, 12, 3}}, 0},
		{"a\n" + long, []string{"0:a"}, nil, 100},
		{long + "\n" + long + "\n", nil, []Oversized{{0, 100, 1}, {101, 100, 2}}, 0},
		{long, nil, nil, 100},
	} {
		for _, buffer := range []int{1, 3, 8, 11, 64} {
			d, sc := newDisk(c.text), &Scanner{MaxLine: 10, Buffer: buffer}
			lines, res := scan(t, sc, d, Cursor{}, nil)
			if !slices.Equal(lines, c.want) || !slices.Equal(res.Oversized, c.over) || res.TornBytes != c.torn {
				t.Errorf("%q: %q %+v, want lines = %v, Oversized = %v and TornBytes = %v", c.text, lines, res, c.want, c.over, c.torn)
			}
			if len(sc.buf) > 11 {
				t.Errorf("a buffer of %d bytes for lines of 10, want at most 11", len(sc.buf))
			}
			if want := sha256.Sum256([]byte(c.text[:res.Cursor.Offset])); res.Cursor.PrefixSHA256 != want {
				t.Errorf("%q: the hash up to %d is wrong, want Cursor.PrefixSHA256 = %v", c.text, res.Cursor.Offset, want)
			}
			// The torn line goes on, and none of it is lost.
			d.write(c.text + "\nnext\n")
			lines, res = scan(t, sc, d, res.Cursor, nil)
			if res.Plan != Append || lines[len(lines)-1] != fmt.Sprintf("%d:next", len(c.text)+1) {
				t.Errorf("%q then: %q %+v, want Plan = %v and lines[len(lines)-1] = %v", c.text, lines, res, Append, fmt.Sprintf("%d:next", len(c.text)+1))
			}
		}
	}
}

// A checkpoint in the middle of a file: the next run delivers the rest.
func TestCursorInTheMiddle(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\ntwo\nthree\n"), &Scanner{}
	for n := range 4 {
		if _, err := sc.Open(d, name, Cursor{}); err != nil {
			t.Fatal(err)
		}
		for range n {
			sc.Next()
		}
		middle := sc.Cursor()
		res, err := sc.Close() // before the end
		if err != nil || res.Cursor != middle && n < 3 {
			t.Errorf("Close gives %+v, want %+v, as Cursor gave", res.Cursor, middle)
		}
		lines, res := scan(t, sc, d, middle, nil)
		want := []string{"0:one", "4:two", "8:three"}[n:]
		if !slices.Equal(lines, want) && n < 3 || n < 3 && res.Plan != Append || n == 3 && res.Plan != Skip {
			t.Errorf("behind %d lines: %q %+v, want the lines %q", n, lines, res, want)
		}
	}
}

// breaking is a file that cannot be read to its end.
type breaking struct {
	fs.File
	left int
}

var errBroken = errors.New("broken")

func (b *breaking) Read(p []byte) (int, error) {
	if b.left == 0 {
		return 0, errBroken
	}
	n, err := b.File.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

type breakingFS struct {
	fs.FS
	after int
}

func (f breakingFS) Open(path string) (fs.File, error) {
	file, err := f.FS.Open(path)
	if err != nil {
		return nil, err
	}
	return &breaking{file, f.after}, nil
}

func TestErrors(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\ntwo\n"), &Scanner{Buffer: 2}
	if _, err := sc.Open(d, "none", Cursor{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want %v", err, fs.ErrNotExist)
	}
	if _, err := sc.Open(d, "dir", Cursor{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("%v, want %v", err, ErrNotRegular)
	}
	if sc.Next() {
		t.Error("Next found a line without an open file")
	}
	if _, err := sc.Open(breakingFS{d, 5}, name, Cursor{}); err != nil {
		t.Fatal(err)
	}
	n := 0
	for sc.Next() {
		n++
	}
	res, err := sc.Close()
	if n != 1 || !errors.Is(err, errBroken) || !errors.Is(sc.Err(), errBroken) || res.Advanced || res.Cursor.Known() {
		t.Errorf("%d lines, %v, %+v, want n = 1, err = %v, sc.Err() = %v, not Advanced and not Cursor.Known()", n, err, res, errBroken, errBroken)
	}
	_, full := scan(t, sc, d, Cursor{}, nil)
	d.write(d.text() + "three\n")
	if _, err := sc.Open(breakingFS{d, 5}, name, full.Cursor); !errors.Is(err, errBroken) {
		t.Error("a prefix that cannot be read gives", err, "want", errBroken)
	}
}

// stuck never gives a byte and never ends.
type stuck struct{ fs.File }

func (stuck) Read([]byte) (int, error) { return 0, nil }

type stuckFS struct{ fs.FS }

func (f stuckFS) Open(path string) (fs.File, error) {
	file, err := f.FS.Open(path)
	return stuck{file}, err
}

func TestStuckFile(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\n"), &Scanner{}
	if _, err := sc.Open(stuckFS{d}, name, Cursor{}); err != nil {
		t.Fatal(err)
	}
	if sc.Next() || !errors.Is(sc.Err(), io.ErrNoProgress) {
		t.Errorf("%v, want no line and %v", sc.Err(), io.ErrNoProgress)
	}
}

func TestCursorJSON(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\n"), &Scanner{}
	_, res := scan(t, sc, d, Cursor{}, nil)
	text := string(res.Cursor.AppendJSON(nil))
	want := `{"committed_offset_bytes":4,"committed_prefix_sha256":"` + fmt.Sprintf("%x", sha256.Sum256([]byte("one\n"))) +
		`","observed_size_bytes":4,"observed_mtime_ms":1700000000001}`
	if text != want {
		t.Errorf("got %s, want %s", text, want)
	}
	if back := ParseCursor(value(t, text)); back != res.Cursor {
		t.Errorf("back comes %+v, want %+v", back, res.Cursor)
	}
	if string(Cursor{}.AppendJSON(nil)) != "null" {
		t.Error("the zero cursor is not written as null")
	}
	for _, bad := range []string{
		"null", "{}", "1", strings.Replace(text, "4", "-4", 1), strings.Replace(text, "observed_mtime_ms", "x", 1),
		strings.Replace(text, `sha256":"`, `sha256":"z`, 1), strings.Replace(text, `sha256":"2`, `sha256":"G`, 1), strings.Replace(text, ":4,", ":4.5,", 1),
	} {
		if c := ParseCursor(value(t, bad)); c.Known() {
			t.Errorf("%s was read as a cursor, want the zero Cursor", bad)
		}
	}
}

func value(t *testing.T, text string) jsonvalue.Value {
	t.Helper()
	v, err := jsonvalue.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// cutFS ends its files before the size that they claim.
type cutFS struct {
	fs.FS
	at int64
}

type cutFile struct {
	fs.File
	io.Reader
}

func (c cutFile) Read(p []byte) (int, error) { return c.Reader.Read(p) }

func (c cutFS) Open(path string) (fs.File, error) {
	file, err := c.FS.Open(path)
	if err != nil {
		return nil, err
	}
	return cutFile{file, io.LimitReader(file, c.at)}, nil
}

// A file that was shorter while it was read than before and after is read again.
func TestShortRead(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\ntwo\n"), &Scanner{}
	lines, res := scan(t, sc, cutFS{d, 5}, Cursor{}, nil)
	if !slices.Equal(lines, []string{"0:one"}) || res.Change != Rewritten || res.Advanced {
		t.Errorf("%q %+v, want lines = %q, Change = %v and not Advanced", lines, res, []string{"0:one"}, Rewritten)
	}
	if lines, _ = scan(t, sc, d, res.Cursor, nil); len(lines) != 2 {
		t.Errorf("then %q, want len(lines) = 2", lines)
	}
}

// A file in whose place another one of its size and time of modification was put is read again, and one whose
// rights alone were changed is not delivered again. A cursor of an earlier version learns the time of the change.
func TestChangesBehindSizeAndTime(t *testing.T) {
	t.Parallel()
	d, sc := newDisk("one\ntwo\n"), &Scanner{}
	_, first := scan(t, sc, d, Cursor{}, nil)
	at := func(ms int64, text string) {
		d.MapFS[name] = &fstest.MapFile{Data: []byte(text), ModTime: d.clock, Sys: time.UnixMilli(ms)}
	}
	cursor := first.Cursor
	for _, c := range []struct {
		ms    int64
		text  string
		plan  Plan
		lines int
	}{{5, "one\ntwo\n", Skip, 0}, {5, "one\ntwo\n", Skip, 0}, {6, "one\ntwo\n", Append, 0}, {7, "oNe\ntwo\n", Rebuild, 2}, {7, "oNe\ntwo\n", Skip, 0}} {
		at(c.ms, c.text)
		lines, res := scan(t, sc, d, cursor, nil)
		if cursor = ParseCursor(value(t, string(res.Cursor.AppendJSON(nil)))); res.Plan != c.plan || len(lines) != c.lines || cursor.CTimeMS != c.ms {
			t.Errorf("%q changed at %d: got the plan %v, lines %q, cursor of %d, want %v and %d lines", c.text, c.ms, res.Plan, lines, cursor.CTimeMS, c.plan, c.lines)
		}
	}
}

// The number of a line is the one that an editor shows, wherever the scan resumed.
func TestLineNumbers(t *testing.T) {
	t.Parallel()
	const text = "\ufeff1\n2\n333333333333\n\n5\n6"
	for _, cut := range []int{0, 5, 7, len(text) - 4, len(text) - 2, len(text)} { // in front of a line, or behind one without an LF
		sc := &Scanner{MaxLine: 9, Buffer: 3, Whole: func([]byte) bool { return true }}
		d := newDisk(text[:cut])
		_, first := scan(t, sc, d, Cursor{}, nil)
		d.write(text + "\n7")
		if _, err := sc.Open(d, name, first.Cursor); err != nil {
			t.Fatal(err)
		}
		for sc.Next() {
			if got, want := sc.LineNumber(), int64(1+strings.Count(text[:min(int(sc.Offset()), len(text))], "\n")); len(sc.Line()) > 0 && sc.Line()[0] != byte('0'+got) || sc.Offset() < int64(len(text)) && got != want {
				t.Errorf("cut at %d: %q at byte %d has the number %d, want %d", cut, sc.Line(), sc.Offset(), got, want)
			}
		}
		res, err := sc.Close()
		if err != nil || len(res.Oversized) > 1 || len(res.Oversized) == 1 && res.Oversized[0].Line != 3 {
			t.Errorf("cut at %d: got %+v, %v, want the long line 3", cut, res.Oversized, err)
		}
	}
}
