package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A link that is not followed has a word of its own, where a calendar or a folder may be behind it.
func TestLinksThatAreNotFollowed(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	good := vcalendar(vevent("1", "one"))
	for _, p := range []string{filepath.Join(dir, "good.ics"), filepath.Join(outside, "o.ics")} {
		if err := os.WriteFile(p, []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"dead.ics": "nowhere.ics", "dir": outside, "link.ics": filepath.Join(outside, "o.ics"), "photo.jpg": "nowhere.jpg", "same": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	res := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"calendar_files": root.FS()}})
	const want = `4 links lead to folders, out of the folder, or nowhere, or begin with a slash, and were not followed: put what they lead to in their place; ` +
		`what was collected below their names stays {"count":4,"files":["dead.ics","dir","link.ics","same"]}`
	if got := messages(res)[linked.Reason]; trial.Reasons(res) != linked.Reason || got != want {
		t.Errorf("%s: %s, want %s", trial.Reasons(res), got, want)
	}
	for name, want := range map[string]string{"dead.ics": abi.FileKnown, "dir": abi.FileKnown, "link.ics": abi.FileKnown, "same": abi.FileKnown, "photo.jpg": ""} { // AC-02
		if got := res.File(rootName, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := summaries(res); got != "one" {
		t.Errorf("events %q, want those of the file that is no link", got)
	}
}

// A pipe or a socket with the name of a calendar is told, and deletes nothing of the file that was there.
func TestCalendarsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	f := newFolder()
	f.write("a.ics", vcalendar(vevent("1", "one")))
	f.write("b.ics", vcalendar(vevent("2", "two")))
	f.write("c", vcalendar(vevent("3", "three")))
	first := f.collect(t)
	for name, mode := range map[string]fs.FileMode{"b.ics": fs.ModeNamedPipe, "c": fs.ModeSocket, "new.ics": fs.ModeDevice, "other": fs.ModeNamedPipe} {
		f.files[name] = &fstest.MapFile{Mode: mode, ModTime: f.clock}
	}
	for range 2 {
		first = again(t, first)
		if got := messages(first)[unreadableFile.Reason]; !strings.Contains(got, `["b.ics","c","new.ics"]`) || len(first.Changes()) != 0 && first.Changes()[0].Stream != streamCoverage {
			t.Errorf("told %q, changes %v, want the three and nothing deleted", got, first.Changes())
		}
		for name, want := range map[string]string{"b.ics": abi.FileKnown, "c": abi.FileKnown, "new.ics": abi.FileKnown, "other": ""} {
			if got := first.File(rootName, name); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
	f.write("b.ics", vcalendar(vevent("2", "two")))
	delete(f.files, "c")
	delete(f.files, "new.ics")
	if last := again(t, first); len(deletes(last, streamEvents)) != 1 || len(last.Skips) != 0 {
		t.Errorf("mended: %v, skips %v, want the event of the removed file deleted", last.Changes(), last.Skips)
	}
}
