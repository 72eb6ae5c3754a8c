package replay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// talk is a script of a few calls and requests.
const talk = `"script":"emit one\nsubmit 6 please\nstate {\"at\":1}\nlog 1 hello\nsubmit 4 \nfinish"`

// The first difference is named with both sides.
func TestDifferences(t *testing.T) {
	t.Parallel()
	base := recorded(t, plugin.IsolationInline, scripted, &host{options: talk})
	for name, c := range map[string]struct {
		old, now string // in the recording
		call     int
		what     string
		was, is  string
	}{
		"an output":        {`"emit","text":"one"`, `"emit","text":"once"`, 2, "emit differs at byte 2", "once", "one"},
		"a message":        {`{\"at\":1}`, `{\"at\":2}`, 4, "state differs at byte 6", `{"at":2}`, `{"at":1}`},
		"a request":        {`"text":"please"`, `"text":"pleased"`, 3, "request 2 (now) differs at byte 6", "pleased", "please"},
		"an operation":     {`"request":2,"op":"now"`, `"request":2,"op":"gaps"`, 3, "the guest goes on differently", "request 2 (gaps): please", "request 2 (now): please"},
		"another call":     {`{"event":"state"`, `{"event":"gap"`, 4, "the guest goes on differently", `gap: {"at":1}`, `state: {"at":1}`},
		"a log line":       {`"log","level":1,"text":"hello"`, `"log","level":1,"text":"hullo"`, 5, "log at level 1 differs at byte 1", "hullo", "hello"},
		"its level":        {`"log","level":1,"text":"hello"`, `"log","level":4,"text":"hello"`, 5, "the guest goes on differently", "log at level 4: hello", "log at level 1: hello"},
		"one call less":    {`{"event":"end"`, `{"event":"skip","text":"more"}` + "\n" + `{"event":"end"`, 8, "the guest goes on differently", "skip: more", "the end: it returns 0"},
		"one call more":    {`{"event":"emit","text":"one"}` + "\n", "", 2, "the guest goes on differently", "request 2 (now): please", "emit: one"},
		"the end":          {`{"event":"end","returned":true}`, `{"event":"end","returned":true,"code":4}`, 8, "the guest goes on differently", "the end: it returns 4", "the end: it returns 0"},
		"a failure":        {`{"event":"end","returned":true}`, `{"event":"end","error":{"code":"guest.trap"}}`, 8, "the guest goes on differently", "the end: guest.trap", "the end: it returns 0"},
		"another answer":   {`\"script\":\"emit one`, `\"script\":\"emit two`, 2, "emit differs at byte 0", "one", "two"},
		"a failure it has": {`\nfinish`, `\ntrap\nfinish`, 7, "the guest goes on differently", "done: ", "log at level 4: panic: asked to trap"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, isolation := range rig.Modes {
				path := filepath.Join(t.TempDir(), "run.jsonl")
				write(t, path, read(t, base))
				if name == "a failure it has" {
					c.old, c.now = `\\nfinish`, `\\ntrap\\nfinish`
				}
				edit(t, path, c.old, c.now)
				report, err := play(t, isolation, scripted, path)
				if err != nil {
					t.Fatal(err)
				}
				d := report.Difference
				if report.Identical || d == nil {
					t.Fatal("nothing differs")
				}
				if d.Call != c.call || d.What != c.what || !strings.HasPrefix(d.Recorded, c.was) || !strings.HasPrefix(d.Replayed, c.is) {
					t.Errorf("got %+v, want d.Call == c.call && d.What == c.what && strings.HasPrefix(d.Recorded, c.was) && strings.HasPrefix(d.Replayed, c.is)", *d)
				}
			}
		})
	}
}

// A guest that waits for an answer that the recording has not is ended by the
// run's time, which is no difference.
func TestAnswerThatNeverComes(t *testing.T) {
	t.Parallel()
	path := recorded(t, plugin.IsolationInline, scripted, &host{options: talk})
	edit(t, path, `{"event":"answer","request":2,"text":"{\"unix_ms\":1767225600000}"}`+"\n", "")
	tape, err := Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	limits := plugin.DefaultLimits()
	limits.Run, limits.Grace = 100_000_000, 100_000_000
	g, err := rig.Engine(t, plugin.IsolationProcess, limits).Load(t.Context(), rig.Guest(t, scripted))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Play(t.Context(), tape, g)
	wantCode(t, err, abi.CodeLimitTime)
}

// An update makes the recording what the guest does now, and nothing else: over
// unchanged answers it gives back the file that was.
func TestUpdate(t *testing.T) {
	t.Parallel()
	for _, isolation := range rig.Modes {
		path := recorded(t, isolation, fickle, &host{options: `"ask":"","api_token":"hunter22"`, code: "1234"})
		whole := read(t, path)
		edit(t, path, `nbody 1`, `nno body 1`)
		edit(t, path, `{"event":"log","text":"gaps`, `{"event":"log","text":"no gaps`)
		if report, err := play(t, isolation, fickle, path); err != nil || report.Identical {
			t.Fatalf("play(t, isolation, fickle, path): got %+v, %+v, want no error && !report.Identical", report, err)
		}
		update(t, isolation, fickle, path)
		if now := read(t, path); now != whole {
			t.Errorf("it is\n%s\nand was\n%s", now, whole)
		}
		plays(t, isolation, fickle, path)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("os.Stat(path): got %+v, %+v, want no error && info.Mode().Perm() == 0o600", info.Mode(), err)
		}
	}
}

func update(t *testing.T, isolation, folder, path string) {
	t.Helper()
	tape, err := Open(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	if err := Update(t.Context(), tape, load(t, isolation, folder)); err != nil {
		t.Fatal(err)
	}
}

// A guest that asks for something else needs answers that nobody has. The file
// stays as it was, and nothing is left beside it.
func TestUpdateNeedsTheSameRequests(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][2]string{
		"another":  {`"text":"please"`, `"text":"pleased"`},
		"one less": {`{"event":"done"`, `{"event":"submit","request":4,"op":"now","text":""}` + "\n" + `{"event":"done"`},
		"one more": {`{"event":"submit","request":3,"op":"gaps","text":""}` + "\n" + `{"event":"answer","request":3,"text":"{\"unix_ms\":1767225600000}"}` + "\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := recorded(t, plugin.IsolationInline, scripted, &host{options: talk})
			edit(t, path, edits[0], edits[1])
			before := read(t, path)
			tape, err := Open(path, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = tape.Close() }()
			wantCode(t, Update(t.Context(), tape, load(t, plugin.IsolationInline, scripted)), CodeDiffers)
			entries, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(entries) != 1 || read(t, path) != before {
				t.Errorf("got %+v, %+v, want no error && len(entries) == 1 && read(t, path) == before", entries, err)
			}
		})
	}
}

func TestCheckModule(t *testing.T) {
	t.Parallel()
	tape, err := Open(recorded(t, plugin.IsolationInline, scripted, &host{}), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tape.Close() }()
	if err := tape.CheckModule(load(t, plugin.IsolationInline, scripted)); err != nil {
		t.Error(err)
	}
	wantCode(t, tape.CheckModule(load(t, plugin.IsolationInline, fickle)), abi.CodePluginChanged)
}
