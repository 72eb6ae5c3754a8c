package main

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// lists are the streams that describe what the folder holds now, and one file of each.
var lists = map[string]string{
	"memory_notes": project + "memory/%s.md", "skills": "skills/%s/SKILL.md", "slash_commands": "commands/%s.md",
	"file_history": "file-history/%s", "cache_inventory": "cache/%s", "backup_inventory": "backups/%s",
}

func holdsBack(o *sdktest.Options) { o.HoldsBack = true }

// fallen returns a home that had twelve things of each kind and has one, the run before that, and the run
// behind it, of which the host asks.
func fallen(t *testing.T) (h home, first, asked *sdktest.Result) {
	t.Helper()
	h = dozen()
	first = run(t, h)
	h.fall()
	return h, first, checked(t, first.SecondRun(t, holdsBack))
}

// dozen is a home folder with twelve files of each list.
func dozen() home {
	h := small()
	for _, path := range lists {
		for i := range 12 {
			h.put(fmt.Sprintf(path, fmt.Sprint("n", i)), "text")
		}
	}
	return h
}

// fall removes all of them but the first.
func (h home) fall() {
	for _, path := range lists {
		for i := 1; i < 12; i++ {
			delete(h, fmt.Sprintf(path, fmt.Sprint("n", i)))
		}
	}
}

// held counts the stored records of a list, but for that of its folder.
func held(r *sdktest.Result, stream string) int {
	n := len(r.Stored()[stream])
	if strings.HasSuffix(stream, "_inventory") || stream == "file_history" {
		n-- // the folder
	}
	return n
}

// AC-09: of twelve notes, skills, commands or listed files one is left: the host weighs it in each
// run, and nothing is deleted by its key. With the owner's word, in a full refresh, they are, and the
// cursor knows them no more.
func TestAFolderThatFalls(t *testing.T) {
	t.Parallel()
	h := dozen()
	res := run(t, h)
	h.fall()
	for i := range 3 {
		res = checked(t, res.SecondRun(t, holdsBack))
		for stream := range lists {
			if len(res.Deletes(stream)) != 0 || len(res.Records(stream)) != 0 || held(res, stream) != 12 {
				t.Errorf("run %d, %s: %d are emitted, %d deleted and %d stored, want neither and twelve", i, stream, len(res.Records(stream)), len(res.Deletes(stream)), held(res, stream))
			}
		}
		for _, e := range res.Enumerations {
			if e.Part != "" {
				t.Errorf("run %d: a part of %s is listed, want the whole stream", i, e.Stream)
			}
		}
	}
	word := func(o *sdktest.Options) { trial.FullRefresh(o); o.HoldsBack = false }
	res = checked(t, res.SecondRun(t, word))
	if n := len(res.Records("memory_notes")); n != 1 {
		t.Errorf("%d notes are emitted in a full refresh, want the one that is left", n)
	}
	for stream := range lists {
		if n := held(res, stream); n != 1 || len(res.Deletes(stream)) != 0 {
			t.Errorf("%s: %d are stored with the owner's word, %d deleted by their keys, want one and none", stream, n, len(res.Deletes(stream)))
		}
	}
	res = checked(t, res.SecondRun(t, trial.Incremental))
	if last := again(t, res); len(res.All)+len(last.All)+len(last.Enumerations)+len(last.States) != 0 {
		t.Errorf("got %d and %d records and %d messages of lists, want none when it is done", len(res.All), len(last.All), len(last.Enumerations))
	}
	for stream, cursor := range res.Committed() {
		if strings.Contains(cursor, `n1`) {
			t.Errorf("%s: the cursor knows of deleted files: %s", stream, cursor)
		}
	}
}

// AC-09: what the host asks about stays when it is there and cannot be read, whatever the owner says,
// and is emitted once when it can.
func TestWhatIsAskedAboutComesBack(t *testing.T) {
	t.Parallel()
	h, _, asked := fallen(t)
	for path, stream := range map[string]string{"skills/n5/SKILL.md": "skills", "commands/n5.md": "slash_commands", project + "memory/n5.md": "memory_notes"} {
		h.put(path, "text")
		for what, root := range map[string]fs.FS{"opened": barred{fstest.MapFS(h), map[string]bool{path: true}}, "examined": shy{fstest.MapFS(h), path}} {
			res := checked(t, asked.SecondRun(t, func(o *sdktest.Options) { o.HoldsBack, o.Roots = false, map[string]fs.FS{rootHome: root} }))
			if n := held(res, stream); n != 2 || len(res.Records(stream)) != 0 {
				t.Errorf("%s cannot be %s: %d are stored and %d emitted, want two and none", path, what, n, len(res.Records(stream)))
			}
			back := checked(t, res.SecondRun(t, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{rootHome: fstest.MapFS(h)} }))
			if n := held(back, stream); n != 2 || len(back.Records(stream)) != 1 {
				t.Errorf("%s can be %s: %d are stored and %d emitted, want two and one", path, what, n, len(back.Records(stream)))
			}
		}
	}
	full := dozen()
	back := checked(t, asked.SecondRun(t, func(o *sdktest.Options) { o.HoldsBack, o.Roots = false, options(full).Roots }))
	for stream := range lists {
		if n := held(back, stream); n != 12 || len(back.Records(stream)) != 11 {
			t.Errorf("%s is back: %d are stored and %d emitted, want twelve and eleven", stream, n, len(back.Records(stream)))
		}
	}
	if last := again(t, again(t, back)); len(last.All)+len(last.Enumerations) != 0 {
		t.Errorf("got %d records and %d messages of lists behind it, want neither", len(last.All), len(last.Enumerations))
	}
}

// A run that collects no notes forgets none of them: another one still learns that some are gone.
func TestARunWithoutNotesForgetsNone(t *testing.T) {
	t.Parallel()
	h := dozen()
	first := run(t, h)
	h.fall()
	h.add(project+one+".jsonl", userLine(one, "u2", "More", 3))
	for name, before := range map[string]*sdktest.Result{"first": first, "asked": checked(t, first.SecondRun(t, holdsBack))} {
		h.add(project+one+".jsonl", userLine(one, "u3"+name, "More", 4))
		without := before
		for range 2 {
			without = checked(t, without.SecondRun(t, func(o *sdktest.Options) { o.Streams = []string{"sessions", "messages"} }))
		}
		res := checked(t, without.SecondRun(t, func(o *sdktest.Options) { o.HoldsBack, o.Streams = false, nil }))
		if n := held(res, "memory_notes"); n != 1 {
			t.Errorf("%s: %d notes are stored, want one", name, n)
		}
	}
}

// AC-09: a folder that cannot be listed, and a folder of projects that is not there, have nothing
// listed: neither what the host asks about goes nor anything else.
func TestAFolderThatCannotBeListedLosesNothing(t *testing.T) {
	t.Parallel()
	h, first, asked := fallen(t)
	shut := map[string]bool{}
	for _, name := range []string{"projects", "skills", "commands", "file-history", "cache", "backups"} {
		shut[name] = true
	}
	for name, before := range map[string]*sdktest.Result{"first": first, "asked": asked} {
		for what, mode := range map[string]trial.Change{"incremental": trial.Incremental, "full": trial.FullRefresh} {
			res := checked(t, before.SecondRun(t, func(o *sdktest.Options) {
				mode(o)
				o.HoldsBack, o.Roots = false, map[string]fs.FS{rootHome: barred{fstest.MapFS(h), shut}}
			}))
			for stream := range lists {
				if n := held(res, stream); n != 12 {
					t.Errorf("%s, %s, %s: %d are stored, want twelve", name, what, stream, n)
				}
			}
		}
	}
	for path := range h {
		if strings.HasPrefix(path, "projects/") {
			delete(h, path)
		}
	}
	res := checked(t, asked.SecondRun(t, func(o *sdktest.Options) { o.HoldsBack = false }))
	if n := held(res, "memory_notes"); n != 12 {
		t.Errorf("without a folder of projects: %d notes are stored, want twelve", n)
	}
}
