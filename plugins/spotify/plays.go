package main

import (
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const (
	// kept is how many plays Spotify keeps.
	kept = 50
	// maxPlayPages bounds how far next is followed; there is nothing behind the
	// plays that are kept.
	maxPlayPages = 10
	// maxTrackID is the longest id of a play's track: a local file of the owner has its
	// name there.
	maxTrackID = 1000
	// historyVersion changes with the meaning of the cursor of the plays.
	historyVersion = 1
)

// history is the cursor of the plays.
type history struct {
	lastMS int64    // the newest play that was collected; 0: none
	keys   []string // of the newest plays, at most kept
}

// Members describes the cursor.
func (c *history) Members(m *cursor.Members) {
	m.Int("last_ms", &c.lastMS)
	m.Texts("keys", &c.keys, kept)
}

// plays is one reading of the recent plays.
type plays struct {
	*api.Client

	tally              *problems.Tally
	known              []string // by earlier runs
	keys               []string // new ones, newest first, at most kept
	met                bool     // a play that an earlier run collected
	rows               int
	newestMS, oldestMS int64
}

// collectPlays reads the plays since the last run. It also requests the last known one:
// when that one comes, no play in between is missing.
func collectPlays(c *api.Client) error {
	var was history
	cursor.Read(c.Cursor(streamPlays), historyVersion, &was)
	was.lastMS = max(0, was.lastMS)
	r := plays{Client: c, known: was.keys, tally: problems.New(c.Host, streamPlays, unreadablePlay, foreign)}
	path := "/v1/me/player/recently-played?limit=50"
	if was.lastMS > 0 {
		path += "&after=" + strconv.FormatInt(was.lastMS-1, 10)
	}
	if err := r.read(path); err != nil {
		return err
	}
	if err := r.report(was.lastMS); err != nil {
		return err
	}
	next := history{max(was.lastMS, min(r.newestMS, c.Now().UnixMilli())), append(r.keys, was.keys...)} // the new keys first
	if err := c.Slice(streamPlays, "plays to "+strconv.FormatInt(next.lastMS, 10), cursor.Encode(historyVersion, c.Account, &next)); err != nil {
		return err
	}
	if c.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}

// read takes the plays of a page and of the pages behind it, down to a known one.
func (r *plays) read(path string) error {
	pages := r.Pages(pager(path), "")
	for n := 0; n < maxPlayPages && !r.met && pages.Next(); n++ {
		rows := r.rows
		for it := pages.Page().Items.Children(); it.Next(); {
			if err := r.emitPlay(it.Value()); err != nil {
				return err
			}
		}
		if r.rows == rows {
			break
		}
	}
	return pages.Err()
}

// emitPlay emits a play unless it is known.
func (r *plays) emitPlay(v jsonvalue.Value) error {
	r.rows++
	t := v.Get("track")
	track := t.Get("id").Str()
	if track == "" {
		track = t.Get("uri").Str() // a file of the owner's own
	}
	at, bad := time.Parse(time.RFC3339, v.Get("played_at").View())
	if bad != nil || track == "" || len(track) > maxTrackID {
		r.tally.Note(unreadablePlay, "")
		return nil //nolint:nilerr // it is counted and reported
	}
	ms := at.UnixMilli()
	key := track + ":" + strconv.FormatInt(ms, 10)
	if slices.Contains(r.known, key) {
		r.met = true
		return nil
	}
	r.newestMS = max(r.newestMS, ms)
	if r.oldestMS == 0 || ms < r.oldestMS {
		r.oldestMS = ms
	}
	d := r.Record(streamPlays)
	d.String("id", key)
	d.String("track_id", track)
	d.Copy("track_name", t.Get("name"))
	d.Copy("played_at", v.Get("played_at"))
	copyTrack(d, t)
	d.Copy("context_type", v.Get("context").Get("type"))
	d.Copy("context_uri", v.Get("context").Get("uri"))
	if d.Sum() != 0 && len(r.keys) < kept && !slices.Contains(r.keys, key) {
		r.keys = append(r.keys, key)
	}
	return d.Emit()
}

// report reports lost plays to the host: as many new plays as Spotify keeps, without a
// known one among them, mean that there were probably more.
func (r *plays) report(lastMS int64) error {
	if r.Account.Changed {
		r.tally.Note(foreign, "")
	}
	if err := r.tally.Report(); err != nil {
		return err
	}
	if lastMS == 0 || r.met || r.rows < kept || r.oldestMS == 0 {
		return nil
	}
	return r.Skip(abi.SkipResult{
		Stream: streamPlays, Reason: "spotify_plays_lost", RecoveryHint: abi.Raw(`"not_retriable"`),
		Message: "more tracks were played since the last run than the fifty that Spotify keeps; the earlier ones are lost",
		TimeRange: &abi.TimeRange{
			Since: time.UnixMilli(lastMS).UTC().Format(time.RFC3339), Until: time.UnixMilli(r.oldestMS).UTC().Format(time.RFC3339),
		},
	})
}
