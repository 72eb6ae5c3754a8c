package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// opens notes which names are opened.
type opens struct {
	fs.FS
	names []string
}

func (o *opens) Open(name string) (fs.File, error) {
	o.names = append(o.names, name)
	return o.FS.Open(name)
}

// PB-D8, PB-A7: groups of files are slices. A run that dies keeps the complete
// ones, and the next run delivers every record that is missing.
func TestSlicesSurviveACrash(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	body := strings.Repeat("text ", 800)
	for f := range 6 {
		id := fmt.Sprintf("0199a213-0000-7000-8000-00000000000%d", f)
		var b strings.Builder
		b.WriteString(metaLine(id))
		for i := range 60 {
			b.WriteString(message(i%60, "user", body))
		}
		h.write(rolloutName(id), b.String())
	}
	h.slice = 256 << 10
	whole := h.collect()
	want := map[string]bool{}
	for _, r := range whole.Records(streamMessages) {
		want[r.Key] = true
	}
	slices := 0
	for _, s := range whole.States {
		if s.Slice != nil {
			slices++
		}
	}
	if len(want) != 360 || slices < 2 {
		t.Fatal(len(want), slices)
	}
	for _, stop := range []int{2, len(whole.Calls) / 3, len(whole.Calls) / 2, len(whole.Calls) - 20} {
		first := h.collect(trial.StopAfter(stop))
		if first.Done.Status != abi.DoneCancelled {
			t.Fatalf("%+v, want first.Done.Status = %v", first.Done, abi.DoneCancelled)
		}
		got := map[string]int{}
		for _, r := range first.Records(streamMessages) {
			got[r.Key]++
		}
		second := h.again(first)
		for _, r := range second.Records(streamMessages) {
			got[r.Key]++
		}
		if len(got) != len(want) {
			t.Errorf("stopped at call %d: %d messages of %d", stop, len(got), len(want))
		}
		if len(second.Records(streamSessions)) == 0 && len(first.Records(streamSessions)) < 6 {
			t.Errorf("stopped at call %d: the second run lacks sessions that the first had not emitted", stop)
		}
	}
}

// One rollout larger than a slice is cut between two calls.
func TestLargeRolloutIsCut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var b strings.Builder
	b.WriteString(metaLine(sessionA))
	body := strings.Repeat("y", 6000)
	for i := range 600 {
		b.WriteString(message(1, "user", body) + callLine(2, fmt.Sprint(i)) + outputLine(3, fmt.Sprint(i), "o"))
	}
	h.write(rolloutName(sessionA), b.String())
	h.slice = 512 << 10
	whole := h.collect()
	var cut []abi.State
	for _, s := range whole.States {
		if s.Slice != nil {
			cut = append(cut, s)
		}
	}
	if len(cut) < 2 || field(whole, streamSessions, sessionA, "message_count") != "600" {
		t.Fatalf("%v, want len(cut) at least 2 and field(whole, streamSessions, sessionA, \"message_count\") = 600", len(cut))
	}
	for _, s := range cut {
		rest := h.collect(func(o *sdktest.Options) { o.State = map[string]string{streamSessions: string(s.Cursor)} })
		v, err := jsonvalue.Parse(s.Cursor)
		if err != nil {
			t.Fatal(err)
		}
		done := v.Get("files").Get(rolloutName(sessionA)).Get("message_count").Int()
		if n := len(rest.Records(streamMessages)); int64(n) != 600-done || field(rest, streamSessions, sessionA, "message_count") != "600" ||
			field(rest, streamSessions, sessionA, "function_call_count") != "600" || field(rest, streamSessions, sessionA, "cwd") == "<nil>" {
			t.Errorf("from %s: %d messages, want %d and a session with all 600", s.Slice.ID, n, 600-done)
		}
		for _, r := range rest.Records(streamCalls) {
			if strings.HasSuffix(r.Key, ":output") {
				t.Fatalf("a cut between a call and its output: %s, want not :output at the end of it", r.Key)
			}
		}
	}
}

func TestCursorOfTooManyRollouts(t *testing.T) {
	t.Parallel()
	c := newState()
	for i := range 50 {
		c.files[fmt.Sprintf("sessions/%03d.jsonl", i)] = &rolloutState{session: fmt.Sprint(i), lines: 1, offset: 10, metaOffset: -1}
		c.threads[fmt.Sprint(i)] = int64(i)
	}
	full := c.encode()
	if c.dropped != 0 {
		t.Fatalf("%v, want 0", c.dropped)
	}
	c.limit = len(full) / 2
	text := c.encode()
	dropped := c.dropped
	v, err := jsonvalue.Parse(text)
	if err != nil || len(text) > len(full)/2 || dropped == 0 {
		t.Fatalf("%v, %d bytes, %d dropped, want half of %d bytes and some dropped", err, len(text), dropped, len(full))
	}
	back := readState(v)
	if len(back.files) != 50-dropped || back.files["sessions/049.jsonl"] == nil {
		t.Fatalf("%v, want len(back.files) = %v and back.files[\"sessions/049.jsonl\"] not nil", len(back.files), 50-dropped)
	}
}

func TestForeignCursors(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+message(1, "user", "one"))
	first := h.collect()
	good := first.Committed()[streamSessions]
	for _, state := range []string{
		`{}`, strings.Replace(good, `"v":1`, `"v":9`, 1), strings.Replace(good, `"head_sha256":"`, `"head_sha256":"00`, 1),
		strings.Replace(good, `"size_bytes":`, `"size_bytes":-`, 1), `{"v":1,"covers":7,"files":{"x":3},"threads":[]}`,
	} {
		h.touch(rolloutName(sessionA), h.clock.Add(1e9))
		res := h.collect(func(o *sdktest.Options) { o.State = map[string]string{streamSessions: state} })
		if keys(res, streamMessages) != "A:2" {
			t.Errorf("%s: %s, want A:2", state, keys(res, streamMessages))
		}
	}
}

func FuzzRollout(f *testing.F) {
	f.Add(metaLine(sessionA)+message(1, "user", "hi")+callLine(2, "c"), outputLine(3, "c", "x"))
	f.Add(`{"id":"a","timestamp":"2026-01-01T00:00:00Z"}`+"\n"+`{"type":"message","role":"user","content":"x"}`, "\n{")
	f.Add(`{"type":"response_item","payload":{"type":"function_call","call_id":7}}`+"\n", "")
	f.Fuzz(func(t *testing.T, text, more string) {
		folder := fstest.MapFS{}
		put := func(text string, day int) {
			folder[rolloutName(sessionA)] = &fstest.MapFile{Data: []byte(text), ModTime: sdktest.Epoch.AddDate(0, -1, day)}
		}
		put(text, 0)
		first := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"codex": folder}})
		schemas.Sound(t, first)
		if again := first.SecondRun(t, nil); len(again.All) != 0 {
			t.Fatalf("an unchanged folder emitted %d records, want 0", len(again.All))
		}
		put(text+more, 1)
		second := first.SecondRun(t, nil)
		schemas.Sound(t, second)
		if i := strings.LastIndexByte(text, '\n'); i >= 0 || text == "" {
			whole := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"codex": folder}})
			if a, b := len(first.Records(streamMessages))+len(second.Records(streamMessages)), len(whole.Records(streamMessages)); a != b {
				t.Fatalf("%d messages in two runs, want %d as in one", a, b)
			}
		}
	})
}

// A cursor as version 0.1.0 wrote it is gone on with: its rollout is read once more, for what that version left out, and
// gives the records that are stored.
func TestEarlierCursor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+"\n"+message(1, "user", "one")+callLine(2, "c"))
	h.write("config.toml", "x")
	h.write("prompts/a.md", "say it\n")
	h.write("prompts/b.md", "say it\n")
	first := h.collect()
	state := first.Committed()
	size := len(metaLine(sessionA)) + len("\n") + len(message(1, "user", "one")) + len(callLine(2, "c"))
	head, tail, err := filecursor.Guards(os.DirFS(h.dir), rolloutName(sessionA), int64(size))
	if err != nil {
		t.Fatal(err)
	}
	state[streamSessions] = fmt.Sprintf(`{"v":1,"covers":["messages","function_calls"],"threads":{},"files":{%q:{"mtime_ms":%d,"size_bytes":%d,"line_count":4,`+
		`"head_sha256":%q,"guard_bytes":%d,"tail_sha256":%q,"session_id":%q,"message_count":1,"function_call_count":1,`+
		`"first_ts":"2026-01-01T10:00:00.1Z","last_ts":"2026-01-01T10:00:02.1Z","meta_offset":0}}}`,
		rolloutName(sessionA), sdktest.Epoch.Add(-24*time.Hour+time.Second).UnixMilli(), size, head, size, tail, sessionA)
	h.remove("prompts/b.md")
	second := h.collect(func(o *sdktest.Options) { o.State, o.Stored = state, first.Stored() })
	if len(second.Gone(streamPrompts)) != 1 || len(second.Skips) != 0 {
		t.Fatalf("got %q and %+v, want the prompt gone, and no report", second.Gone(streamPrompts), second.Skips)
	}
	for _, rec := range second.All {
		if was := first.Stored()[rec.Stream][rec.Key]; string(was.Data) != string(rec.Data) {
			t.Errorf("%s %s: got %s, want what is stored: %s", rec.Stream, rec.Key, rec.Data, was.Data)
		}
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Errorf("got %+v, want nothing emitted again", third.All)
	}
	h.add(rolloutName(sessionA), message(3, "user", "two"))
	third := h.again(second)
	if keys(third, streamMessages) != "A:5" || field(third, streamSessions, sessionA, "message_count") != "2" ||
		field(third, streamSessions, sessionA, "started_at") != field(first, streamSessions, sessionA, "started_at") {
		t.Errorf("got %+v, want the new message and its session", third.All)
	}
}
