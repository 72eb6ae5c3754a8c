package main

import (
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A transcript that is replaced or deleted while it is read keeps its earlier cursor,
// so that the next run reads all of it.
func TestChangeWhileReading(t *testing.T) {
	t.Parallel()
	long := func(word string) string {
		var b strings.Builder
		for i := range 200 {
			b.WriteString(userLine(one, word+strconv.Itoa(i), strings.Repeat(word+" ", 1000), i))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		change func(h home, path string)
		skips  int
		stored int // messages that the second run emits
	}{
		"rewritten": {func(h home, path string) { h.put(path, long("b")) }, 1, 200},
		"truncated": {func(h home, path string) { h.put(path, userLine(one, "a0", "x", 0)) }, 1, 1},
		"vanished":  {func(h home, path string) { delete(h, path) }, 0, 0},
		"appended":  {func(h home, path string) { h.add(path, userLine(one, "late", "x", 999)) }, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, path := home{}, project+one+".jsonl"
			h.put(path, long("a"))
			o, changed := options(h), false
			o.Before = func(call string, _ []byte) *abi.Error {
				if call == "emit" && !changed {
					changed = true
					c.change(h, path)
				}
				return nil
			}
			first := checked(t, sdktest.Collect(t, connector{}, o))
			if got := skip(t, first, "file_changed_while_read"); got != c.skips {
				t.Errorf("%d skips, want %d", got, c.skips)
			}
			if name == "vanished" {
				want(t, first, "sessions", one, map[string]any{"message_count": 200})
			}
			second := again(t, first)
			if got := len(second.Records("messages")); got != c.stored {
				t.Errorf("%d messages in the next run, want %d", got, c.stored)
			}
			emitted(t, again(t, second))
		})
	}
}

func TestWalksAreBounded(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("commands/"+strings.Repeat("d/", 2*maxWalkDepth)+"deep.md", "deep")
	h.put("commands/top.md", "top")
	for i := range maxWalkEntries + 10 {
		h["cache/"+strconv.Itoa(i)] = &fstest.MapFile{ModTime: day}
	}
	r := run(t, h)
	want(t, r, "slash_commands", "commands:top", nil)
	if n := len(r.Records("slash_commands")); n != 1 {
		t.Errorf("%d commands, want 1", n)
	}
	for reason, row := range map[string]string{"inventory_truncated": "coverage:large_folders", "folder_too_deep": "coverage:deep_folders"} {
		if n := skip(t, r, reason); n != 1 {
			t.Errorf("%s: %d folders reported, want 1", reason, n)
		}
		want(t, r, "coverage_diagnostics", row, map[string]any{"status": "unaccounted"})
	}
	emitted(t, again(t, r))
}

func TestLongDocumentIsCut(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+"memory/long.md", strings.Repeat("é", maxDocument))
	r := run(t, h)
	rec, _ := r.Record("memory_notes", "memory_notes:-home-ada-code-loom/long.md")
	if n := len(rec.Text("content")); n != maxDocument {
		t.Errorf("%d bytes, want %d", n, maxDocument)
	}
	if skip(t, r, "content_truncated") != 1 {
		t.Error("the cut document was not reported once")
	}
	emitted(t, again(t, r))
}

// However much is wrong, the host gets a bounded number of messages about it.
func TestSkipsAreBounded(t *testing.T) {
	t.Parallel()
	h := small()
	for i := range 500 {
		h.add(project+one+".jsonl", "bad\n")
		h.put("what-"+strconv.Itoa(i), "x")
		h.put(project+"s"+strconv.Itoa(i)+".jsonl", `{"torn`)
	}
	r := run(t, h)
	if len(r.Skips) != 2 {
		t.Errorf("%d messages, want 2", len(r.Skips))
	}
	for reason, n := range map[string]int{"lines_not_readable": 500, "line_incomplete": 500} {
		if got := skip(t, r, reason); got != n {
			t.Errorf("%s: %d, want %d", reason, got, n)
		}
	}
	if n := len(r.Records("coverage_diagnostics")); n > len(stores)+maxUnknown+len(allProblems)+1 {
		t.Errorf("%d coverage rows, want at most one for each store, unknown entry and problem", n)
	}
	for _, s := range r.Skips {
		if len(s.Diagnostics) > 8<<10 {
			t.Errorf("diagnostics of %d bytes, want at most 8<<10", len(s.Diagnostics))
		}
	}
}

func TestProgressCountsBytes(t *testing.T) {
	t.Parallel()
	h := home{}
	var b strings.Builder
	for i := range 40 {
		b.WriteString(userLine(one, "u"+strconv.Itoa(i), strings.Repeat("w", 100_000), i))
	}
	h.put(project+one+".jsonl", b.String())
	o, now := options(h), day
	o.Now = func() time.Time { now = now.Add(time.Second); return now }
	r := checked(t, sdktest.Collect(t, connector{}, o))
	if len(r.Progress) < 3 {
		t.Fatalf("%d messages, want at least 3", len(r.Progress))
	}
	last := r.Progress[len(r.Progress)-1]
	if last.Unit != "bytes" || *last.Count != int64(b.Len()) || *last.Total != int64(b.Len()) {
		t.Errorf("%d of %d %s, want all %d bytes", *last.Count, *last.Total, last.Unit, b.Len())
	}
}

// flaky fails to read a file behind a number of bytes.
type flaky struct {
	fstest.MapFS
	path  string
	after int
}

type flakyFile struct {
	fs.File
	left int
}

func (f flaky) Open(name string) (fs.File, error) {
	file, err := f.MapFS.Open(name)
	if err == nil && name == f.path {
		return &flakyFile{file, f.after}, nil
	}
	return file, err
}

func (f *flakyFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		return 0, &fs.PathError{Op: "read", Path: "x", Err: errors.New("input/output error")}
	}
	n, err := f.File.Read(p[:min(len(p), f.left)])
	f.left -= n
	return n, err
}

// A file that stops being readable half-way is read again from its last known offset,
// and no line of it is counted twice.
func TestReadErrorHalfWay(t *testing.T) {
	t.Parallel()
	h, path := small(), project+one+".jsonl"
	first := run(t, h)
	known := len(h[path].Data)
	h.add(path, userLine(one, "u2", "x", 2)+userLine(one, "u3", "x", 3))
	h.put(project+two+".jsonl", userLine(two, "v1", "so that there is news to keep", 0))
	second := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
		o.Roots = map[string]fs.FS{rootHome: flaky{fstest.MapFS(h), path, known + len(userLine(one, "u2", "x", 2)) + 5}}
	}))
	if skip(t, second, "file_unreadable") != 1 {
		t.Errorf("not reported: %+v, want skip(t, second, \"file_unreadable\") = 1", second.Skips)
	}
	third := checked(t, second.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: fstest.MapFS(h)} }))
	want(t, third, "messages", "u2", nil)
	want(t, third, "messages", "u3", nil)
	want(t, third, "sessions", one, map[string]any{"message_count": 4})
}

// shy is a folder in which one file is listed and cannot be examined.
type shy struct {
	fstest.MapFS
	path string
}

type shyEntry struct{ fs.DirEntry }

func (shyEntry) Info() (fs.FileInfo, error) { return nil, fs.ErrPermission }

func (s shy) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := s.MapFS.ReadDir(name)
	for i, e := range list {
		if name+"/"+e.Name() == s.path {
			list[i] = shyEntry{e}
		}
	}
	return list, err
}

// A document that is listed and cannot be examined is not gone: its record stays, and the
// document is reported.
func TestDocumentThatCannotBeExaminedStays(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("skills/s/SKILL.md", "s")
	h.put("commands/c.md", "c")
	h.put(project+"memory/a.md", "a")
	first := run(t, h)
	for _, path := range []string{"skills/s/SKILL.md", "commands/c.md", project + "memory/a.md"} {
		next := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
			o.Roots = map[string]fs.FS{rootHome: shy{fstest.MapFS(h), path}}
		}))
		if n := len(next.Gone("skills")) + len(next.Gone("slash_commands")) + len(next.Gone("memory_notes")); n != 0 || skip(t, next, "file_unreadable") != 1 {
			t.Errorf("%s: %d records deleted and %+v, want none and one report", path, n, next.Skips)
		}
	}
}

// away is a folder whose links lead to a disk that is away.
type away struct{ fstest.MapFS }

func (a away) Stat(name string) (fs.FileInfo, error) {
	if f := a.MapFS[name]; f != nil && f.Mode&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrPermission}
	}
	return a.MapFS.Stat(name)
}

// A document behind a link is not gone: neither while the link's target is away, nor when its
// folder was moved and a link left in its place. A file that was deleted beside it is gone.
func TestDocumentsBehindLinksStay(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("kept/s.md", "s")
	for _, name := range []string{"skills/s/SKILL.md", "commands/c.md", "commands/d.MD", project + "memory/a.md", "projects/-other/memory/a.md"} {
		h[name] = &fstest.MapFile{Data: []byte(strings.Repeat("../", strings.Count(name, "/")) + "kept/s.md"), Mode: fs.ModeSymlink, ModTime: day}
	}
	for _, name := range []string{"skills/t/SKILL.md", "skills/old/SKILL.md", "commands/work/e.md", "commands/old.md", project + "memory/work/b.md", project + "memory/old.md"} {
		h.put(name, "text")
	}
	first := run(t, h)
	for _, name := range []string{"skills/old/SKILL.md", "commands/old.md", project + "memory/old.md"} {
		delete(h, name)
	}
	for _, name := range []string{"skills/t", "commands/work", project + "memory/work", "projects/-other"} {
		for path := range h {
			if below, ok := strings.CutPrefix(path, name+"/"); ok {
				h["kept/"+name+"/"+below] = h[path]
				delete(h, path)
			}
		}
		h[name] = &fstest.MapFile{Data: []byte(strings.Repeat("../", strings.Count(name, "/")) + "kept/" + name), Mode: fs.ModeSymlink, ModTime: day}
	}
	for name, root := range map[string]fs.FS{"moved": fstest.MapFS(h), "away": away{fstest.MapFS(h)}} {
		next := checked(t, first.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: root} }))
		var gone []string
		for _, stream := range []string{"skills", "slash_commands", "memory_notes"} {
			gone = append(gone, next.Gone(stream)...)
		}
		if got, want := strings.Join(gone, " "), "skills:old commands:old memory_notes:-home-ada-code-loom/old.md"; got != want {
			t.Errorf("%s: %q deleted, want %q", name, got, want)
		}
		if skip(t, next, "link_not_followed") < 2 {
			t.Errorf("%s: %+v, want the links reported", name, next.Skips)
		}
	}
}

// A folder of documents that is itself a link to a disk that is away keeps them.
func TestFolderOfDocumentsIsAway(t *testing.T) {
	t.Parallel()
	h := small()
	h.put("skills/s/SKILL.md", "s")
	h.put("commands/c.md", "c")
	h.put(project+"memory/a.md", "a")
	first := run(t, h)
	away := checked(t, first.SecondRun(t, func(o *sdktest.Options) {
		o.Roots = map[string]fs.FS{rootHome: fstest.MapFS{
			"projects": {Data: []byte("/mnt/away"), Mode: fs.ModeSymlink, ModTime: day}, "commands/c.md": h["commands/c.md"],
		}}
	}))
	if n := len(away.Gone("memory_notes")); n != 0 {
		t.Errorf("the folder of projects is away: %d notes deleted, want none", n)
	}
	for _, name := range []string{"skills", "commands", project + "memory"} {
		for path := range h {
			if strings.HasPrefix(path, name+"/") {
				delete(h, path)
			}
		}
		h[name] = &fstest.MapFile{Data: []byte("/mnt/away"), Mode: fs.ModeSymlink, ModTime: day}
	}
	next := again(t, first)
	if n := len(next.Gone("skills")) + len(next.Gone("slash_commands")) + len(next.Gone("memory_notes")); n != 0 {
		t.Errorf("%d records deleted, want none", n)
	}
}
