package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestAppendedLinesEmitThemselvesAndTheirSession(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+two+".jsonl", userLine(two, "v1", "Other", 0))
	first := run(t, h)
	h.add(project+one+".jsonl", userLine(one, "u2", "And now?", 9))
	second := again(t, first)
	emitted(t, second, "messages u2", "sessions "+one)
	want(t, second, "sessions", one, map[string]any{
		"message_count": 3, "started_at": stamp(0), "last_event_at": stamp(9), "git_branch": "main", "cwd": "/home/ada/code/loom",
	})
	emitted(t, again(t, second))
	// A subagent's lines count for its session.
	h.put(project+one+"/subagents/agent-x.jsonl", userLine(two, "x1", "go", 12))
	third := again(t, second)
	emitted(t, third, "messages x1", "sessions "+one)
	want(t, third, "sessions", one, map[string]any{"message_count": 4, "last_event_at": stamp(12)})
}

func TestRewrittenFileIsRebuilt(t *testing.T) {
	t.Parallel()
	h := small()
	first := run(t, h)
	h.put(project+one+".jsonl", userLine(one, "u1", "Why is the warp tight?", 0)+userLine(one, "u3", "More", 4)+userLine(one, "u4", "Still more", 5))
	second := again(t, first)
	emitted(t, second, "messages u1", "messages u3", "messages u4", "sessions "+one)
	want(t, second, "messages", "u1", map[string]any{"content": "Why is the warp tight?"})
	want(t, second, "sessions", one, map[string]any{"message_count": 3, "started_at": stamp(0), "last_event_at": stamp(5)})
	emitted(t, again(t, second))
}

func TestTruncatedFileIsRebuilt(t *testing.T) {
	t.Parallel()
	h := small()
	first := run(t, h)
	h.put(project+one+".jsonl", userLine(one, "u1", "Why is the warp loose?", 0))
	second := again(t, first)
	emitted(t, second, "messages u1", "sessions "+one)
	want(t, second, "sessions", one, map[string]any{"message_count": 2, "last_event_at": stamp(1)}) // both are kept
}

func TestTouchedFileEmitsNothing(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+"memory/a.md", "a")
	h.put(project+one+"/tool-results/r.txt", "r")
	first := run(t, h)
	for path := range h {
		h.add(path, "")
	}
	second := again(t, first)
	emitted(t, second)
	if len(second.States) == 0 {
		t.Error("the new times were not kept, so every run reads the files again")
	}
}

// The owner's copy of a conversation outlives the file: Claude Code deletes
// transcripts after a month.
func TestVanishedTranscriptKeepsItsRecords(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+two+".jsonl", userLine(two, "v1", "Other", 0))
	h.put(project+one+"/subagents/agent-x.jsonl", userLine(one, "x1", "go", 12))
	h.put(project+two+"/tool-results/toolu_1.txt", "text")
	first := run(t, h)
	delete(h, project+two+".jsonl")
	delete(h, project+two+"/tool-results/toolu_1.txt")
	delete(h, project+one+".jsonl")
	second := again(t, first)
	emitted(t, second)
	if cursor := second.Committed()["sessions"]; strings.Contains(cursor, two) {
		t.Error("the cursor still knows the vanished session")
	}
	// The share of the deleted transcript is still part of its session.
	h.add(project+one+"/subagents/agent-x.jsonl", userLine(one, "x2", "on", 13))
	third := again(t, second)
	emitted(t, third, "messages x2", "sessions "+one)
	want(t, third, "sessions", one, map[string]any{"message_count": 4, "started_at": stamp(0), "last_event_at": stamp(13)})
	// When a whole project folder vanishes, the granted folder is probably the wrong
	// one.
	keep := third.Committed()["sessions"]
	for path := range h {
		if strings.HasPrefix(path, "projects/") {
			delete(h, path)
		}
	}
	fourth := again(t, third)
	if fourth.Committed()["sessions"] != keep || len(fourth.Records("messages")) > 0 {
		t.Error("an absent projects folder made the cursor forget")
	}
}

func TestVanishedDocumentsAreDeleted(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+"memory/a.md", "a")
	h.put(project+"memory/b.md", "b")
	h.put("skills/s/SKILL.md", "s")
	h.put("skills/t/SKILL.md", "t")
	h.put("commands/c.md", "c")
	h.put("commands/d.md", "d")
	h.put("settings.json", "{}")
	first := run(t, h)
	for _, path := range []string{project + "memory/a.md", "skills/s/SKILL.md", "commands/c.md", "settings.json"} {
		delete(h, path)
	}
	h.put("commands/d.md", "changed")
	second := again(t, first)
	settings := first.Keys("config_inventory")[0]
	emitted(t, second, "slash_commands commands:d", "coverage_diagnostics coverage:config")
	for stream, key := range map[string]string{
		"memory_notes": "memory_notes:-home-ada-code-loom/a.md", "skills": "skills:s", "slash_commands": "commands:c", "config_inventory": settings,
	} {
		if got := second.Gone(stream); !slices.Equal(got, []string{key}) {
			t.Errorf("%s: %q are gone, want %q", stream, got, key)
		}
	}
	third := again(t, second)
	emitted(t, third)
	if last := again(t, third); len(last.All)+len(last.Enumerations)+len(last.States) != 0 {
		t.Errorf("got %d records, %d messages of lists and %d cursors when it is done, want none", len(last.All), len(last.Enumerations), len(last.States))
	}
}

func TestTornLineWaits(t *testing.T) {
	t.Parallel()
	h := small()
	whole := userLine(one, "u2", "And now?", 9)
	h.add(project+one+".jsonl", whole[:len(whole)/2])
	first := run(t, h)
	if n := len(first.Records("messages")); n != 2 {
		t.Fatalf("%d messages, want 2", n)
	}
	if skip(t, first, "line_incomplete") != 1 {
		t.Error("the torn line was not reported")
	}
	for _, s := range first.Skips { // a run does not end the line
		if got := string(s.RecoveryHint); s.Reason == "line_incomplete" && got != `"not_retriable"` {
			t.Errorf("got the hint %s, want not_retriable", got)
		}
	}
	want(t, first, "coverage_diagnostics", "coverage:incomplete_lines", map[string]any{"status": "deferred"})
	emitted(t, again(t, first))
	h.add(project+one+".jsonl", whole[len(whole)/2:])
	second := again(t, first)
	emitted(t, second, "messages u2", "sessions "+one, "coverage_diagnostics -coverage:incomplete_lines")
}

// AC-06, AC-10: a transcript that ends within a line, and that nobody wrote to for an hour, was cut off there: it is its
// owner's, as no later run has the rest, and it is read once the rest is there.
func TestALineThatWasCut(t *testing.T) {
	t.Parallel()
	h := small()
	whole := userLine(one, "u2", "And now?", 9)
	h.add(project+one+".jsonl", whole[:len(whole)/2])
	h[project+one+".jsonl"].ModTime = day.Add(-time.Hour - time.Millisecond)
	first := run(t, h)
	if skip(t, first, "line_cut") != 1 || skip(t, first, "line_incomplete") != 0 || first.File(rootHome, project+one+".jsonl") != abi.FileDamaged {
		t.Errorf("got %q and a file that is %s, want one line that was cut and a damaged file", trial.Reasons(first), first.File(rootHome, project+one+".jsonl"))
	}
	for ago, reason := range map[time.Duration]string{time.Hour: "line_incomplete", -time.Hour: "line_incomplete", -time.Hour - time.Millisecond: "line_cut"} {
		h[project+one+".jsonl"].ModTime = day.Add(-ago)
		if early := run(t, h); skip(t, early, reason) != 1 {
			t.Errorf("written %v ago: got %q, want %s", ago, trial.Reasons(early), reason)
		}
	}
	h.add(project+one+".jsonl", whole[len(whole)/2:])
	emitted(t, again(t, first), "messages u2", "sessions "+one, "coverage_diagnostics -coverage:cut_lines")
}

// AC-06: a last line that is whole is read without its line feed, and a mark of the byte order is no damage.
func TestALastLineWithoutALineFeed(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+one+".jsonl", "\ufeff"+userLine(one, "u1", "hello", 1)+strings.TrimSuffix(userLine(one, "u2", "And now?", 9), "\n"))
	first := run(t, h)
	if got := first.Keys("messages"); !slices.Equal(got, []string{"u1", "u2"}) || len(first.Skips) != 0 {
		t.Fatalf("got %q and %v, want u1, u2 and no word", got, first.Skips)
	}
	emitted(t, again(t, first))
	h.add(project+one+".jsonl", "\n"+strings.TrimSuffix(userLine(one, "u3", "Go on", 10), "\n"))
	second := again(t, first)
	emitted(t, second, "messages u3", "sessions "+one)
	h.add(project+one+".jsonl", userLine(one, "u4", "glued", 11))
	third := again(t, second)
	if got := third.Keys("messages"); !slices.Equal(got, []string{"u1", "u2", "u3", "u4"}) || len(third.Skips) != 0 {
		t.Errorf("got %q and %v, want all four and no word", got, third.Skips)
	}
	want(t, third, "sessions", one, map[string]any{"message_count": 4})
}

func TestBadLinesLoseNothingElse(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", "{\"type\":\"user\",\n\x00\x00\x00\n[1]\n\n\r\n"+strings.Repeat("[", 100_000)+"\n")
	h.add(project+one+".jsonl", `{"type":"user","uuid":"big","message":{"content":"`+strings.Repeat("x", maxLine)+`"}}`+"\n")
	h.add(project+one+".jsonl", userLine(one, "u2", "after \xff\xfe", 9)+`{"type":"user","uuid":"odd","message":7}`+"\n"+
		`{"type":"assistant","message":{"content":{"a":1}},"timestamp":"yesterday","sessionId":"`+one+"\"}\n")
	first := run(t, h)
	if len(first.Records("messages")) != 5 {
		t.Errorf("messages: %q, want len(first.Records(\"messages\")) = 5", first.Keys("messages"))
	}
	want(t, first, "messages", "u2", map[string]any{"content": "after \ufffd\ufffd"})
	want(t, first, "messages", "odd", map[string]any{"content": nil, "text": "7", "form": "other", "role": "user", "session_id": one})
	if n := skip(t, first, "lines_not_readable"); n != 4 {
		t.Errorf("%d lines reported, want 4", n)
	}
	if n := skip(t, first, "line_too_long"); n != 1 {
		t.Errorf("%d long lines reported, want 1", n)
	}
	want(t, first, "coverage_diagnostics", "coverage:invalid_lines", map[string]any{"status": "unsupported", "reason": "4 lines are damaged; what is whole in them was collected"})
	want(t, first, "coverage_diagnostics", "coverage:long_lines", map[string]any{"status": "unsupported"})
	second := again(t, first)
	emitted(t, second)
	// Missing lines are missing in every run: they are not read again, and yet each run
	// reports them.
	if fmt.Sprintf("%+v", second.Skips) != fmt.Sprintf("%+v", first.Skips) || len(first.Skips) != 2 {
		t.Errorf("first run: %+v\nsecond run: %+v, want the same reports %v, two of them", first.Skips, second.Skips, fmt.Sprintf("%+v", first.Skips))
	}
	if len(second.Committed()) > 0 && second.Committed()["sessions"] != first.Committed()["sessions"] {
		t.Error("a run without news moved the cursor")
	}
	h.put(project+one+".jsonl", userLine(one, "u2", "repaired", 9))
	third := again(t, second)
	if len(third.Skips) != 0 {
		t.Errorf("after the repair: %+v, want len(third.Skips) = 0", third.Skips)
	}
}

// barred is a folder with files that cannot be read and links that lead out.
type barred struct {
	fstest.MapFS
	bad map[string]bool
}

func (b barred) Open(name string) (fs.File, error) {
	if b.bad[name] {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.Open(name)
}

func (b barred) ReadDir(name string) ([]fs.DirEntry, error) {
	if b.bad[name] {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.ReadDir(name)
}

func (b barred) Stat(name string) (fs.FileInfo, error) {
	if f := b.MapFS[name]; f != nil && f.Mode&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrPermission}
	}
	return b.MapFS.Stat(name)
}

func TestUnreadableFilesLoseNothingElse(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+two+".jsonl", userLine(two, "v1", "Other", 0))
	h.put(project+"memory/a.md", "a")
	h.put("projects/-closed/"+two+".jsonl", "")
	h.put("skills/s/SKILL.md", "s")
	h["skills/out"] = &fstest.MapFile{Data: []byte("/etc"), Mode: fs.ModeSymlink, ModTime: day}
	h[project+"out.jsonl"] = &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink, ModTime: day}
	first := run(t, h) // everything readable but the links
	o := options(h)
	o.State, o.Stored = first.Committed(), first.Stored()
	bad := map[string]bool{project + two + ".jsonl": true, "projects/-closed": true, "commands": true, "skills/s": true, project + "memory": true}
	o.Roots[rootHome] = barred{fstest.MapFS(h), bad}
	h.add(project+two+".jsonl", userLine(two, "v2", "More", 3))
	h.add(project+one+".jsonl", userLine(one, "u2", "More", 3))
	second := checked(t, sdktest.Collect(t, connector{}, o))
	if len(second.Gone("skills"))+len(second.Gone("memory_notes")) > 0 {
		t.Error("files that could not be listed got tombstones")
	}
	if got := second.Keys("messages"); len(got) != 1 || got[0] != "u2" {
		t.Errorf("messages: %q, want len(got) = 1 and got[0] = u2", got)
	}
	if skip(t, second, "file_unreadable") < 4 || skip(t, second, "link_not_followed") != 2 {
		t.Errorf("skips: %+v, want skip(t, second, \"file_unreadable\") at least 4 and skip(t, second, \"link_not_followed\") = 2", second.Skips)
	}
	for _, p := range []string{"skills/out", project + "out.jsonl"} {
		if got := first.File(rootHome, p); got != abi.FileKnown { // AC-02: no word of the host's is needed
			t.Errorf("%s: got %q, want %q", p, got, abi.FileKnown)
		}
	}
	want(t, second, "coverage_diagnostics", "coverage:unreadable_files", map[string]any{"status": "unaccounted"})
	want(t, first, "coverage_diagnostics", "coverage:links", map[string]any{"status": "excluded"})
	third := second.SecondRun(t, func(o *sdktest.Options) { o.Roots[rootHome] = fstest.MapFS(h) })
	if got := third.Keys("messages"); len(got) != 1 || got[0] != "v2" {
		t.Errorf("after the repair: %q, want len(got) = 1 and got[0] = v2", got)
	}
}

// PB-D8, PB-A7: when the run fails later, the lines that a slice committed are not read
// again, and the lines after it are.
func TestSlicesSurviveAFailedRun(t *testing.T) {
	t.Parallel()
	h := home{}
	line := func(session string, i int) string {
		return userLine(session, session[:4]+strconv.Itoa(i), strings.Repeat("w ", 200_000), i)
	}
	var a, b strings.Builder
	for i := range 60 {
		a.WriteString(line(one, i))
	}
	for i := range 60 {
		b.WriteString(line(two, i))
	}
	h.put(project+one+".jsonl", a.String())
	h.put(project+two+".jsonl", b.String())
	o := options(h)
	states := 0
	o.Before = func(call string, _ []byte) *abi.Error {
		if call == "state" {
			states++
		}
		if states >= 2 && call == "emit" {
			return abi.NewError(abi.CodeInternal, "the host gives up", "")
		}
		return nil
	}
	o.Tolerate = true
	failed := sdktest.Collect(t, connector{}, o)
	if failed.Done.Status == abi.DoneSucceeded || len(failed.States) < 2 {
		t.Fatalf("status %s, %d states, want not %s and at least 2", failed.Done.Status, len(failed.States), abi.DoneSucceeded)
	}
	rest := checked(t, failed.SecondRun(t, func(o *sdktest.Options) { o.Tolerate = false }))
	keys := map[string]bool{}
	for _, k := range append(failed.Keys("messages"), rest.Keys("messages")...) {
		keys[k] = true
	}
	if len(keys) != 120 {
		t.Errorf("%d of 120 messages, want 120", len(keys))
	}
	if n := len(rest.Records("messages")); n == 0 || n > 60 {
		t.Errorf("%d messages were read again, want n not 0 and n at most 60", n)
	}
	want(t, failed, "sessions", one, map[string]any{"message_count": 60})
	want(t, rest, "sessions", two, map[string]any{"message_count": 60})
}

func TestStopKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	h := home{}
	for i := range 40 {
		h.add(project+one+".jsonl", userLine(one, "u"+strconv.Itoa(i), strings.Repeat("w ", 100_000), i))
	}
	o := options(h)
	o.StopAfter = 2
	stopped := sdktest.Collect(t, connector{}, o)
	if stopped.Done.Status != abi.DoneCancelled {
		t.Fatalf("%+v, want stopped.Done.Status = %v", stopped.Done, abi.DoneCancelled)
	}
	rest := again(t, stopped)
	if n, m := len(stopped.Records("messages")), len(rest.Records("messages")); n == 0 || m == 0 || n+m != 40 {
		t.Errorf("%d before the stop, %d after, want n not 0, m not 0 and n+m = 40", n, m)
	}
	want(t, rest, "sessions", one, map[string]any{"message_count": 40})
}

// A forked conversation copies the lines so far under its own session id: the same keys
// come from two files. The stored records must not depend on which file a run met
// first.
func TestForkedCopiesAreDeterministic(t *testing.T) {
	t.Parallel()
	const early, late = "00000000-0000-4000-8000-000000000000", "ffffffff-ffff-4fff-8fff-ffffffffffff"
	for _, fork := range []string{early, late} {
		original, copied := project+one+".jsonl", project+fork+".jsonl"
		lines := func(session string) string {
			return userLine(session, "c1", "shared", 0) + userLine(session, "c2", "shared too", 1)
		}
		h := home{}
		h.put(original, lines(one))
		first := run(t, h)
		h.add(original, userLine(one, "c3", "in both", 2))
		h.put(copied, lines(fork)+userLine(fork, "c3", "in both", 2)+userLine(fork, "f4", "fork only", 8))
		second := again(t, first)
		h.add(original, userLine(one, "o4", "original only", 9))
		third := again(t, second)
		stored := map[string]string{}
		for _, r := range []*sdktest.Result{first, second, third} {
			for _, rec := range r.Records("messages") {
				stored[rec.Key] = string(rec.Data)
			}
		}
		fresh := run(t, h)
		if n := len(fresh.Records("messages")); n != 5 || len(stored) != 5 {
			t.Errorf("%d messages in a fresh run, %d stored, want 5 and 5", n, len(stored))
		}
		for _, rec := range fresh.Records("messages") {
			if stored[rec.Key] != string(rec.Data) {
				t.Errorf("fork %s: %s depends on the order:\n%s\n%s, want %s", fork, rec.Key, stored[rec.Key], rec.Data, string(rec.Data))
			}
		}
		counts := map[string]int{one: 4, fork: 1}
		if fork < one {
			counts = map[string]int{one: 1, fork: 4}
		}
		for session, n := range counts { // what is kept under its id
			want(t, fresh, "sessions", session, map[string]any{"message_count": n})
			if got, want := jsonText(t, third.Stored()["sessions"][session].Fields["message_count"]), strconv.Itoa(n); got != want {
				t.Errorf("fork %s: read one after the other, session %s has %s messages, want %s", fork, session, got, want)
			}
		}
	}
}

// A resumed conversation of older versions copies lines with their session id.
func TestResumedCopiesCountOnce(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+two+".jsonl", string(h[project+one+".jsonl"].Data)+userLine(two, "v1", "go on", 5))
	r := run(t, h)
	want(t, r, "sessions", one, map[string]any{"message_count": 2})
	want(t, r, "sessions", two, map[string]any{"message_count": 1})
	want(t, r, "messages", "u1", map[string]any{"session_id": one})
	if n := len(r.Records("messages")); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
}

func TestDamagedCursorMeansReadingAgain(t *testing.T) {
	t.Parallel()
	h := small()
	for _, cursor := range []string{`{}`, `{"version":2}`, `{"version":1,"projects":[1],"notes":7,"tool_results":{"a":1},"other_types":{}}`} {
		o := options(h)
		o.State = map[string]string{"sessions": cursor, "skills": cursor, "file_history": `{"entries":[]}`, "coverage_diagnostics": cursor}
		r := checked(t, sdktest.Collect(t, connector{}, o))
		if len(r.Records("messages")) != 2 {
			t.Errorf("after %s: %q, want len(r.Records(\"messages\")) = 2", cursor, r.Keys("messages"))
		}
	}
}

func TestFullRefreshEmitsAgain(t *testing.T) {
	t.Parallel()
	first := run(t, small())
	r := checked(t, first.SecondRun(t, trial.FullRefresh))
	if len(r.All) != len(first.All) {
		t.Errorf("%d records, want %d as in the first run", len(r.All), len(first.All))
	}
}

func TestSinceFiltersMessages(t *testing.T) {
	t.Parallel()
	o := options(small())
	o.Scope = []abi.StreamScope{{Name: "messages", TimeRange: &abi.TimeRange{Since: stamp(1)}}, {Name: "sessions"}}
	r := checked(t, sdktest.Collect(t, connector{}, o))
	emitted(t, r, "messages a1", "sessions "+one)
}

// The cursors of version 0.1.0 are gone on with: deletions are noticed, each transcript is read once more, for what that
// version left out of long messages, and the records that are sent once more are the ones that are stored.
func TestEarlierCursors(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+one+"/subagents/agent-x.jsonl", userLine(one, "x1", "go", 12))
	h.put(project+"memory/a.md", "a")
	h.put("skills/s/SKILL.md", "s")
	h.put("cache/c", "c")
	first := run(t, h)
	stored, now := first.Stored(), first.Committed()
	for stream, key := range map[string]string{"cache_inventory": "cache:00ff", "memory_notes": "memory_notes:-home-ada-code-loom/b.md", "skills": "skills:gone"} {
		stored[stream][key] = sdktest.Record{Stream: stream, Key: key}
	}
	prefix := func(path string) string {
		sum := sha256.Sum256(h[path].Data)
		return hex.EncodeToString(sum[:])
	}
	file := func(path, rest string) string {
		return fmt.Sprintf(`{"committed_offset_bytes":%d,"committed_prefix_sha256":%q,"observed_size_bytes":%d,"observed_mtime_ms":%d,%s}`,
			len(h[path].Data), prefix(path), len(h[path].Data), h[path].ModTime.UnixMilli(), rest)
	}
	own, sub := project+one+".jsonl", project+one+"/subagents/agent-x.jsonl"
	now["sessions"] = fmt.Sprintf(`{"version":1,"projects":{"-home-ada-code-loom":{%q:%s,%q:%s}},"notes":{"-home-ada-code-loom/a.md":[1,%d,"0123456789abcdef"],`+
		`"-home-ada-code-loom/b.md":[1,2,"0123456789abcdef"]},"tool_results":{},"other_types":["system"]}`,
		one+".jsonl", file(own, fmt.Sprintf(`"root":"u1","sessions":[{"messages":2,"first_ms":%d,"last_ms":%d,"cwd":"/home/ada/code/loom"}]`,
			day.UnixMilli(), day.UnixMilli())),
		one+"/subagents/agent-x.jsonl", file(sub, `"root":"x1","sessions":[{"messages":1}]`), h[project+"memory/a.md"].ModTime.UnixMilli())
	now["skills"] = fmt.Sprintf(`{"files":{"s":[1,%d,"0123456789abcdef"],"gone":[1,2,""]}}`, day.UnixMilli())
	now["cache_inventory"] = `{"entries":{"00ff":"file"}}`
	now["coverage_diagnostics"] = `{"rows":{"coverage:entry:gone":"0123456789abcdef"}}`
	o := options(h)
	o.State, o.Stored = now, stored
	second := checked(t, sdktest.Collect(t, connector{}, o))
	for _, rec := range second.All {
		switch was := stored[rec.Stream][rec.Key]; {
		case rec.Delete:
		case string(was.Data) != string(rec.Data) && rec.Key != "coverage:other_lines":
			t.Errorf("%s %s: got %s, want what is stored: %s", rec.Stream, rec.Key, rec.Data, was.Data)
		}
	}
	var gone []string
	for _, stream := range []string{"cache_inventory", "memory_notes", "skills"} {
		gone = append(gone, second.Gone(stream)...)
	}
	for _, rec := range second.All {
		if rec.Delete {
			gone = append(gone, rec.Key)
		}
	}
	slices.Sort(gone)
	if got, want := strings.Join(gone, " "), "cache:00ff coverage:entry:gone memory_notes:-home-ada-code-loom/b.md skills:gone"; got != want {
		t.Errorf("deleted %s, want %s", got, want)
	}
	h.add(own, userLine(one, "u9", "more", 20))
	want(t, again(t, second), "sessions", one, map[string]any{"message_count": 4, "cwd": "/home/ada/code/loom"})
}
