package main

import (
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
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
)

// history is the cursor of the plays.
type history struct {
	whose  sdk.Account
	lastMS int64    // the newest play that was collected; 0: none
	keys   []string // of the newest plays, at most kept
}

func readHistory(v jsonvalue.Value) history {
	var c history
	if v.Get("v").Int() != ledgerVersion {
		return c
	}
	c.lastMS = max(0, v.Get("last_ms").Int())
	for it := v.Get("keys").Children(); it.Next() && len(c.keys) < kept; {
		c.keys = append(c.keys, it.Value().Str())
	}
	return c
}

func (c *history) encode() []byte {
	b := jsonappend.Int(append([]byte{'{'}, `"v":`...), ledgerVersion)
	b = jsonappend.Int(jsonappend.Name(c.whose.AppendTo(b), "last_ms"), c.lastMS)
	return append(jsonappend.Strings(jsonappend.Name(b, "keys"), c.keys), '}')
}

// collectPlays reads the plays since the last run. It also requests the last known one:
// when that one comes, no play in between is missing.
func collectPlays(a *api) error {
	c := readHistory(a.h.Cursor(streamPlays))
	r := plays{api: a, known: make(map[string]bool)}
	for _, key := range c.keys {
		r.known[key] = true
	}
	url := a.base + "/v1/me/player/recently-played?limit=50"
	if c.lastMS > 0 {
		url += "&after=" + strconv.FormatInt(c.lastMS-1, 10)
	}
	if err := r.read(url); err != nil {
		return err
	}
	if err := r.report(c.lastMS); err != nil {
		return err
	}
	// The new keys come before the older ones.
	for _, key := range c.keys {
		if len(r.keys) < kept {
			r.keys = append(r.keys, key)
		}
	}
	next := history{whose: a.whose, lastMS: max(c.lastMS, min(r.newestMS, a.h.Now().UnixMilli())), keys: r.keys}
	if err := a.h.Slice(streamPlays, "plays to "+strconv.FormatInt(next.lastMS, 10), next.encode()); err != nil {
		return err
	}
	if a.h.Stopping() {
		return sdk.ErrStopped
	}
	return nil
}

// plays is one reading of the recent plays.
type plays struct {
	*api

	builder            builder
	known              map[string]bool
	keys               []string // new ones, newest first, at most kept
	met                bool     // a play that an earlier run collected
	rows               int
	unreadable         int
	newestMS, oldestMS int64
}

// read takes the plays of a page and of the pages behind it, down to a known one.
func (r *plays) read(url string) error {
	visited := make(map[string]bool)
	for url != "" && !r.met && len(visited) < maxPlayPages {
		if visited[url] {
			return cycleFailure()
		}
		visited[url] = true
		one, err := r.page(url)
		if err != nil {
			return err
		}
		rows := r.rows
		for it := one.items.Children(); it.Next(); {
			if err := r.emitPlay(it.Value()); err != nil {
				return err
			}
		}
		if r.rows == rows {
			break
		}
		url = one.next
	}
	return nil
}

// emitPlay emits a play unless it is known.
func (r *plays) emitPlay(v jsonvalue.Value) error {
	r.rows++
	t := v.Get("track")
	track := rowID(t)
	if track == "" {
		track = t.Get("uri").Str() // a file of the owner's own
	}
	at, bad := time.Parse(time.RFC3339, v.Get("played_at").View())
	if bad != nil || track == "" || len(track) > maxTrackID {
		r.unreadable++
		return nil //nolint:nilerr // it is counted and reported
	}
	ms := at.UnixMilli()
	key := track + ":" + strconv.FormatInt(ms, 10)
	if r.known[key] {
		r.met = true
		return nil
	}
	r.newestMS = max(r.newestMS, ms)
	if r.oldestMS == 0 || ms < r.oldestMS {
		r.oldestMS = ms
	}
	r.builder.reset()
	r.builder.textOrNull("id", key)
	r.builder.textOrNull("track_id", track)
	r.builder.text("track_name", t.Get("name"))
	r.builder.instant("played_at", v.Get("played_at"))
	r.builder.track(t)
	r.builder.text("context_type", v.Get("context").Get("type"))
	r.builder.text("context_uri", v.Get("context").Get("uri"))
	data, sum := r.builder.end()
	if sum != 0 && len(r.keys) < kept && !r.has(key) {
		r.keys = append(r.keys, key)
	}
	return r.h.EmitRaw(streamPlays, key, data)
}

func (r *plays) has(key string) bool {
	for _, one := range r.keys {
		if one == key {
			return true
		}
	}
	return false
}

// report reports lost plays to the host: as many new plays as Spotify keeps, without a
// known one among them, mean that there were probably more.
func (r *plays) report(lastMS int64) error {
	if r.unreadable > 0 {
		n := strconv.Itoa(r.unreadable)
		err := skip(r.h, streamPlays, problemUnreadable, n+" plays have no track or no time", "retry_on_connector_upgrade", []byte(`{"count":`+n+`}`))
		if err != nil {
			return err
		}
	}
	if r.whose.Changed {
		err := skip(r.h, streamPlays, problemForeign, "the earlier account's plays stay, because plays are never deleted", "not_retriable", nil)
		if err != nil {
			return err
		}
	}
	if lastMS == 0 || r.met || r.rows < kept || r.oldestMS == 0 {
		return nil
	}
	return r.h.Skip(abi.SkipResult{
		Stream: streamPlays, Reason: problemLost, RecoveryHint: jsonappend.String(nil, "not_retriable"),
		Message: "more tracks were played since the last run than the fifty that Spotify keeps; the earlier ones are lost",
		TimeRange: &abi.TimeRange{
			Since: time.UnixMilli(lastMS).UTC().Format(time.RFC3339), Until: time.UnixMilli(r.oldestMS).UTC().Format(time.RFC3339),
		},
	})
}
