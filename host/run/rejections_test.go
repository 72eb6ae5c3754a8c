package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
)

const (
	goodNote = `{"type":"RECORD","stream":"notes","key":"good","data":{"id":"good"},"emitted_at":"2026-01-01T00:00:00Z"}`
	badNote  = `{"type":"RECORD","stream":"notes","key":"bad","data":{"id":"bad","n":"x"},"emitted_at":"2026-01-01T00:00:00Z"}`
)

// Found by a first user: a record that was rejected never came back, and the
// next run said that nothing was missing.
func TestRejectedRecordsAreNotForgotten(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.mustPlay("emit " + goodNote + `\n` + badNote + state("notes", `{"a":1}`) + done(2))
	earlier := func(res *Result) int64 {
		for _, g := range res.KnownGaps {
			if g.Kind == "rejected_earlier" && g.Stream == "notes" {
				return g.Count
			}
		}
		return 0
	}
	behind := 51 // a run is not believed to be whole for having many behind it
	if testing.Short() {
		behind = 3
	}
	for range behind {
		if n := earlier(h.mustPlay(done(0))); n != 1 {
			t.Fatalf("%d records are known to be missing, want 1", n)
		}
	}
	refresh := func(r *Request) { r.Mode = abi.ModeFullRefresh }
	h.mustPlay("records notes 0 1"+done(1), refresh)
	if n := earlier(h.mustPlay(done(0))); n != 0 {
		t.Fatalf("got %d missing records after a full refresh, want none", n)
	}
}

// The result of a full refresh lists the records that earlier runs rejected, except in
// streams that it collected completely: nothing is missing from those.
func TestAFullRefreshTellsOfEarlierRejections(t *testing.T) {
	t.Parallel()
	const skip = "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","reason":"source_gone","message":"m"}`
	capped := func() *fakeSender {
		return &fakeSender{stopped: abi.ReasonRequestCapReached, answer: func(string) string { return `{"status":200,"url":"u","headers":{}}` + "\n" }}
	}
	bad := func(stream string) string { return strings.ReplaceAll(badNote, "notes", stream) }
	for _, tc := range []struct {
		name, script string
		sender       *fakeSender
		want         string
	}{
		{"whole", "records notes 0 1" + done(1), nil, ""},
		{"one stream skipped", skip + done(0), nil, "notes"},
		{"cut at the owner's bound", get + "\ndone " +
			`{"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"send.budget_exhausted","message":"m","retryable":true,"recovery_hint":"retry_by_runtime"}}`, capped(), "messages notes"},
		{"rejected again", "emit " + badNote + "\nrecords notes 0 1" + done(2), nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := setup{}
			if tc.sender != nil {
				s.sender = tc.sender
			}
			h := newHost(t, s)
			h.succeed("emit " + badNote + `\n` + bad("messages") + `\n` + goodNote + done(3))
			res := h.succeed(tc.script, func(r *Request) { r.Mode = abi.ModeFullRefresh })
			var got []string
			for _, g := range res.KnownGaps {
				if g.Kind == KindRejectedEarlier {
					got = append(got, g.Stream)
				}
			}
			slices.Sort(got)
			if strings.Join(got, " ") != tc.want {
				t.Errorf("earlier rejections are told of %v, want %q: %+v", got, tc.want, res.KnownGaps)
			}
			if quiet := h.succeed(done(0)); (len(quiet.KnownGaps) > 0) != (tc.want != "" || strings.Contains(tc.name, "again")) {
				t.Errorf("got known gaps %+v in the next run, want some: %v", quiet.KnownGaps, tc.want != "" || strings.Contains(tc.name, "again"))
			}
		})
	}
}

// The delivery of a rejected record removes its known gap, in the same run and in a
// later one.
func TestADeliveredRecordIsNotMissing(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	mended := strings.Replace(badNote, `,"n":"x"`, ``, 1)
	res := h.succeed("emit " + goodNote + `\n` + badNote + `\n` + badNote + `\n` + mended + done(4))
	if len(res.KnownGaps) != 0 || res.Records["notes"].Rejected != 2 {
		t.Errorf("got known gaps %+v and counts %+v in the same run, want none and 2 rejected", res.KnownGaps, res.Records["notes"])
	}
	for _, script := range []string{"emit " + badNote, "emit " + badNote + `\n` + badNote, "emit " + mended + `\n` + badNote} {
		res = h.succeed(script + done(strings.Count(script, "RECORD")))
		if len(res.KnownGaps) != 1 || res.KnownGaps[0].Kind != KindRejected || res.KnownGaps[0].Count != 1 {
			t.Errorf("it is rejected: %+v, want it once", res.KnownGaps)
		}
	}
	if res = h.succeed(done(0)); len(res.KnownGaps) != 1 || res.KnownGaps[0].Kind != KindRejectedEarlier || res.KnownGaps[0].Count != 1 {
		t.Errorf("got known gaps %+v in a run without news, want one earlier rejection", res.KnownGaps)
	}
	if res = h.succeed("emit " + mended + done(1)); len(res.KnownGaps) != 0 {
		t.Errorf("got known gaps %+v in a later run, want none", res.KnownGaps)
	}
}

// The known gap of a rejected record names its key and the reason, and none of its
// values.
func TestARejectedRecordIsNamed(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay("emit " + goodNote + `\n` + badNote + done(2))
	if len(res.KnownGaps) != 1 {
		t.Fatalf("got %+v, want one gap", res.KnownGaps)
	}
	g := res.KnownGaps[0]
	const message, names = `/n fails "type" of the stream's schema (found string, allowed integer)`, `{"count":1,"examples":["key bad"]}`
	if g.Message != message || string(g.Diagnostics) != names {
		t.Errorf("got %s %s, want %s %s", g.Message, g.Diagnostics, message, names)
	}
}

// A connector whose every record is rejected does not fit its own schema: its
// cursor stays, so that a fixed one collects them.
func TestAllRejectedWithholdsTheCursor(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	res := h.mustPlay("emit " + badNote + slice("notes", `{"a":1}`) + done(1))
	if h.cursor("notes") != "" || len(res.Checkpoints.Withheld) != 1 || res.Checkpoints.Withheld[0].Reason != ledger.WithheldRejected {
		t.Fatalf("got checkpoints %+v, want the cursor withheld as all_records_rejected", res.Checkpoints)
	}
}

// AC-04: a record that the SDK could not send is missing until a run delivers it: a run without news
// is not healthy over it. One whose key cannot be told is missing until a full refresh.
func TestWithheldRecordsStayMissing(t *testing.T) {
	t.Parallel()
	skip := func(more string) string {
		return "\nskip " + `{"type":"SKIP_RESULT","stream":"notes","recovery_hint":"retry_on_connector_upgrade",` + more + `}`
	}
	full := func(r *Request) { r.Mode = abi.ModeFullRefresh }
	earlier := func(res *Result) (n int64) {
		for _, g := range res.KnownGaps {
			if g.Kind == KindRejectedEarlier {
				n += g.Count
			}
		}
		return n
	}
	for name, tc := range map[string]struct {
		skip  string
		count int64
		named bool // a record of the key ends it
	}{
		"too large":       {skip(`"reason":"record_too_large","resource_ids":["a1"]`), 1, true},
		"without its key": {skip(`"reason":"record_key_missing"`), 1, false},
		"several":         {skip(`"reason":"record_key_missing"`) + skip(`"reason":"record_key_invalid","diagnostics":{"records":3}`), 4, false},
		"by a rule":       {skip(`"reason":"too_old","resource_ids":["a1"]`), 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{enumerate: true})
			for range 2 { // the same again counts once
				h.succeed(notes("b1") + tc.skip + done(1))
				if v := h.verdict(); tc.count > 0 && v.ForwardCode != "connector_flaw" {
					t.Errorf("got %s: %s while other records come in, want Degraded over the connector's code", v.Pill.Label, v.ForwardCode)
				}
			}
			if n := earlier(h.succeed(done(0))); n != tc.count {
				t.Fatalf("got %d records known to be missing, want %d", n, tc.count)
			}
			if v := h.verdict(); tc.count > 0 && v.Pill.Tone != verdict.Amber {
				t.Errorf("got %s with %d missing, want Degraded", v.Pill.Label, tc.count)
			}
			h.succeed(notes("a1") + done(1))
			if n := earlier(h.succeed(done(0))); (n == 0) != tc.named {
				t.Errorf("got %d missing after a record of that key, want it ended: %v", n, tc.named)
			}
			h.succeed(notes("a1", "b1")+done(2), full)
			if n := earlier(h.succeed(done(0))); n != 0 {
				t.Errorf("got %d missing after a full refresh, want none", n)
			}
		})
	}
}
