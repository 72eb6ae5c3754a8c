package main

import (
	"slices"
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
		"other lines":       {more, packed(other), "read, read", "one/one/three/two"},
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
