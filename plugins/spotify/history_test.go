package main

import (
	_ "embed"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/spotify"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// before is the history below as the version of this connector wrote it that kept a list of
// all rows in its cursors.
//
//go:embed testdata/history.txt
var before string

// The connector writes the records, tombstones, reports and failures that it wrote before it
// left the list of rows to the host.
func TestHistoryIsAsBefore(t *testing.T) {
	t.Parallel()
	trial.SameHistory(t, record(t), before)
}

func record(t *testing.T) string {
	t.Helper()
	var h trial.History
	a := furnished()
	a.Misbehave(spotify.Faults{PageSize: 10})
	a.save(100, 35)
	loud := track(77)
	a.Save(loud)
	mine := &spotify.Playlist{ID: "mine", Name: "Mine", Snapshot: "s1", Tracks: 1}
	a.Follow(mine)
	res := a.Failing(t)
	h.Add("first run", res)
	run := func(step string, change ...trial.Change) {
		t.Helper()
		a.Forget()
		var c trial.Change
		if len(change) > 0 {
			c = change[0]
		}
		res = res.SecondRun(t, c)
		h.Add(step, res)
	}
	run("nothing new")
	a.Pass(2 * time.Hour)
	a.Change(func() { mine.Snapshot, mine.Tracks, loud.Popularity = "s2", 2, 99 })
	a.save(200, 12)
	a.follow("D")
	a.play(20, 3)
	run("a changed list, another popularity, new rows")
	a.Unsave("track0101")
	a.Unfollow("listB")
	a.SetTop("short_term", artist("y"))
	run("removals")
	a.Unsave("track0102")
	a.save(300, 1)
	odd := track(9)
	odd.Overrides = map[string]any{"id": "../me"}
	a.Save(odd)
	run("one out, one in, one that cannot be read")
	a.Misbehave(spotify.Faults{PageSize: 10, NullItem: true})
	a.Unfollow("listC")
	a.Pass(25 * time.Hour)
	run("empty rows")
	a.Misbehave(spotify.Faults{PageSize: 10})
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/playlists"), Times: -1, Fault: fault.Replace(`"total":3`, `"total":12`)})
	run("a list that is too short")
	a.Faults.Clear()
	a.Change(func() { loud.Name = "Remastered" })
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/tracks"), After: 2, Fault: fault.Status(500, "")})
	a.Pass(25 * time.Hour)
	run("a stream that fails")
	a.Faults.Clear()
	run("to the end")
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/top/"), Times: -1, Fault: fault.Status(403, "")})
	a.play(30, 60)
	run("a list without consent, and lost plays")
	a.Faults.Clear()
	a.Unsave("track0103")
	a.SetTop("long_term", artist("x"), artist("z"))
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/tracks"), After: 1, Fault: fault.Throttle("7")})
	a.Pass(25 * time.Hour)
	run("refused half-way")
	a.Faults.Clear()
	run("to the end again")
	a.Unfollow("listD")
	a.Unsave("track0104")
	a.Change(func() { loud.Popularity = 5 })
	run("a full refresh", trial.FullRefresh)
	run("after it", trial.Incremental)
	run("a narrowed run", func(o *sdktest.Options) { o.Streams = []string{streamPlaylists} })
	return h.String()
}
