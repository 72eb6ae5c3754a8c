package run

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// dozen are the records of a short list.
func dozen() (keys []string) {
	for i := range 12 {
		keys = append(keys, fmt.Sprintf("%02d", i))
	}
	return keys
}

// AC-09, Invariant 12
//
// A list of twelve that falls to nothing is asked about, and says how often it has been found so.
// Three runs, each a day behind the one before, delete what is gone, and end the question.
func TestAShortListIsAskedAbout(t *testing.T) {
	t.Parallel()
	var at atomic.Int64
	at.Store(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
	h := newHost(t, setup{enumerate: true, now: func() time.Time { return time.UnixMicro(at.Load()) }})
	h.succeed(notes(dozen()...) + done(12))
	const day = 24 * time.Hour
	for i, c := range []struct {
		wait  time.Duration
		found int // runs; 0: they went
	}{{0, 1}, {day - time.Second, 1}, {time.Second, 2}, {day, 0}} {
		at.Add(c.wait.Microseconds())
		res := h.succeed(enumeration("open", "") + enumeration("met", `,"keys":["invented","too"]`) + enumeration("whole", "") + state("notes", `{}`) + done(0))
		want, left, gone := "", 0, int64(12)
		if c.found > 0 {
			want, left, gone = fmt.Sprintf("actionable: 12 of 12 records are gone, too many to delete without your word: run once with --full-refresh --accept-deletions, or wait until 3 runs, a day apart each, find the same (so far %d)", c.found), 12, 0
		}
		if got := withheldDeletions(res); got != want {
			t.Errorf("run %d: got the gap %q, want %q", i, got, want)
		}
		if got := len(strings.Fields(h.keys("notes"))); got != left || res.Records["notes"].Deleted != gone {
			t.Errorf("run %d: got %d records after %d deletions, want %d after %d", i, got, res.Records["notes"].Deleted, left, gone)
		}
	}
}

// AC-09, Invariant 12
//
// The parts of one run are weighed together and told together, by the end of the run as by the
// cursors of slices. The owner's word is for all of them.
func TestPartsAreAskedAboutTogether(t *testing.T) {
	t.Parallel()
	parts := []string{"A", "B", "C"}
	for name, c := range map[string]struct {
		behindEach, end, want string
		left                  int
	}{
		"at the end":       {"", state("notes", `{}`), "12 of 12", 12},
		"with each cursor": {slice("notes", `{}`), "", "8 of 8", 8},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			fill, empty := "", ""
			for i, part := range parts {
				fill += ofPart(part, "open") + notes(dozen()[4*i:4*i+4]...) + ofPart(part, "whole")
				empty += ofPart(part, "open") + ofPart(part, "whole") + c.behindEach
			}
			h.succeed(fill + state("notes", `{}`) + done(12))
			res := h.succeed(empty + c.end + done(0))
			if got := withheldDeletions(res); !strings.HasPrefix(got, "actionable: "+c.want+" records are gone") || strings.Contains(got, ";") {
				t.Errorf("got the gaps %q, want one for %s", got, c.want)
			}
			if got := h.keys("notes"); len(strings.Fields(got)) != c.left {
				t.Errorf("got the records %q, want %d", got, c.left)
			}
			res = h.succeed(empty+c.end+done(0), func(r *Request) { r.AcceptDeletions = true })
			if got := h.keys("notes"); got != "" || withheldDeletions(res) != "" {
				t.Errorf("with the owner's word: got the records %q and the gap %q, want neither", got, withheldDeletions(res))
			}
		})
	}
}
