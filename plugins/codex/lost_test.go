package main

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// lists are the streams that describe what the folder holds now, and one file of each.
var lists = map[string]string{
	streamPrompts: "prompts/%s.md", streamSkills: "skills/%s/SKILL.md", streamRules: "rules/%s.md", streamSnapshots: "shell-snapshots/%s.sh",
}

func holdsBack(o *sdktest.Options) { o.HoldsBack = true }

// believed has the host delete what it is told.
func believed(o *sdktest.Options) { o.HoldsBack = false }

// fallen returns a home that had twelve things of each kind and has one, the run before that, and the run
// behind it, of which the host asks.
func fallen(t *testing.T) (h *home, first, asked *sdktest.Result) {
	t.Helper()
	h = dozen(t)
	first = h.collect()
	h.fall()
	return h, first, h.again(first, holdsBack)
}

// dozen is a home folder with twelve files of each list.
func dozen(t *testing.T) *home {
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+"\n"+message(1, "user", "one"))
	for _, path := range lists {
		for i := range 12 {
			h.write(fmt.Sprintf(path, fmt.Sprint("n", i)), "text\n")
		}
	}
	return h
}

// fall removes all of them but the first.
func (h *home) fall() {
	for stream, path := range lists {
		for i := 1; i < 12; i++ {
			name := fmt.Sprintf(path, fmt.Sprint("n", i))
			if stream == streamSkills {
				name = strings.TrimSuffix(name, "/SKILL.md")
			}
			h.remove(name)
		}
	}
}

// AC-09: of twelve prompts, skills, rules or listed files one is left: the host weighs it in each run,
// and nothing is deleted by its key. With the owner's word, in a full refresh, they are, and the
// cursor knows them no more.
func TestAFolderThatFalls(t *testing.T) {
	t.Parallel()
	h := dozen(t)
	res := h.collect()
	h.fall()
	for i := range 3 {
		res = h.again(res, holdsBack)
		for stream := range lists {
			if n := len(res.Stored()[stream]); len(res.Deletes(stream)) != 0 || len(res.Records(stream)) != 0 || n != 12 {
				t.Errorf("run %d, %s: %d are emitted, %d deleted and %d stored, want neither and twelve", i, stream, len(res.Records(stream)), len(res.Deletes(stream)), n)
			}
		}
	}
	res = h.again(res, believed, trial.FullRefresh)
	for stream := range lists {
		if n := len(res.Stored()[stream]); n != 1 || len(res.Deletes(stream)) != 0 {
			t.Errorf("%s: %d are stored with the owner's word, %d deleted by their keys, want one and none", stream, n, len(res.Deletes(stream)))
		}
	}
	res = h.again(res, trial.Incremental)
	if last := h.again(res); len(res.All)+len(last.All)+len(last.Enumerations) != 0 {
		t.Errorf("got %d and %d records and %d messages of lists, want none when it is done", len(res.All), len(last.All), len(last.Enumerations))
	}
	for stream, cursor := range res.Committed() {
		if strings.Contains(cursor, "n1") {
			t.Errorf("%s: the cursor knows of deleted files: %s", stream, cursor)
		}
	}
}

// AC-09: what the host asks about stays when it is there and cannot be read, whatever the owner says,
// and is emitted once when it can.
func TestWhatIsAskedAboutComesBack(t *testing.T) {
	t.Parallel()
	h, _, asked := fallen(t)
	for stream, path := range lists {
		name := fmt.Sprintf(path, "n5")
		h.write(name, "text\n")
		if stream == streamSnapshots {
			continue // listed, and never opened
		}
		shut := h.again(asked, believed, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: locked{os.DirFS(h.dir), name}} })
		if n := len(shut.Stored()[stream]); n != 2 || len(shut.Records(stream)) != 0 {
			t.Errorf("%s cannot be read: %d are stored and %d emitted, want two and none", name, n, len(shut.Records(stream)))
		}
		back := h.again(shut, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: os.DirFS(h.dir)} })
		if n := len(back.Stored()[stream]); n != 2 || len(back.Records(stream)) != 1 {
			t.Errorf("%s can be read: %d are stored and %d emitted, want two and one", name, n, len(back.Records(stream)))
		}
	}
}

// locked is a folder with something that cannot be opened or listed.
type locked struct {
	fs.FS

	name string
}

func (l locked) Open(name string) (fs.File, error) {
	if name == l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return l.FS.Open(name)
}

func (l locked) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == l.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return fs.ReadDir(l.FS, name)
}

// AC-09: of a folder that cannot be listed nothing goes, neither in an incremental run nor in a full
// refresh.
func TestAFolderThatCannotBeListedLosesNothing(t *testing.T) {
	t.Parallel()
	h, first, asked := fallen(t)
	for stream, path := range lists {
		folder, _, _ := strings.Cut(path, "/")
		for name, before := range map[string]*sdktest.Result{"first": first, "asked": asked} {
			for what, mode := range map[string]trial.Change{"incremental": trial.Incremental, "full": trial.FullRefresh} {
				res := h.again(before, believed, mode, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: locked{os.DirFS(h.dir), folder}} })
				if n := len(res.Stored()[stream]); n != 12 {
					t.Errorf("%s, %s, %s: %d are stored, want twelve", name, what, stream, n)
				}
				if !slices.Contains(res.Gone(otherThan(stream)), goneOf(otherThan(stream))) {
					t.Errorf("%s, %s: %q of %s are gone, want those of a folder that was listed", name, what, res.Gone(otherThan(stream)), otherThan(stream))
				}
			}
		}
	}
}

// otherThan is another list, and goneOf the key of a record of it that is gone.
func otherThan(stream string) string {
	if stream == streamPrompts {
		return streamSkills
	}
	return streamPrompts
}

func goneOf(stream string) string {
	if stream == streamPrompts {
		return "prompts:n5.md"
	}
	return "skills:n5"
}
