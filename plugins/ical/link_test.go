package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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
	res := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"ical": root.FS()}})
	const want = `4 links lead to folders, out of the folder, or nowhere, and were not followed: put what they lead to in their place, or take them out; ` +
		`what was collected below their names stays {"count":4,"files":["dead.ics","dir","link.ics","same"]}`
	if got := messages(res)[linked.Reason]; trial.Reasons(res) != linked.Reason || got != want {
		t.Errorf("%s: %s, want %s", trial.Reasons(res), got, want)
	}
	for name, want := range map[string]string{"dead.ics": abi.FileKnown, "dir": abi.FileKnown, "link.ics": abi.FileKnown, "same": "", "photo.jpg": ""} { // AC-02
		if got := res.File(rootName, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if got := summaries(res); got != "one" {
		t.Errorf("events %q, want those of the file that is no link", got)
	}
}
