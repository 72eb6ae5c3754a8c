package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// AC-02: a session that is there plain and compressed is read from the file that has more of it, and the other one
// is passed over by a rule. Where each has something that the other one lacks, both are read.
func TestARolloutInTwoForms(t *testing.T) {
	t.Parallel()
	begun := metaLine(sessionA) + message(1, "user", "one")
	more, other := begun+message(2, "user", "two"), begun+message(3, "user", "three")
	for what, c := range map[string]struct{ plain, packed, fates, texts string }{
		"the same":          {more, packed(more), "read, rule", "one/two"},
		"the plain one":     {more, packed(begun), "read, rule", "one/two"},
		"the packed one":    {begun, packed(more), "rule, read", "one/two"},
		"cut in a line":     {more[:len(more)-9], packed(more), "rule, read", "one/two"},
		"an empty one":      {"", packed(more), "rule, read", "one/two"},
		"of zero bytes":     {strings.Repeat("\x00", 300), packed(more), "unknown, read", "one/two"},
		"other lines":       {more, packed(other), "read, read", "one/three/two"},
		"no frame":          {more, "PK\x03\x04", "read, damaged", "one/two"},
		"a frame in pieces": {begun, packed(more)[:len(packed(more))-5], "read, damaged", "one"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{rolloutName(sessionA), "sessions/named otherwise"} {
				if name != rolloutName(sessionA) && !strings.HasPrefix(c.fates, "read, rule") {
					continue // the other one is not understood
				}
				h := newHome(t)
				h.write(name, c.plain)
				h.write(name+zstd.Suffix, c.packed)
				first := h.collect()
				for _, res := range []*sdktest.Result{first, h.again(first)} {
					fates := res.File(rootHome, name) + ", " + res.File(rootHome, name+zstd.Suffix)
					if fates != c.fates {
						t.Errorf("%s: got %q, want %q", name, fates, c.fates)
					}
				}
				var texts []string
				for _, rec := range first.Records(streamMessages) {
					texts = append(texts, rec.Text("content"))
				}
				slices.Sort(texts)
				if got := strings.Join(texts, "/"); got != c.texts {
					t.Errorf("%s: got the messages %q, want %q", name, got, c.texts)
				}
				if second := h.again(first); len(second.Records(streamMessages)) != 0 {
					t.Errorf("%s: the next run emitted %v, want no message", name, second.Keys(streamMessages))
				}
			}
		})
	}
}

// AC-07: a copy of a session under another name is not understood in any run, also where it is listed before the
// one that was read.
func TestACopyStaysOne(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	text := metaLine(sessionA) + message(1, "user", "one")
	h.write("sessions/b", text)
	first := h.collect()
	h.write("sessions/a", text)
	h.write("sessions/c", text)
	second := h.again(first)
	for _, res := range []*sdktest.Result{second, h.again(second)} {
		fates := res.File(rootHome, "sessions/a") + " " + res.File(rootHome, "sessions/b") + " " + res.File(rootHome, "sessions/c")
		if fates != "unknown read unknown" || len(res.Records(streamMessages)) != 0 {
			t.Errorf("got %q and the messages %q, want the copies not understood", fates, res.Keys(streamMessages))
		}
	}
}

// AC-04, AC-07: what rollouts of one session share is collected once, also when they are read anew, whatever the order
// in which runs meet them, and the copy is told.
func TestCopiesInOtherFolders(t *testing.T) {
	t.Parallel()
	line := func(n int, text string) string { return message(n, "assistant", text) }
	event := `{"timestamp":"` + at(1) + `","type":"event_msg","payload":{"type":"agent_message","message":"a"}}` + "\n"
	a := metaLine(sessionA) + event + line(1, "a")
	ab := a + callLine(2, "c") + outputLine(3, "c", "out") + line(4, "b")
	for what, c := range map[string]struct {
		steps []map[string]string // what the days' folders have from then on
		texts string
	}{
		"both go on":          {[]map[string]string{{"02": ab}, {"03": ab}, {"02": ab + line(8, "d"), "03": ab + line(9, "e")}}, "a/b/d/e"},
		"at once":             {[]map[string]string{{"02": ab}, {"01": ab + line(9, "e"), "02": ab + line(8, "d")}}, "a/b/d/e"},
		"an older copy":       {[]map[string]string{{"03": ab}, {"01": a}}, "a/b"},
		"a newer copy":        {[]map[string]string{{"03": a}, {"04": ab}, {"04": ab + line(8, "d")}}, "a/b/d"},
		"said once more":      {[]map[string]string{{"01": ab + line(8, "d") + line(9, "a")}, {"02": ab + line(8, "a")}}, "a/a/a/b/d"},
		"a copy in two steps": {[]map[string]string{{"02": ab}, {"03": a}, {"03": ab + line(8, "d")}}, "a/b/d"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var res *sdktest.Result
			for _, step := range c.steps {
				for day, text := range step {
					h.write(strings.ReplaceAll(rolloutName(sessionA), "01/01/rollout-2026-01-01", "01/"+day+"/rollout-2026-01-"+day), text)
				}
				if res == nil {
					res = h.collect()
				} else {
					res = h.again(res)
				}
			}
			texts := func(res *sdktest.Result) string {
				var list []string
				for _, rec := range res.Stored()[streamMessages] {
					list = append(list, rec.Text("content"))
				}
				slices.Sort(list)
				return strings.Join(list, "/")
			}
			if got := texts(res); got != c.texts || told(res) != copied.Reason {
				t.Errorf("got %q and %q, want %q, and %s", got, told(res), c.texts, copied.Reason)
			}
			if got, want := field(res, streamSessions, sessionA, "message_count"), strconv.Itoa(strings.Count(c.texts, "/")+1); got != want && what != "an older copy" {
				t.Errorf("got %s messages of the session, want %s", got, want)
			}
			if next := h.again(res); len(next.All) != 0 || told(next) != copied.Reason {
				t.Errorf("the next run: got %v and %q, want nothing, and %s", next.All, told(next), copied.Reason)
			}
			anew := h.collect(func(o *sdktest.Options) { o.Stored = res.Stored() })
			for _, key := range anew.Keys(streamMessages) {
				if _, is := res.Stored()[streamMessages][key]; !is {
					t.Errorf("read anew: got the new key %s, want those that were there", key)
				}
			}
			if got := texts(anew); got != c.texts || told(anew) != copied.Reason {
				t.Errorf("read anew: got %q and %q, want %q, and %s", got, told(anew), c.texts, copied.Reason)
			}
		})
	}
}
