package main

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// The record of a cut message marks the cut and gives the full length.
func TestCutMessagesSaySo(t *testing.T) {
	t.Parallel()
	h, path := home{}, project+one+".jsonl"
	h.put(path, userLine(one, "short", "é\n\"", 0)+userLine(one, "whole", strings.Repeat("é", maxContent), 1)+
		userLine(one, "cut", strings.Repeat("é\n", maxContent)+"1234567890", 2)+
		assistantLine(one, "blocks", "cut", 3, block("text", map[string]any{"text": strings.Repeat("x", maxContent-1)}),
			block("tool_use", map[string]any{"name": "Read", "input": map[string]any{"a": 1}}),
			block("tool_result", map[string]any{"content": []any{block("text", map[string]any{"text": "ab"}), block("text", map[string]any{"text": "cd"})}}),
			block("image", map[string]any{"source": strings.Repeat("p", 100)}))+
		assistantLine(one, "none", "cut", 4, block("image", nil)))
	first := run(t, h)
	for id, w := range map[string]struct {
		cut    bool
		length int
	}{
		"short": {false, 3}, "whole": {false, maxContent}, "cut": {true, 2*maxContent + 10}, "none": {false, len("[image]")},
		"blocks": {true, maxContent - 1 + len("\nRead ") + len(`{"a":1}`) + len("\nab\ncd\n[image]")},
	} {
		want(t, first, "messages", id, map[string]any{"content_truncated": w.cut, "content_length": w.length})
	}
	want(t, first, "coverage_diagnostics", "coverage:cut_messages", map[string]any{
		"status": "unsupported", "stream": "messages", "reason": "2 messages are longer than 131,072 characters; their beginning was collected",
	})
	if len(first.Skips) != 0 || !strings.Contains(strings.Join(first.Logs, "\n"), "2 messages are longer") {
		t.Errorf("skips %+v, log %q, want len(first.Skips) = 0 and 2 messages are longer in first.Logs", first.Skips, first.Logs)
	}
	second := again(t, first)
	emitted(t, second)
	for _, res := range []*sdktest.Result{first, second} {
		if got := res.File(rootHome, path); got != abi.FileBeginning {
			t.Errorf("the transcript: %q, want %q", got, abi.FileBeginning)
		}
	}
	if len(second.Logs) != 0 {
		t.Errorf("nothing was read, and yet: %q, want len(second.Logs) = 0", second.Logs)
	}
	// The count covers the transcripts, however much of them a run reads.
	h.add(path, userLine(one, "more", strings.Repeat("x", maxContent+1), 5))
	third := again(t, second)
	want(t, third, "coverage_diagnostics", "coverage:cut_messages", map[string]any{
		"reason": "3 messages are longer than 131,072 characters; their beginning was collected",
	})
	if log := strings.Join(third.Logs, "\n"); !strings.Contains(log, "1 message is longer") {
		t.Errorf("log %q, want 1 message is longer in it", log)
	}
	small := func(o *sdktest.Options) { o.State["sessions"] = condensed(t, o.State["sessions"]) }
	emitted(t, checked(t, third.SecondRun(t, small)))
	h.put(path, userLine(one, "short", "again", 0))
	emitted(t, again(t, third), "messages short", "sessions "+one, "coverage_diagnostics -coverage:cut_messages")
}

// The places of bad lines are named in every run, the first of each transcript,
// and only by name once the cursor had to be condensed.
func TestGapsPersistWithTheirPlaces(t *testing.T) {
	t.Parallel()
	h := small()
	start := strings.Count(string(h[project+one+".jsonl"].Data), "\n") + 1
	h.add(project+one+".jsonl", strings.Repeat("bad\n", 10))
	examples := func(r *sdktest.Result) string {
		t.Helper()
		if len(r.Skips) != 1 || skip(t, r, "lines_not_readable") != 10 || r.Skips[0].Message != "10 lines are damaged; what is whole in them was collected" {
			t.Fatalf("skips: %+v, want len(r.Skips) = 1, skip(t, r, \"lines_not_readable\") = 10 and Skips[0].Message = 10 lines are damaged; what is whole in them was collected", r.Skips)
		}
		var d struct {
			Examples []string `json:"examples"`
		}
		if err := json.Unmarshal(r.Skips[0].Diagnostics, &d); err != nil {
			t.Fatal(err)
		}
		return strings.Join(d.Examples, " ")
	}
	r, places := run(t, h), ""
	for i := range maxPlaces {
		places += project + one + ".jsonl, line " + strconv.Itoa(start+i) + " "
	}
	for range 3 {
		if got := examples(r); got+" " != places {
			t.Errorf("examples %s, want %s", got, places)
		}
		r = again(t, r)
		emitted(t, r)
	}
	small := func(o *sdktest.Options) { o.State["sessions"] = condensed(t, o.State["sessions"]) }
	second := checked(t, r.SecondRun(t, small))
	if got := examples(second); got != project+one+".jsonl" {
		t.Errorf("examples %s, want %s", got, project+one+".jsonl")
	}
	emitted(t, second)
}

// closed is a folder below which nothing can be looked at.
type closed struct {
	fstest.MapFS
	folder string
}

func (c closed) denied(name string) error {
	if name == c.folder || strings.HasPrefix(name, c.folder+"/") {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return nil
}

func (c closed) Open(name string) (fs.File, error) {
	if err := c.denied(name); err != nil {
		return nil, err
	}
	return c.MapFS.Open(name)
}

func (c closed) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := c.denied(name); err != nil {
		return nil, err
	}
	return c.MapFS.ReadDir(name)
}

// A folder that cannot be read is one gap of each stream in it, not one for each folder
// that would have been looked for in it; and it is reported in every run.
func TestUnreadableFolderCountsOnce(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"projects/q", "projects/q/" + two} {
		h := small()
		h.put("projects/q/"+two+"/subagents/a.jsonl", userLine(two, "x", "x", 0))
		h.put("projects/q/"+two+"/tool-results/a.txt", "x")
		h.put("projects/q/memory/a.md", "x")
		o := options(h)
		o.Roots[rootHome] = closed{fstest.MapFS(h), folder}
		first := checked(t, sdktest.Collect(t, connector{}, o))
		for i, r := range []*sdktest.Result{first, again(t, first)} {
			var streams []string
			for _, s := range r.Skips {
				streams = append(streams, s.Stream)
				if s.Message != "1 file or folder could not be read" || !strings.Contains(string(s.Diagnostics), `["`+folder+`"]`) {
					t.Errorf("%s, run %d: %+v, want s.Message = 1 file or folder could not be read and `[\"`+folder+`\"]` in s.Diagnostics", folder, i, s)
				}
			}
			if !slices.Equal(streams, []string{"attachments", "memory_notes", "messages", "sessions"}) {
				t.Errorf("%s, run %d: %q, want %q", folder, i, streams, []string{"attachments", "memory_notes", "messages", "sessions"})
			}
		}
		want(t, first, "coverage_diagnostics", "coverage:unreadable_files", map[string]any{"reason": "1 file or folder could not be read"})
	}
}

// Anything that cannot be read is a gap of its streams, as far as the run collects
// them, so that none of them counts as complete (HL-05.1).
func TestUnreadablePlacesNameTheirStreams(t *testing.T) {
	t.Parallel()
	for at, want := range map[string]string{
		"projects":                           "attachments memory_notes messages sessions",
		"projects/q/a.jsonl":                 "attachments messages sessions",
		"projects/q/s/subagents/agent.jsonl": "attachments messages sessions",
		"projects/q/s/tool-results":          "attachments",
		"projects/q/memory/a.md":             "memory_notes",
		"skills/x/SKILL.md":                  "skills",
		"commands":                           "slash_commands",
		"file-history/x":                     "file_history",
		".":                                  "",
	} {
		if got := streamsOf(at); strings.Join(slices.Sorted(slices.Values(got)), " ") != want {
			t.Errorf("%s: %q, want strings.Join(slices.Sorted(slices.Values(got)), \" \") = %v", at, got, want)
		}
	}
	h := small()
	o := options(h)
	o.Roots[rootHome] = closed{fstest.MapFS(h), "projects"}
	o.Streams = []string{"messages", "skills"}
	r := sdktest.Collect(t, connector{}, o)
	if len(r.Skips) != 1 || r.Skips[0].Stream != "messages" {
		t.Errorf("%+v, want len(r.Skips) = 1 and Skips[0].Stream = messages", r.Skips)
	}
}

// A link is a fact of the folder, not a fault for its owner to put right.
func TestLinksAreForInformation(t *testing.T) {
	t.Parallel()
	if got := linkNotFollowed.Hint; got != "not_retriable" {
		t.Errorf("%v, want not_retriable", got)
	}
}

// A folder that is empty, or belongs to something else, is reported: a run that only
// accounts for missing stores has collected nothing (HL-05.1).
func TestNothingFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		put  string
		want int
	}{
		"empty": {"", 1}, "something else": {"Documents/letter.txt", 1}, "of no stream": {"history.jsonl", 1},
		"settings": {"settings.json", 0}, "a transcript": {project + one + ".jsonl", 0},
	} {
		h := home{}
		if c.put != "" {
			h.put(c.put, "{}\n")
		}
		r := run(t, h)
		if got := skip(t, r, "nothing_found"); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
		for _, s := range r.Skips {
			if s.Reason == "nothing_found" && (s.Stream != "" || string(s.RecoveryHint) != `"not_retriable"`) {
				t.Errorf("%s: %+v, want it for no stream and not_retriable", name, s)
			}
		}
	}
}

func TestWordingOfOne(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", "bad\n{")
	h.put("mystery", "x")
	for _, s := range run(t, h).Skips {
		switch s.Message {
		case "1 line is damaged; what is whole in it was collected", "1 last line has no end yet, and is read once its writer has ended it", "1 entry of the home folder is not known to this connector":
		default:
			t.Errorf("unexpected report %q", s.Message)
		}
	}
}

// A transcript that was never readable is a gap of every run.
func TestUnreadableFilePersists(t *testing.T) {
	t.Parallel()
	h := small()
	h.put(project+two+".jsonl", userLine(two, "v1", "Other", 0))
	o := options(h)
	o.Roots[rootHome] = barred{fstest.MapFS(h), map[string]bool{project + two + ".jsonl": true}}
	r := checked(t, sdktest.Collect(t, connector{}, o))
	for i := range 3 {
		if skip(t, r, "file_unreadable") != 1 {
			t.Errorf("run %d: %+v, want skip(t, r, \"file_unreadable\") = 1", i, r.Skips)
		}
		r = again(t, r)
		emitted(t, r)
	}
}
