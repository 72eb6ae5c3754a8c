package archive

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// listed is what a reader says of each entry: its name, and the code of its problem or its content.
func listed(t *testing.T, r *Reader) string {
	t.Helper()
	defer r.Close()
	var list []string
	for r.Next() {
		e := r.Entry()
		if e.Problem != nil {
			list = append(list, e.Name+" "+string(e.Problem.Code))
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e.Name+"="+string(text))
	}
	if r.Err() != nil {
		list = append(list, string(abi.CodeOf(r.Err())))
	}
	return strings.Join(list, ", ")
}

// AC-06: a zip of Windows has backslashes between folders. Names that lead out of it are refused all the same.
func TestBackslashesInNames(t *testing.T) {
	t.Parallel()
	pack := func(names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name})
			if err == nil && !strings.HasSuffix(name, `\`) {
				_, err = io.WriteString(w, "x")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		names []string
		want  string
	}{
		{[]string{`Takeout\`, `Takeout\Mail\`, `Takeout\Mail\All.mbox`, `one.json`}, "Takeout/Mail/All.mbox=x, one.json=x"},
		{[]string{`..\a`, `a\..\b`, `\a`, `C:\a`, `C:a`, `a\\b`, `a\.\b`}, "../a archive.unsafe_name, a/../b archive.unsafe_name, /a archive.unsafe_name, C:/a archive.unsafe_name, C:a archive.unsafe_name, a//b archive.unsafe_name, a/./b archive.unsafe_name"},
		{[]string{`a/b\c`}, `a/b\c archive.unsafe_name`},
		{[]string{`a\b`, `a/b`}, "a/b=x, a/b archive.duplicate_name"},
		{[]string{`a\b.zip`}, "a/b.zip archive.nested"},
	} {
		packed := pack(c.names...)
		for what, data := range map[string][]byte{"": packed, "archive.truncated": packed[:len(packed)-10]} {
			want := c.want
			if what != "" { // without its directory the first of two counts, and the cut is told
				want = strings.ReplaceAll(want, ", a/b archive.duplicate_name", "") + ", " + what
			}
			r, err := Open(fstest.MapFS{"a.zip": {Data: data}}, "a.zip", Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := listed(t, r); got != want {
				t.Errorf("%q: got %s, want %s", c.names, got, want)
			}
		}
	}
	files := fstest.MapFS{`a\b`: {Data: []byte("x"), Mode: fs.FileMode(0o600)}, `C:c`: {Data: []byte("y")}}
	if got := listed(t, OpenFiles(files, []Loose{{Path: `C:c`, Size: 1}, {Path: `a\b`, Size: 1}}, Limits{})); got != `C:c=y, a\b=x` {
		t.Errorf("loose files: got %s, want both read, by the names that they have", got)
	}
}
