package sites

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/replay"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// telltale is Reddit's site, which shows everybody's secrets in the answer about the account, and
// leaves a token in a cookie that scripts read.
type telltale struct{ *Reddit }

const token = "canary-token-of-a-form"

func (s telltale) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/api/me.json" || !s.knows(r) {
		s.Reddit.ServeHTTP(w, r)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: "csrf", Value: token, Path: "/", Secure: true, SameSite: http.SameSiteLaxMode})
	w.Header().Set("X-Session", r.Header.Get("Cookie"))
	reply(w, map[string]any{"kind": "t2", "data": map[string]any{
		"id": "idana", "name": "ana", "seen": []string{password, code, r.Header.Get("Cookie"), token, "of " + code + "/" + password},
	}})
}

// recorded records a run of reddit_web in a browser, and returns the world and the recording.
func recorded(t *testing.T) (*world, string, *run.Result) {
	t.Helper()
	w, site, _ := redditWorld(t, 120)
	server := Serve(telltale{site})
	t.Cleanup(server.Close)
	w.site = server
	path, res := w.record(t)
	return w, path, res
}

// record makes a run of the world's connector, and records it in a file.
func (w *world) record(t *testing.T) (string, *run.Result) {
	t.Helper()
	path := filepath.Join(w.dir, "run.jsonl")
	var err error
	w.recorder, err = replay.Create(path, replay.Options{Mode: abi.ModeIncremental, Start: time.Unix(1.8e9, 0), Seed: [32]byte{9}, Paced: true, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	res := w.collect()
	if err := w.recorder.Close(); err != nil || res.Status != run.StatusSucceeded {
		t.Fatalf("got %v, %s %+v, want a whole recording", err, res.Status, res.Error)
	}
	return path, res
}

// A run in a browser is played again without one, byte for byte; the recording has what the pages
// answered, and no password, code or cookie, also of a site that shows them (Invariant 5, BR-18.2). A
// recording whose requests are others is refused, and it says where.
func TestReplay(t *testing.T) {
	t.Parallel()
	w, path, res := recorded(t)
	w.unseen(t, password, code)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{`"op":"browser"`: true, "Title of s7": true, `\"credential\":\"password\"`: true, "[redacted:": true, "set-cookie": false, token: false, "canary-session": false} {
		if strings.Contains(string(text), part) != want {
			t.Errorf("%s stands in the recording: got %v, want %v", part, !want, want)
		}
	}
	report := w.replay(t, path, w.file)
	if !report.Identical || report.Requests < 15 {
		t.Fatalf("got %+v, difference %+v, want every call as it was", report, report.Difference)
	}
	t.Logf("%d calls, %d requests, %d bytes; the run took %d ms", report.Calls, report.Requests, len(text), res.DurationMS)
	other := strings.Replace(string(text), "/user/ana/saved.json?", "/user/ana/stored.json?", 1)
	if err := os.WriteFile(path, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := w.replay(t, path, w.file).Difference; d == nil || !strings.Contains(d.What, "(browser) differs at byte") || !strings.Contains(d.Replayed, "saved.json") {
		t.Errorf("another request: got %+v, want it named with its place", d)
	}
}

// T16: the flow of each connector of a site makes the same calls under TinyGo as under standard Go,
// and so the same bytes of each record.
func TestReplayUnderTinyGo(t *testing.T) {
	t.Parallel()
	if os.Getenv("TINYGO") != "1" {
		t.Skip("NOT TESTED UNDER TINYGO: make contract TINYGO=1 does, with TinyGo 0.41 or newer on the PATH")
	}
	for connector, world := range map[string]func(*testing.T) *world{
		"example_shop": func(t *testing.T) *world { t.Helper(); return shopOf(t, &Shop{}) },
		"reddit_web":   func(t *testing.T) *world { t.Helper(); w, _, _ := redditWorld(t, 120); return w },
	} {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			file, err := plugin.Open(filepath.Join(os.Getenv(builtIn), connector+standard), 64<<20)
			if err != nil {
				t.Fatal(err)
			}
			w := world(t)
			tape, res := w.record(t)
			var records int64
			for _, n := range res.Records {
				records += n.Upserted
			}
			report := w.replay(t, tape, file)
			if !report.Identical || records == 0 {
				t.Errorf("got %+v after %d records, want the calls of TinyGo's module, and records among them", report.Difference, records)
			}
			t.Logf("%d records in %d calls", records, report.Calls)
		})
	}
}

// replay plays a recording with a module.
func (w *world) replay(t *testing.T, path string, file *plugin.File) *replay.Report {
	t.Helper()
	tape, err := replay.Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	guest, err := w.engine.Load(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = guest.Close() }()
	report, err := replay.Play(t.Context(), tape, guest)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
