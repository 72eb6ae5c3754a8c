package main

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-09: a rollout whose lines came in the place of others is told in each run until the earlier one is there, too;
// one that only lost its end, or has it again, is not.
func TestOtherLinesInTheirPlace(t *testing.T) {
	t.Parallel()
	line := func(n int, text string) string { return message(n, "user", text) }
	a := metaLine(sessionA) + line(1, "a")
	abc, ade := a+line(2, "b")+line(3, "c"), a+line(4, "d")+line(5, "e")
	long := metaLine(sessionA) + line(1, strings.Repeat("x", 70_000))
	for what, c := range map[string]struct {
		versions []string
		told     bool
	}{
		"an older copy":                {[]string{abc, a}, false},
		"that goes on":                 {[]string{abc, a, ade}, true},
		"and is put back":              {[]string{abc, a, abc}, false},
		"line by line":                 {[]string{abc, a, a + line(2, "b"), abc + line(6, "f")}, false},
		"at once":                      {[]string{abc, ade}, true},
		"a line in front":              {[]string{abc, metaLine(sessionA) + `{"type":"turn_context","payload":{}}` + "\n" + abc[len(metaLine(sessionA)):]}, true},
		"a long one":                   {[]string{long + line(2, "b"), long}, false},
		"a long one of other lines":    {[]string{metaLine(sessionA) + line(1, strings.Repeat("y", 70_000)) + line(2, "b"), long}, true},
		"that is put back too late":    {[]string{abc, ade, abc}, true},
		"behind something else":        {[]string{abc, "nothing of Codex's\n", ade}, true},
		"the same, written once again": {[]string{abc, abc}, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var res *sdktest.Result
			for i, text := range c.versions {
				h.write(rolloutName(sessionA), text)
				if i == 0 {
					res = h.collect()
				} else {
					res = h.again(res)
				}
			}
			reason, file := "", abi.FileRead
			if c.told {
				reason, file = rewritten.Reason, abi.FileKnown
			}
			for range 2 {
				if got := res.File(rootHome, rolloutName(sessionA)); told(res) != reason || got != file {
					t.Errorf("got %q, and the file is %q, want %q and %q", told(res), got, reason, file)
				}
				res = h.again(res)
			}
			if what != "that goes on" {
				return
			}
			h.write(strings.Replace(rolloutName(sessionA), "01/01/", "01/00/", 1), abc)
			if res = h.again(res); told(res) != copied.Reason || len(res.Records(streamMessages)) != 2 {
				t.Errorf("with the earlier one: got %q and %q, want %s, and the two messages", told(res), res.Keys(streamMessages), copied.Reason)
			}
			if res = h.again(res); told(res) != copied.Reason {
				t.Errorf("a run later: got %q, want %s", told(res), copied.Reason)
			}
		})
	}
}
