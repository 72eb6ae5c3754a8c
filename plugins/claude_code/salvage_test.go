package main

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-07: bytes that are no UTF-8 are those of Windows-1252, and their line is told.
func TestForeignBytes(t *testing.T) {
	t.Parallel()
	h := small()
	start := strings.Count(string(h[project+one+".jsonl"].Data), "\n") + 1
	foreign := strings.Replace(userLine(one, "f1", "Gru-e 日本", 3), "u-e", "\xfc\xdfe", 1)
	h.add(project+one+".jsonl", foreign+userLine(one, "after", "After", 9))
	r := run(t, h)
	want(t, r, "messages", "f1", map[string]any{"content": "Grüße 日本"})
	var told struct {
		Examples []string `json:"examples"`
	}
	if skip(t, r, "lines_not_readable") != 1 || json.Unmarshal(r.Skips[0].Diagnostics, &told) != nil {
		t.Fatalf("got %+v, want one damaged line", r.Skips)
	}
	if want := project + one + ".jsonl, line " + strconv.Itoa(start); told.Examples[0] != want {
		t.Errorf("got %s, want %s", told.Examples[0], want)
	}
}

// AC-06: A-04. A line that is damaged, as transcripts in the field are, costs what is damaged: blocks
// of NUL, two lines in one, and one that was cut off where the next begins.
func TestDamagedLinesGiveWhatIsWhole(t *testing.T) {
	t.Parallel()
	bare := func(id string, minute int) string {
		return strings.TrimSuffix(userLine(one, id, "Text "+id, minute), "\n")
	}
	nul := strings.Repeat("\x00", 512)
	cut := bare("lost", 3)
	progress := line(map[string]any{"type": "progress", "uuid": "p", "sessionId": one, "timestamp": stamp(4), "data": map[string]any{
		"message": map[string]any{"type": "user", "uuid": "inner", "timestamp": stamp(4), "message": map[string]any{"role": "user", "content": "inner"}}}})
	for what, c := range map[string]struct {
		line, ids string
		damaged   int64 // where, in the line; -1: nothing is
	}{
		"NUL before":       {nul + bare("b1", 3), "b1", 0},
		"NUL within":       {bare("b1", 3)[:150] + nul + bare("b2", 3), "b2", 0},
		"NUL behind":       {bare("b1", 3) + nul, "b1", int64(len(bare("b1", 3)))},
		"glued":            {bare("b1", 3) + bare("b2", 4), "b1 b2", -1},
		"glued and cut":    {bare("b1", 3) + cut[:40], "b1", int64(len(bare("b1", 3)))},
		"cut and glued":    {cut[:len(cut)-60] + bare("b2", 4) + bare("b3", 5), "b2 b3", 0},
		"cut in its text":  {beginning(cut, "Text") + bare("b2", 4), "b2", 0},
		"a part of a line": {progress[:len(progress)-8], "", 0},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := small()
			start := strings.Count(string(h[project+one+".jsonl"].Data), "\n") + 1
			h.add(project+one+".jsonl", c.line+"\n"+userLine(one, "after", "After", 9))
			first := run(t, h)
			want := strings.TrimSpace("u1 a1 " + c.ids)
			if got := strings.Join(first.Keys("messages"), " "); got != want+" after" {
				t.Fatalf("got %s, want %s after", got, want)
			}
			if c.damaged < 0 {
				if len(first.Skips) != 0 {
					t.Errorf("got %+v, want no report: nothing is lost", first.Skips)
				}
				return
			}
			var told struct {
				Examples []string `json:"examples"`
			}
			if skip(t, first, "lines_not_readable") != 1 || json.Unmarshal(first.Skips[0].Diagnostics, &told) != nil {
				t.Fatalf("got %+v, want one damaged line", first.Skips)
			}
			if want := project + one + ".jsonl, line " + strconv.Itoa(start); told.Examples[0] != want {
				t.Errorf("got %s, want %s", told.Examples[0], want)
			}
			emitted(t, again(t, first))
		})
	}
}

// A copy of a conversation leaves the messages of damaged lines to the first file, too.
func TestCopyOfADamagedLine(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", "\x00\x00"+userLine(one, "g1", "Glued", 3))
	h.put(project+two+".jsonl", strings.ReplaceAll(string(h[project+one+".jsonl"].Data), one, two))
	r := run(t, h)
	if got := strings.Join(r.Keys("messages"), " "); got != "u1 a1 g1" {
		t.Errorf("got %s, want each once", got)
	}
}

// A transcript of which an earlier version lost lines is read again, once.
func TestLostLinesAreReadAgain(t *testing.T) {
	t.Parallel()
	h := small()
	h.add(project+one+".jsonl", "\x00\x00"+userLine(one, "g1", "Behind", 3))
	first := run(t, h)
	o := options(h)
	o.State = first.Committed()
	o.State["sessions"] = strings.Replace(o.State["sessions"], `"reader":`+strconv.Itoa(readerVersion), `"reader":1`, 1)
	second := checked(t, sdktest.Collect(t, connector{}, o))
	if got := strings.Join(second.Keys("messages"), " "); got != "u1 a1 g1" {
		t.Errorf("got %s, want the transcript's messages", got)
	}
	emitted(t, again(t, second))
}

// A transcript whose last line an earlier version left for want of a line feed is read again.
func TestALeftLastLineIsReadAgain(t *testing.T) {
	t.Parallel()
	h := small()
	last := strings.TrimSuffix(userLine(one, "u2", "And now?", 9), "\n")
	before := string(h[project+one+".jsonl"].Data)
	h.put(project+one+".jsonl", before+last[:len(last)-1]+" ")
	o := options(h)
	o.State = run(t, h).Committed()
	h[project+one+".jsonl"].Data = []byte(before + last) // as the earlier version saw it
	o.State["sessions"] = strings.Replace(o.State["sessions"], `"reader":`+strconv.Itoa(readerVersion), `"reader":3`, 1)
	res := checked(t, sdktest.Collect(t, connector{}, o))
	if got := strings.Join(res.Keys("messages"), " "); got != "u1 a1 u2" || len(res.Skips) != 0 {
		t.Errorf("got %s and %v, want the messages and no word", got, res.Skips)
	}
}

// beginning is the part of a text before a word.
func beginning(text, word string) string {
	before, _, _ := strings.Cut(text, word)
	return before
}
