package files_test

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var day = time.Date(2026, 2, 14, 9, 30, 0, 0, time.UTC)

// folder is a tree in memory in which some places cannot be read.
type folder struct {
	fstest.MapFS
	barred string
}

func (f folder) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == f.barred {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	return f.MapFS.ReadDir(name)
}

func (f folder) Stat(name string) (fs.FileInfo, error) {
	if file := f.MapFS[name]; file != nil && file.Mode&fs.ModeSymlink != 0 {
		return f.MapFS.Stat(string(file.Data))
	}
	return f.MapFS.Stat(name)
}

func tree(names ...string) folder {
	f := folder{MapFS: fstest.MapFS{}}
	for _, name := range names {
		name, to, _ := strings.Cut(name, "->")
		f.MapFS[name] = &fstest.MapFile{Data: []byte("text"), ModTime: day}
		if to != "" {
			f.MapFS[name] = &fstest.MapFile{Data: []byte(to), Mode: fs.ModeSymlink, ModTime: day}
		}
	}
	return f
}

// said is a listing in words: its entries, then its faults.
func said(l *files.Listing) string {
	var words []string
	for _, e := range l.Entries {
		words = append(words, e.Path+"="+e.Word())
	}
	for _, f := range l.Faults {
		words = append(words, f.Path+"!"+strconv.Itoa(int(f.Why)))
	}
	return strings.Join(words, " ")
}

func TestWalk(t *testing.T) {
	t.Parallel()
	all := tree("in/b/c/d.md", "in/a.md", "in/a-link->in/a.md", "in/away->nowhere", "in/round->in/b", ".hidden")
	for name, c := range map[string]struct {
		walk files.Walk
		dir  string
		want string
	}{
		"all":       {files.Walk{Depth: 4, Most: 99}, "in", "a-link=file a.md=file away=link b=directory b/c=directory b/c/d.md=file round=directory away!1 round!4"},
		"deep":      {files.Walk{Depth: 2, Most: 99}, "in", "a-link=file a.md=file away=link b=directory b/c=directory round=directory away!1 b/c!2 round!4"},
		"one level": {files.Walk{Depth: 1, Most: 99, Pass: func(string) bool { return true }}, ".", ".hidden=file in=directory"},
		"too many":  {files.Walk{Depth: 4, Most: 2}, "in", "a-link=file a.md=file .!3"},
		"some": {files.Walk{Depth: 4, Most: 9, Keep: func(p string, folder bool) bool { return !folder && strings.HasSuffix(p, ".md") }}, ".",
			"in/a.md=file in/b/c/d.md=file in/away!1 in/round!4"},
		"some without links": {files.Walk{Depth: 4, Most: 9, Keep: func(p string, folder bool) bool { return !folder && strings.HasSuffix(p, ".md") },
			Pass: func(p string) bool { return p == "in/away" || p == "in/round" }}, ".", "in/a.md=file in/b/c/d.md=file"},
		"the last level": {files.Walk{Depth: 1, Most: 9, Keep: func(p string, _ bool) bool { return p == "a.md" }, Pass: func(p string) bool { return p == "b" }}, "in", "a.md=file"},
		"absent":         {files.Walk{Depth: 4, Most: 9}, "out", ""},
	} {
		l := c.walk.List(all, c.dir)
		if got := said(l); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
		if l.Absent != (name == "absent") || l.Err != nil {
			t.Errorf("%s: absent %v and error %v, want %v and none", name, l.Absent, l.Err, name == "absent")
		}
		if whole := !strings.Contains(c.want, "!"); l.Whole() != whole {
			t.Errorf("%s: whole %v, want %v", name, l.Whole(), whole)
		}
		for _, e := range l.Files() {
			if e.Size != 4 || e.MTimeMS != day.UnixMilli() {
				t.Errorf("%s: %+v, want its size 4 and its time %d", name, e, day.UnixMilli())
			}
		}
	}
}

// A listing hides the places that could not be listed, and nothing else.
func TestHides(t *testing.T) {
	t.Parallel()
	for barred, want := range map[string]string{"in/b": "b/x", ".": "", "in": "b/x a bb/x", "": ""} {
		f := tree("in/b/x", "in/a", "in/bb/x")
		f.barred = barred
		l := files.Walk{Depth: 3, Most: 9}.List(f, "in")
		var hidden []string
		for _, p := range []string{"b/x", "a", "bb/x"} {
			if l.Hides(p) {
				hidden = append(hidden, p)
			}
		}
		if got := strings.Join(hidden, " "); got != want || l.Whole() != (want == "") {
			t.Errorf("%q barred: %q hidden and whole %v, want %q and %v", barred, got, l.Whole(), want, want == "")
		}
		if (l.Err != nil) != (barred == "in") {
			t.Errorf("%q barred: error %v, want one for the folder itself alone", barred, l.Err)
		}
	}
}

// A link hides what may have moved behind it, and nothing else: one to a folder, one whose
// target is away, and the walked folder itself.
func TestLinksHide(t *testing.T) {
	t.Parallel()
	for link, c := range map[string]struct {
		hidden string
		listed bool
	}{
		"in/work->in/.work": {"work/w.md", false},
		"in/work->away":     {"work/w.md", true},
		"in/a.md->away":     {"a.md", true},
		"in->away":          {"work/w.md a.md worked", false},
		"other->away":       {"", true},
	} {
		f := tree("in/.work/w.md", link)
		if link == "in->away" {
			f = tree(link)
		}
		l := files.Walk{Depth: 3, Most: 9, Keep: func(p string, folder bool) bool { return !folder && strings.HasSuffix(p, ".md") }}.List(f, "in")
		var hidden []string
		for _, p := range []string{"work/w.md", "a.md", "worked"} {
			if l.Hides(p) {
				hidden = append(hidden, p)
			}
		}
		if got := strings.Join(hidden, " "); got != c.hidden || l.Whole() != (c.hidden == "") || l.Listed() != c.listed || l.Absent {
			t.Errorf("%s: %q hidden, whole %v, listed %v, absent %v, want %q, %v, %v, false", link, got, l.Whole(), l.Listed(), l.Absent, c.hidden, c.hidden == "", c.listed)
		}
	}
}

func TestFilesAreByPath(t *testing.T) {
	t.Parallel()
	l := files.Walk{Depth: 3, Most: 9}.List(tree("a/x", "a.md", "a-b"), ".")
	var got []string
	for _, e := range l.Files() {
		got = append(got, e.Path)
	}
	if want := []string{"a-b", "a.md", "a/x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBareFolder(t *testing.T) {
	t.Parallel()
	bare := files.Walk{Depth: 1, Most: 9}.List(fstest.MapFS{"in": &fstest.MapFile{Mode: fs.ModeDir}}, "in")
	full := files.Walk{Depth: 1, Most: 9, Keep: func(string, bool) bool { return false }}.List(tree("in/.hidden"), "in")
	if !bare.Bare || full.Bare {
		t.Errorf("bare %v and %v, want an empty folder to be bare and one with any entry not", bare.Bare, full.Bare)
	}
}
