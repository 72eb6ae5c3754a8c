package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// AC-03: a rollout that is a block of NUL is not understood from the first run on: nobody writes one.
func TestRolloutOfNULs(t *testing.T) {
	t.Parallel()
	for what, text := range map[string]string{
		"a block": strings.Repeat("\x00", 4096), "with an end": strings.Repeat("\x00", 4096) + "\n", "behind a mark": "\ufeff\x00\x00", "blank": "   ",
		"a long block": strings.Repeat("\x00", maxLineBytes+1),
	} {
		h := newHome(t)
		h.write(rolloutName(sessionA), text)
		h.touch(rolloutName(sessionA), sdktest.Epoch)
		h.write(rolloutName(sessionB)+zstd.Suffix, packed(text))
		first := h.collect()
		for _, res := range []*sdktest.Result{first, h.again(first)} {
			for _, name := range []string{rolloutName(sessionA), rolloutName(sessionB) + zstd.Suffix} {
				if got := res.File(rootHome, name); got != abi.FileUnknown || activity(res) != 0 {
					t.Errorf("%s: %s is %q, with %d records, want %q and none", what, name, got, activity(res), abi.FileUnknown)
				}
			}
		}
	}
}

// AC-06: a block of NUL behind the last line is told at once, what is whole in front of it is collected, and what
// follows it later as well.
func TestRolloutEndsInNULs(t *testing.T) {
	t.Parallel()
	whole := metaLine(sessionA) + message(1, "user", "one")
	for what, text := range map[string]string{"behind a line": whole + "\x00\x00\x00", "behind an object": strings.TrimSuffix(whole, "\n") + "\x00\x00"} {
		h := newHome(t)
		h.write(rolloutName(sessionA), text)
		h.touch(rolloutName(sessionA), sdktest.Epoch)
		first := h.collect()
		if got := first.File(rootHome, rolloutName(sessionA)); got != abi.FileDamaged || told(first) != malformed.Reason || keys(first, streamMessages) != "A:2" {
			t.Errorf("%s: got %q, %q and the messages %q, want it damaged, and one message", what, got, told(first), keys(first, streamMessages))
		}
		h.write(rolloutName(sessionA), text+message(2, "user", "two"))
		second := h.again(first)
		var texts []string
		for _, key := range []string{"A:2", "A:2.2", "A:3"} {
			if rec, ok := second.Stored()[streamMessages][strings.Replace(key, "A", sessionA, 1)]; ok {
				texts = append(texts, rec.Text("content"))
			}
		}
		if got := strings.Join(texts, ", "); got != "one, two" || len(second.Stored()[streamMessages]) != 2 {
			t.Errorf("%s: then got the messages %q, want both", what, got)
		}
	}
}

// AC-03: a rollout to which nobody wrote for an hour, and that is empty, is told.
func TestEmptyRollout(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.write(rolloutName(sessionA), "")
	h.write(rolloutName(sessionB)+zstd.Suffix, packed(""))
	for _, c := range []struct {
		age  time.Duration
		want string
	}{{time.Minute, `{"count":1,"files":["` + rolloutName(sessionB) + `.zst"]}`}, {2 * time.Hour, `{"count":2,"files":["` + rolloutName(sessionA) + `","` + rolloutName(sessionB) + `.zst"]}`}} {
		h.touch(rolloutName(sessionA), sdktest.Epoch.Add(-c.age))
		first := h.collect()
		for _, res := range []*sdktest.Result{first, h.again(first)} {
			if told(res) != emptyRollout.Reason || string(res.Skips[0].Diagnostics) != c.want {
				t.Errorf("%v old: got %q %+v, want %s", c.age, told(res), res.Skips, c.want)
			}
		}
		if got := first.File(rootHome, rolloutName(sessionB)+zstd.Suffix); got != abi.FileRead {
			t.Errorf("the compressed one: got %q, want read", got)
		}
	}
}
