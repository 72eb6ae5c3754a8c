package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// browsing is an owner's browser.
type browsing struct {
	*testing.T

	client *http.Client
	at     string // the host's address, by which it knows the browser again
}

var setUpLink = regexp.MustCompile(`/set-up\?code=(\S+)`)

// claims signs the owner of a host in that has none so far.
func claims(d *smallDisk) *browsing {
	d.t.Helper()
	served := serveIn(d.t, d.home, "--data-dir", d.data, "--listen", "127.0.0.1:0")
	jar, err := cookiejar.New(nil)
	d.must(err)
	b := &browsing{d.t, &http.Client{Jar: jar}, served.at}
	link := setUpLink.FindStringSubmatch(d.does(0, "owner", "reset"))
	if link == nil {
		d.t.Fatal("got no link to set up")
	}
	const password = "four plain words here"
	if status, text := b.sends("/set-up", url.Values{"code": {link[1]}, "password": {password}, "again": {password}}); status != http.StatusOK {
		d.t.Fatalf("got %d %s, want the owner to be signed in", status, text)
	}
	if exit, log := served.end(d.t); exit != 0 {
		d.t.Fatalf("serve: exit %d: %s", exit, log)
	}
	return b
}

// sends gets a page, or sends a form. If form is nil, it gets the page.
func (b *browsing) sends(path string, form url.Values) (status int, text string) {
	b.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(b.Context(), method, "http://"+b.at+path, strings.NewReader(form.Encode()))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "http://"+b.at)
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		b.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

// ready waits until a host says that.
func (d *smallDisk) ready(at, want string) {
	d.t.Helper()
	text := ""
	for range 600 {
		r, err := http.Get("http://" + at + "/readyz")
		if err == nil { // else it begins to listen anew
			body, _ := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if text = string(body); strings.HasPrefix(text, want) {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	d.t.Fatalf("readyz: got %q, want %q", text, want)
}

// On a disk without a byte, and without a reserve, `serve` starts: compiled modules make the room
// that a deletion needs. Where there is nothing to give back it shows the store, says first what is
// wrong, and takes no change; so it does with a read-only folder, and with no store at all. Once
// there is room it goes on by itself.
func TestServeShowsAStoreThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	d := onSmallDisk(t)
	d.says(0, []string{"Succeeded"}, "run", "calendar_files", "--root", "calendar_files="+filepath.Join(d.home, "calendars"), "--accept")
	b := claims(d)
	token := madeTokenOf(d)
	reserve, cache := filepath.Join(d.data, "reserve"), filepath.Join(d.data, "cache")
	serves := func() *servingProcess { return serveIn(t, d.home, "--data-dir", d.data, "--listen", b.at) }
	ends := func(p *servingProcess) {
		t.Helper()
		if exit, log := p.end(t); exit != 0 || !strings.Contains(log+p.out.String(), "served for") {
			t.Errorf("serve: exit %d: %s", exit, log)
		}
	}
	pages := func(fault string) {
		t.Helper()
		for _, path := range []string{"/", "/connections/calendar_files"} {
			want := fault
			if fault == "" {
				want = "collection works"
			}
			if status, text := b.sends(path, nil); status != http.StatusOK || !strings.Contains(text, want) || strings.Contains(text, "collection works") != (fault == "") {
				t.Errorf("%s: got %d %s, want %q", path, status, text, want)
			}
		}
	}

	d.must(os.Remove(reserve))
	d.fill()
	served := serves()
	if left, err := os.ReadDir(cache); err != nil || len(left) > 0 {
		t.Errorf("got the compiled modules %v, %v, want their room", left, err)
	}
	d.says(0, []string{"deleted"}, "records", "delete", "calendar_files", "events", firstKey(d), "--yes")
	ends(served)

	d.must(os.RemoveAll(cache))
	d.must(os.Remove(reserve))
	d.fill()
	served = serves()
	d.ready(served.at, "disk_full\nstore failed\nscheduler failed\ndisk failed\n")
	pages(diskIsFull)
	if _, text := (&browsing{t, http.DefaultClient, b.at}).sends("/sign-in", nil); !strings.Contains(text, diskIsFull) {
		t.Errorf("the page to sign in with: got %s, want why nobody can", text)
	}
	if text := d.says(1, []string{diskIsFull}, "status"); !strings.HasPrefix(text, diskIsFull) {
		t.Errorf("status: got %s, want the disk first", text)
	}
	d.says(1, []string{"storage.full", "free disk space"}, "connections", "remove", "calendar_files", "--yes")
	for range 2 {
		if status, text := asks(t, http.MethodPost, served.at, "/v1/owner/connections/calendar_files/run", token); status != http.StatusServiceUnavailable || !strings.Contains(text, "storage.full") {
			t.Errorf("a run: got %d %s, want the fault of the machine", status, text)
		}
	}
	refused := regexp.MustCompile(`"code":"storage.full","message":"[^"]+","times":2`)
	if _, text := asks(t, http.MethodGet, served.at, "/v1/owner/runs", token); !refused.MatchString(text) {
		t.Errorf("the list of runs: got %s, want beside it that two were refused", text)
	}
	if _, text := b.sends("/runs?connection=calendar_files", nil); !strings.Contains(text, "storage.full") {
		t.Errorf("the page of runs: got %s, want what was refused", text)
	}
	d.must(os.Remove(filepath.Join(d.at, "fill")))
	d.ready(served.at, "store ok\nscheduler ok\n")
	pages("")
	kept := ""
	for range 200 { // they are written by the scheduler's next pass
		if kept = d.does(0, "runs", "list", "calendar_files"); strings.Contains(kept, "[storage.full], 2 times since 20") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !strings.Contains(kept, "[storage.full], 2 times since 20") {
		t.Errorf("runs list: got %s, want what was refused", kept)
	}
	d.says(0, []string{"collection works"}, "status")
	ends(served)

	d.must(unix.Mount("", d.at, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	served = serves()
	d.ready(served.at, "store_read_only\nstore failed\nscheduler failed\n")
	pages("The data folder cannot be written to; nothing is collected until it can be.")
	d.must(unix.Mount("", d.at, "", unix.MS_REMOUNT, "size=64m"))
	d.ready(served.at, "store ok\nscheduler ok\n")
	ends(served)

	d.data = filepath.Join(d.at, "first")
	d.must(os.MkdirAll(d.data, 0o700))
	d.fill()
	served = serves()
	d.ready(served.at, "disk_full\nstore failed\nscheduler failed\ndisk failed\n")
	d.must(os.Remove(filepath.Join(d.at, "fill")))
	d.ready(served.at, "store ok\nscheduler ok\n")
	ends(served)
}

var ownersToken = regexp.MustCompile(`pdpp_ot_\S+`)

func madeTokenOf(d *smallDisk) string {
	d.t.Helper()
	return ownersToken.FindString(d.does(0, "tokens", "create", "test", "--scope", "run"))
}

// asks makes a request of the owner's API, as a program does.
func asks(t *testing.T, method, at, path, token string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://"+at+path, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// firstKey returns the key of the first event there is.
func firstKey(d *smallDisk) string {
	d.t.Helper()
	found := regexp.MustCompile(`"key":"([^"]+)"`).FindStringSubmatch(d.does(0, "records", "list", "calendar_files", "events", "--limit", "1", "--json"))
	if found == nil {
		d.t.Fatal("got no event")
	}
	return found[1]
}
