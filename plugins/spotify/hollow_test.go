package main

import (
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

// A saved track that Spotify serves as null stays, and is told of by a name that is no lack. Others that were removed
// are noticed in the same run; so is that one, once its row is gone.
func TestWithdrawnTracks(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]bool{"one that was collected": false, "one that never was": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccount()
			a.save(0, 20)
			odd := track(50)
			odd.Withdrawn = unknown
			a.Save(odd)
			a.Pass(time.Minute)
			res := a.Collect(t, trial.Only(streamTracks))
			a.Change(func() { odd.Withdrawn = true })
			for range 2 { // it comes and goes
				a.Pass(25 * time.Hour)
				res = a.Again(t, res)
				if deleted(res) != "" || emitted(res) != "" || trial.Skips(res) != "saved_tracks spotify_track_withdrawn" {
					t.Fatalf("deleted %q, emitted %q, reported %q, want nothing but the withdrawn track", deleted(res), emitted(res), trial.Skips(res))
				}
			}
			if s := res.Skips[0]; string(s.RecoveryHint) != `"not_retriable"` || !strings.HasPrefix(s.Message, "1 saved track comes") {
				t.Errorf("%s %s, want one track, and nothing to do", s.RecoveryHint, s.Message)
			}
			a.Unsave("track0007")
			a.Pass(25 * time.Hour)
			if res = a.Again(t, res); deleted(res) != "saved_tracks track0007" || emitted(res) != "" {
				t.Fatalf("deleted %q, emitted %q, want track 7 alone deleted", deleted(res), emitted(res))
			}
			a.Change(func() { odd.Withdrawn = false })
			a.Pass(25 * time.Hour)
			res = a.Again(t, res)
			if again := emitted(res) != ""; deleted(res) != "" || again != unknown || trial.Skips(res) != "" {
				t.Errorf("deleted %q, emitted %q, reported %q, want it new only if it never was", deleted(res), emitted(res), trial.Skips(res))
			}
			a.Change(func() { odd.Withdrawn = true })
			a.Pass(25 * time.Hour)
			res = a.Again(t, res)
			a.Unsave("track0050")
			a.Pass(25 * time.Hour)
			if res = a.Again(t, res); deleted(res) != "saved_tracks track0050" {
				t.Errorf("deleted %q, want the withdrawn track once its row is gone", deleted(res))
			}
		})
	}
}

// A cursor that does not know when the missing records were saved buries none beside a withdrawn track: that of a full
// refresh, and a track whose values did not fit.
func TestWithdrawnTracksThatMayBeAny(t *testing.T) {
	t.Parallel()
	for name, odd := range map[string]bool{"a full refresh": false, "a track that did not fit": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAccount()
			a.save(0, 20)
			gone := track(40)
			if odd {
				gone.Overrides = map[string]any{"duration_ms": "long"}
			}
			a.Save(gone)
			a.Pass(time.Minute)
			res := a.Collect(t, trial.Only(streamTracks))
			lost := track(50)
			lost.Withdrawn = true
			a.Save(lost)
			a.Unsave("track0040")
			a.Pass(25 * time.Hour)
			if odd {
				res = a.Again(t, res)
			} else {
				res = a.Refresh(t, res)
			}
			if got := trial.Skips(res); deleted(res) != "" || !strings.Contains(got, "saved_tracks spotify_items_empty") {
				t.Errorf("deleted %q, reported %q, want nothing deleted, and that removed rows cannot be told", deleted(res), got)
			}
			a.Change(func() { lost.Withdrawn = false })
			a.Pass(25 * time.Hour)
			if res = a.Again(t, res); deleted(res) != "saved_tracks track0040" {
				t.Errorf("deleted %q, want track 40", deleted(res))
			}
		})
	}
}

// A row without a track and without a time may be any record. One without the member of the track is in a form that is not known,
// and not withdrawn.
func TestRowOfNothing(t *testing.T) {
	t.Parallel()
	for name, becomes := range map[string]string{"no time": `null,"track":null`, "no member": `"STAMP","media":{"id":"x"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rowOfNothing(t, becomes)
		})
	}
}

func rowOfNothing(t *testing.T, becomes string) {
	t.Helper()
	a := newAccount()
	a.save(0, 20)
	res := a.Collect(t, trial.Only(streamTracks))
	lost := track(50)
	lost.Withdrawn = true
	a.Save(lost)
	a.Unsave("track0007")
	stamp := lost.AddedAt.UTC().Format(time.RFC3339)
	a.Faults.Add(fault.Rule{Match: fault.Path("/v1/me/tracks"), Times: -1, Fault: fault.Replace(`"`+stamp+`","track":null`, strings.ReplaceAll(becomes, "STAMP", stamp))})
	a.Pass(25 * time.Hour)
	if res = a.Again(t, res); deleted(res) != "" || trial.Skips(res) != "saved_tracks spotify_item_unreadable" {
		t.Errorf("deleted %q, reported %q, want nothing deleted and a row that cannot be read", deleted(res), trial.Skips(res))
	}
}
