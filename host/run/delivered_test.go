package run

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// message emits one record of the detail stream.
func message(key string) string {
	return fmt.Sprintf("\nemit {\"type\":\"RECORD\",\"stream\":\"messages\",\"key\":%q,\"data\":{\"id\":%q},\"emitted_at\":\"2026-01-01T00:00:00Z\"}", key, key)
}

// badMessage emits one that fails its schema.
func badMessage(key string) string {
	return strings.Replace(message(key), "},\"emitted_at\"", ",\"n\":\"x\"},\"emitted_at\"", 1)
}

// covers accounts for a lane whose details are all called fetched.
func covers(keys ...string) string {
	list := `"` + strings.Join(keys, `","`) + `"`
	return "\ncoverage {\"type\":\"DETAIL_COVERAGE\",\"stream\":\"messages\",\"state_stream\":\"chats\",\"reference_only\":true,\"required_keys\":[" +
		list + "],\"hydrated_keys\":[" + list + "]}"
}

// leavesGap tells of a detail of chats that is still to fetch; more are members of the
// message besides.
func leavesGap(key string, more ...string) string {
	return "\ngap {\"type\":\"DETAIL_GAP\",\"stream\":\"messages\",\"record_key\":\"" + key +
		"\",\"reason\":\"temporary_unavailable\",\"retryable\":true,\"status\":\"pending\",\"detail_locator\":{}" + strings.Join(more, "") + "}"
}

const ofChats = `,"parent_stream":"chats"`

// outcomeOf is the outcome of a gap that the next run is served first.
func (h *host) outcomeOf(kind, key string) string {
	h.t.Helper()
	g := h.gap(key)
	lease := fmt.Sprintf("run_%s_%d.1", filepath.Base(h.dir), h.ids.Load()+1)
	return "\ngap {\"type\":\"DETAIL_GAP_" + kind + "\",\"gap_id\":\"" + g.ID + "\",\"stream\":\"messages\",\"lease_id\":\"" + lease + "\"}"
}

// gap returns the one gap of a key.
func (h *host) gap(key string) storage.Gap {
	h.t.Helper()
	gaps, err := h.store.Gaps(h.t.Context(), "scripted", storage.GapQuery{})
	if err != nil {
		h.t.Fatal(err)
	}
	var found []storage.Gap
	for _, g := range gaps {
		if g.RecordKey == key {
			found = append(found, g)
		}
	}
	if len(found) != 1 {
		h.t.Fatalf("%d gaps of %q, want 1: %+v", len(found), key, found)
	}
	return found[0]
}

// notDelivered counts the details that were called fetched and were not.
func notDelivered(res *Result) (n int64) {
	for _, g := range res.KnownGaps {
		if g.Kind == KindNotDelivered {
			n += g.Count
		}
	}
	return n
}

// RT-12.2: a detail that a connector calls fetched is believed when the host has its
// record, from this run or, unchanged, from an earlier one. Otherwise the cursor of
// its list stays.
func TestHydratedNeedsItsRecord(t *testing.T) {
	t.Parallel()
	list := "records chats 0 1" + state("chats", `{"c":1}`)
	for _, tc := range []struct {
		name, before, script string
		missing              int64
		cursor               bool
	}{
		{"delivered", "", message("a") + message("b") + covers("a", "b") + done(3), 0, true},
		{"not delivered", "", message("a") + covers("a", "b") + done(2), 1, false},
		{"nothing delivered", "", covers("a", "b") + done(1), 2, false},
		{"deleted", "", message("a") + "\nemit {\"type\":\"RECORD\",\"stream\":\"messages\",\"key\":\"b\",\"op\":\"delete\"}" + covers("a", "b") + done(3), 0, true},
		{"delivered by an earlier run", message("b") + done(1), message("a") + covers("a", "b") + done(2), 0, true},
		{"delivered by an earlier run, and rejected since", message("b") + badMessage("b") + message("c") + done(3), message("a") + covers("a", "b") + done(2), 1, false},
		{"of several records", "", message("a") + message("b:1") + message("b:2") + covers("a", "b") + done(4), 0, true},
		{"of another detail's name", "", message("a") + message("bc:1") + message("bc") + covers("a", "b") + done(4), 1, false},
		{"of a chat's name", "", message("a") + covers("a", "chats-0") + done(2), 1, false},
		{"rejected", "", message("a") + badMessage("b") + covers("a", "b") + done(3), 0, false},
		{"delivered and then rejected", "", message("a") + message("b") + badMessage("b") + covers("a", "b") + done(4), 0, false},
		{"rejected and then delivered", "", message("a") + badMessage("b") + message("b") + covers("a", "b") + done(4), 0, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			if tc.before != "" {
				h.succeed(tc.before)
			}
			res := h.succeed(list + tc.script)
			if got := h.cursor("chats"); (got != "") != tc.cursor {
				t.Errorf("the cursor is %q, want one: %v; withheld %+v", got, tc.cursor, res.Checkpoints.Withheld)
			}
			if got := notDelivered(res); got != tc.missing {
				t.Errorf("%d details are told as not delivered, want %d: %+v", got, tc.missing, res.KnownGaps)
			}
		})
	}
}

// A gap that a connector calls recovered is, when the host has its record. Otherwise
// it is pending again, and the cursor of its list stays.
func TestRecoveredNeedsItsRecord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, key, before, records, after string
		n                                 int
		status                            string
		missing                           int64
	}{
		{"delivered", "b", "", message("b"), "", 1, storage.GapRecovered, 0},
		{"not delivered", "b", "", "", "", 0, storage.GapPending, 1},
		{"another one delivered", "b", "", message("c"), "", 1, storage.GapPending, 1},
		{"delivered too late", "b", "", "", message("b"), 1, storage.GapPending, 1},
		{"delivered by an earlier run", "b", message("b"), "", "", 0, storage.GapRecovered, 0},
		{"rejected", "b", "", badMessage("b") + message("c"), "", 2, storage.GapPending, 0},
		{"rejected and then delivered", "b", "", badMessage("b") + message("b"), "", 2, storage.GapRecovered, 0},
		{"a backlog", "backlog:messages:..x", "", "", "", 0, storage.GapRecovered, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.succeed(tc.before + leavesGap(tc.key, ofChats) + done(strings.Count(tc.before, "RECORD")))
			res := h.succeed(h.outcomeOf("ATTEMPTED", tc.key) + tc.records + h.outcomeOf("RECOVERED", tc.key) + tc.after +
				state("chats", `{"c":1}`) + "\ncoverage {\"type\":\"DETAIL_COVERAGE\",\"stream\":\"messages\",\"state_stream\":\"chats\",\"reference_only\":true,\"required_keys\":[],\"hydrated_keys\":[]}" + done(tc.n))
			if g := h.gap(tc.key); g.Status != tc.status || g.AttemptCount != 1 {
				t.Errorf("the gap is %s after %d attempts, want %s after 1", g.Status, g.AttemptCount, tc.status)
			}
			if got := notDelivered(res); got != tc.missing {
				t.Errorf("%d details are told as not delivered, want %d: %+v", got, tc.missing, res.KnownGaps)
			}
			if got, want := h.cursor("chats") != "", tc.missing == 0; got != want {
				t.Errorf("the cursor moved: %v, want %v: %+v", got, want, res.Checkpoints)
			}
		})
	}
}

// An attempt is settled by what the gap is about: its stream, parent and key. The
// gap_id of a DETAIL_GAP is optional, and settles nothing.
func TestAnAttemptIsSettledByItsRecord(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		gap     string // %s is the gap's id
		settled bool
	}{
		"with everything":                  {leavesGap("b", ofChats, `,"gap_id":"%s"`), true},
		"without gap_id":                   {leavesGap("b", ofChats), true},
		"without its one parent":           {leavesGap("b"), true},
		"another record under its gap_id":  {leavesGap("c", ofChats, `,"gap_id":"%s"`), false},
		"another record":                   {leavesGap("c", ofChats), false},
		"the record of another gap's name": {leavesGap("b", ofChats, `,"gap_id":"gap_other"`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			h.succeed(leavesGap("b", ofChats) + done(0))
			id := h.gap("b").ID
			res, err := h.play(h.outcomeOf("ATTEMPTED", "b") + strings.ReplaceAll(tc.gap, "%s", id) + done(0))
			if !tc.settled {
				expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeGapInvalid)
				return
			}
			if err != nil || res.Status != StatusSucceeded {
				t.Fatalf("%v %+v", err, res)
			}
			if g := h.gap("b"); g.Status != storage.GapPending || g.ParentStream != "chats" || g.AttemptCount != 1 {
				t.Errorf("%+v", g)
			}
		})
	}
}
