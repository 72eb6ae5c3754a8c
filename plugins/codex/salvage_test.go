package main

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-06: A-04. A damaged line costs what is damaged, and is named with its file and number.
func TestDamagedLinesGiveWhatIsWhole(t *testing.T) {
	t.Parallel()
	bare := func(text string) string { return strings.TrimSuffix(message(1, "user", text), "\n") }
	nul := strings.Repeat("\x00", 512)
	cut := bare("cut off here")
	for what, c := range map[string]struct {
		line, ids string
		damaged   bool
	}{
		"NUL before":      {nul + bare("b"), "A:2", true},
		"NUL within":      {cut[:90] + nul + bare("b"), "A:2", true},
		"NUL in its text": {strings.Replace(bare("a-b"), "-", nul, 1), "A:2", true},
		"glued":           {bare("a") + bare("b") + bare("c"), "A:2 A:2.2 A:2.3", false},
		"cut and glued":   {cut[:len(cut)-8] + bare("b"), "A:2", true},
		"glued and cut":   {bare("a") + cut[:50], "A:2", true},
		"a part of one":   {cut[:len(cut)-1], "", true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			h.write(rolloutName(sessionA), metaLine(sessionA)+c.line+"\n"+message(2, "user", "after"))
			first := h.collect()
			if got, want := keys(first, streamMessages), strings.TrimSpace(c.ids+" A:3"); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
			want := ""
			if c.damaged {
				want = "malformed_lines"
			}
			if reasons(first) != want || c.damaged && !strings.Contains(string(first.Skips[0].Diagnostics), rolloutName(sessionA)+", line 2") {
				t.Errorf("got %+v, want %q with the file and line 2", first.Skips, want)
			}
			if second := h.again(first); len(second.All) != 0 || reasons(second) != want {
				t.Errorf("then %v and %q, want the report alone", second.All, reasons(second))
			}
		})
	}
}

// AC-07: bytes that are no UTF-8 are those of Windows-1252, and their line is told.
func TestForeignBytes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+strings.Replace(message(1, "user", "Gru-e 日本"), "u-e", "\xfc\xdfe", 1)+message(2, "user", "after"))
	first := h.collect()
	if got := field(first, streamMessages, sessionA+":2", "content"); got != "Grüße 日本" {
		t.Errorf("got %q, want the text as Windows-1252", got)
	}
	if reasons(first) != "malformed_lines" || !strings.Contains(string(first.Skips[0].Diagnostics), rolloutName(sessionA)+", line 2") {
		t.Errorf("got %+v, want the damaged line 2 named", first.Skips)
	}
	if second := h.again(first); len(second.All) != 0 || reasons(second) != "malformed_lines" {
		t.Errorf("then %v and %q, want the report alone", second.All, reasons(second))
	}
}

// A rollout of which an earlier version lost lines is read again, once.
func TestLostLinesAreReadAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), metaLine(sessionA)+"\x00"+message(1, "user", "one"))
	first := h.collect()
	state := first.Committed()
	state[streamSessions] = strings.Replace(state[streamSessions], `"reader":`+strconv.Itoa(readerVersion), `"reader":1`, 1)
	second := h.collect(func(o *sdktest.Options) { o.State = state })
	if keys(second, streamMessages) != "A:2" {
		t.Errorf("got %s, want the message again", keys(second, streamMessages))
	}
	if third := h.again(second); len(third.All) != 0 {
		t.Errorf("got %v, want nothing", third.All)
	}
}

// A rollout whose last line an earlier version left for want of a line feed is read again.
func TestALeftLastLineIsReadAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	last := strings.TrimSuffix(message(1, "user", "one"), "\n")
	h.write(rolloutName(sessionA), metaLine(sessionA)+last[:len(last)-1]+" ")
	at := sdktest.Epoch.Add(-48 * time.Hour)
	h.touch(rolloutName(sessionA), at)
	state := h.collect().Committed()
	h.write(rolloutName(sessionA), metaLine(sessionA)+last)
	h.touch(rolloutName(sessionA), at) // as the earlier version saw it
	state[streamSessions] = strings.Replace(state[streamSessions], `"reader":`+strconv.Itoa(readerVersion), `"reader":2`, 1)
	res := h.collect(func(o *sdktest.Options) { o.State = state })
	if keys(res, streamMessages) != "A:2" || len(res.Skips) != 0 {
		t.Errorf("got %s and %v, want the message and no word", keys(res, streamMessages), res.Skips)
	}
}

// K-03: the text of a prompt stays beside a picture of 10 MB.
func TestPromptWithAPicture(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	picture := strings.Repeat("QUJD", 2_500_000)
	h.write(rolloutName(sessionA), metaLine(sessionA)+
		itemLine(1, `{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,`+picture+`"},{"type":"input_text","text":"What is this?"}]}`))
	res := h.collect()
	if got := field(res, streamMessages, sessionA+":2", "content"); got != "[input_image]\nWhat is this?" || len(res.Skips) != 0 {
		t.Errorf("got %q and %+v, want the text beside the picture", got, res.Skips)
	}
}
