package main

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// smallDisk is a home whose data folder lies on a disk of its own.
type smallDisk struct {
	t              *testing.T
	home, at, data string
}

func onSmallDisk(t *testing.T) *smallDisk {
	t.Helper()
	d := &smallDisk{t: t, home: t.TempDir()}
	d.at = filepath.Join(d.home, "disk")
	d.data = filepath.Join(d.at, "data")
	d.must(os.Mkdir(d.at, 0o700))
	if err := unix.Mount("tmpfs", d.at, "tmpfs", 0, "mode=700,size=64m"); err != nil {
		t.Skipf("LEFT OUT: a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(d.at, unix.MNT_DETACH) })
	d.must(os.MkdirAll(filepath.Join(d.data, "plugins"), 0o700))
	d.must(os.Mkdir(filepath.Join(d.home, "calendars"), 0o700))
	d.must(os.WriteFile(filepath.Join(d.home, "calendars", "a.ics"), []byte("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:1\r\n"+
		"DTSTAMP:20260101T000000Z\r\nDTSTART:20260101T000000Z\r\nSUMMARY:x\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"), 0o600))
	path, err := story.Module("calendar_files")
	d.must(err)
	module, err := os.ReadFile(path)
	d.must(err)
	d.must(os.WriteFile(filepath.Join(d.data, "plugins", "calendar_files.wasm"), module, 0o600))
	return d
}

func (d *smallDisk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// does runs a command, which has to end with that exit code, and returns all that it printed.
func (d *smallDisk) does(exit int, args ...string) string {
	d.t.Helper()
	cmd := exec.Command("pdpp-host", append([]string{"--data-dir", d.data}, args...)...)
	cmd.Env = []string{"HOME=" + d.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + d.home}
	text, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != exit {
		d.t.Fatalf("%s: exit %d, want %d: %s", strings.Join(args, " "), got, exit, text)
	}
	return string(text)
}

// says is does for output that has every one of some texts and none with a no before it.
func (d *smallDisk) says(exit int, texts []string, args ...string) string {
	d.t.Helper()
	got := d.does(exit, args...)
	for _, want := range texts {
		if not, is := strings.CutPrefix(want, "no "); strings.Contains(got, strings.TrimPrefix(want, "no ")) == is {
			d.t.Errorf("%s: got %s, want %q in it: %t (%s)", strings.Join(args, " "), got, want, !is, not)
		}
	}
	return got
}

// fill takes all that the disk has left.
func (d *smallDisk) fill() {
	d.t.Helper()
	f, err := os.Create(filepath.Join(d.at, "fill"))
	d.must(err)
	for err == nil {
		_, err = f.Write(make([]byte, 64<<10))
	}
	if !strings.Contains(err.Error(), syscall.ENOSPC.Error()) {
		d.t.Fatal(err)
	}
	d.must(f.Close())
}

func (d *smallDisk) get(url string) (int, string) {
	d.t.Helper()
	r, err := http.Get(url)
	d.must(err)
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	d.must(err)
	return r.StatusCode, string(text)
}

const diskIsFull = "The disk that holds the data is full; nothing is collected until it has room."

// On a full disk every face says so first, and calls no connection one that works. `serve`
// starts, with the room that was reserved, and runs nothing; what is deleted makes room; and
// with room all is as before.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	d := onSmallDisk(t)
	d.says(0, []string{"Succeeded", "collection works"}, "run", "calendar_files", "--root", "calendar_files="+filepath.Join(d.home, "calendars"), "--accept")
	d.fill()
	full := func() {
		t.Helper()
		for _, args := range [][]string{{"status"}, {"status", "calendar_files"}, {"connections", "list"}} {
			text := d.says(1, []string{diskIsFull, "no collection works", "storage.full", "no scheduler"}, args...)
			if !strings.HasPrefix(text, diskIsFull) {
				t.Errorf("%v: got %s, want the disk first", args, text)
			}
		}
		if text := d.says(1, []string{"no scheduler", "no another"}, "doctor"); !strings.HasPrefix(text, "problem  machine") || !strings.Contains(text, diskIsFull) {
			t.Errorf("got %s, want the machine first", text)
		}
		d.says(1, []string{`"fault":"disk_full"`, `"ok":false`, "storage.full"}, "status", "--json")
		d.says(1, []string{"storage.full", "no Succeeded"}, "run", "calendar_files")
	}
	full()
	served := serveIn(t, d.home, "--data-dir", d.data, "--listen", "127.0.0.1:0")
	if status, text := d.get("http://" + served.at + "/readyz"); status != http.StatusServiceUnavailable || text != "disk_full\nstore ok\nscheduler failed\ndisk failed\n" {
		t.Errorf("readyz: got %d %q", status, text)
	}
	if status, _ := d.get("http://" + served.at + "/sign-in"); status != http.StatusOK {
		t.Errorf("the page to sign in with: got %d, want 200", status)
	}
	full()
	if exit, log := served.end(t); exit != 0 || !strings.Contains(log+served.out.String(), "served for") {
		t.Errorf("serve: exit %d: %s", exit, log)
	}
	d.must(os.Remove(filepath.Join(d.at, "fill")))
	d.says(0, []string{"Succeeded", "collection works"}, "run", "calendar_files")
	d.says(0, []string{"not begun: calendar_files", "storage.full"}, "runs", "list")
	d.fill()
	d.says(0, []string{"removed calendar_files and"}, "connections", "remove", "calendar_files", "--yes")
	d.must(os.Remove(filepath.Join(d.at, "fill")))
	d.says(0, []string{"Succeeded"}, "run", "calendar_files", "--root", "calendar_files="+filepath.Join(d.home, "calendars"), "--accept")

	d.must(unix.Mount("", d.at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	const readOnly = "The data folder cannot be written to; nothing is collected until it can be."
	for _, args := range [][]string{{"status"}, {"status", "calendar_files"}, {"connections", "list"}} {
		d.says(1, []string{readOnly, "no collection works"}, args...)
	}
	d.says(1, []string{"problem  machine", readOnly}, "doctor")
}
