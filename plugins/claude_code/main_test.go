package main

import (
	"encoding/json"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var schemas = trial.SchemasOf(manifest)

// home is a home folder under test.
type home fstest.MapFS

var day = time.Date(2026, 2, 14, 9, 30, 0, 0, time.UTC)

// put writes a file; every write is later than the one before.
func (h home) put(path, content string) {
	at := day
	if old := h[path]; old != nil {
		at = old.ModTime.Add(time.Minute)
	}
	h[path] = &fstest.MapFile{Data: []byte(content), Mode: 0o600, ModTime: at}
}

func (h home) add(path, content string) {
	before := ""
	if old := h[path]; old != nil {
		before = string(old.Data)
	}
	h.put(path, before+content)
}

func options(h home) sdktest.Options {
	return sdktest.Options{Roots: map[string]fs.FS{rootHome: fstest.MapFS(h)}, Now: func() time.Time { return day }}
}

func run(t *testing.T, h home) *sdktest.Result {
	t.Helper()
	return checked(t, sdktest.Collect(t, connector{}, options(h)))
}

func again(t *testing.T, r *sdktest.Result) *sdktest.Result {
	t.Helper()
	return checked(t, r.SecondRun(t, nil))
}

// checked checks the rules for every run: it succeeded, and each record conforms to its
// stream's schema, formats asserted.
func checked(t *testing.T, r *sdktest.Result) *sdktest.Result {
	t.Helper()
	schemas.Succeeded(t, r)
	return r
}

// Lines of a transcript.

func userLine(session, uuid, text string, minute int) string {
	return line(map[string]any{
		"type": "user", "uuid": uuid, "parentUuid": nil, "sessionId": session, "isSidechain": false, "userType": "external",
		"entrypoint": "cli", "cwd": "/home/ada/code/loom", "gitBranch": "main", "version": "2.1.34", "timestamp": stamp(minute),
		"message": map[string]any{"role": "user", "content": text},
	})
}

func assistantLine(session, uuid, parent string, minute int, blocks ...map[string]any) string {
	return line(map[string]any{
		"type": "assistant", "uuid": uuid, "parentUuid": parent, "sessionId": session, "isSidechain": false, "userType": "external",
		"cwd": "/home/ada/code/loom/warp", "gitBranch": "weave", "version": "2.1.36", "timestamp": stamp(minute),
		"message": map[string]any{"role": "assistant", "model": "m", "content": blocks},
	})
}

func block(kind string, more map[string]any) map[string]any {
	b := map[string]any{"type": kind}
	for k, v := range more {
		b[k] = v
	}
	return b
}

func line(v map[string]any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b) + "\n"
}

func stamp(minute int) string {
	return day.Add(time.Duration(minute) * time.Minute).Format("2006-01-02T15:04:05.000Z")
}

const (
	project = "projects/-home-ada-code-loom/"
	one     = "11111111-1111-4111-8111-111111111111"
	two     = "22222222-2222-4222-8222-222222222222"
)

// small is a home folder with one session of two messages.
func small() home {
	h := home{}
	h.put(project+one+".jsonl", userLine(one, "u1", "Why is the warp loose?", 0)+
		assistantLine(one, "a1", "u1", 1, block("text", map[string]any{"text": "The tension is uneven."})))
	return h
}

// want compares a record's fields with the ones given.
func want(t *testing.T, r *sdktest.Result, stream, key string, fields map[string]any) {
	t.Helper()
	rec, ok := r.Record(stream, key)
	if !ok {
		t.Errorf("%s: no record %q among %q", stream, key, r.Keys(stream))
		return
	}
	for name, value := range fields {
		got, expected := jsonText(t, rec.Fields[name]), jsonText(t, value)
		if got != expected {
			t.Errorf("%s %s: %s is %s, want %s", stream, key, name, got, expected)
		}
	}
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// emitted fails unless exactly these keys of these streams were emitted.
// Tombstones are "-key".
func emitted(t *testing.T, r *sdktest.Result, want ...string) {
	t.Helper()
	got := map[string]bool{}
	for _, rec := range r.All {
		mark := ""
		if rec.Delete {
			mark = "-"
		}
		got[rec.Stream+" "+mark+rec.Key] = true
	}
	for _, w := range want {
		if !got[w] {
			t.Errorf("not emitted: %s", w)
		}
		delete(got, w)
	}
	for extra := range got {
		t.Errorf("emitted %s, want only the listed records", extra)
	}
}

// skip returns the count that the run reported for a reason; a place that several
// streams lack counts once.
func skip(t *testing.T, r *sdktest.Result, reason string) int {
	t.Helper()
	n, streams, places := 0, map[string]bool{}, map[string]bool{}
	for _, s := range r.Skips {
		if s.Reason != reason {
			continue
		}
		var d struct {
			Count    int      `json:"count"`
			Examples []string `json:"examples"`
		}
		if err := json.Unmarshal(s.Diagnostics, &d); err != nil {
			t.Fatal(err)
		}
		n, streams[s.Stream] = n+d.Count, true
		for _, at := range d.Examples {
			places[at] = true
		}
	}
	if len(streams) > 1 {
		return len(places)
	}
	return n
}
