package run

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// message emits one record of the detail stream.
func message(key string) string {
	return fmt.Sprintf("\nemit {\"type\":\"RECORD\",\"stream\":\"messages\",\"key\":%q,\"data\":{\"id\":%q},\"emitted_at\":\"2026-01-01T00:00:00Z\"}", key, key)
}

// badMessage emits a record that fails its schema.
func badMessage(key string) string {
	return strings.Replace(message(key), "},\"emitted_at\"", ",\"n\":\"x\"},\"emitted_at\"", 1)
}

// covers emits the DETAIL_COVERAGE of a lane that calls all its details hydrated.
func covers(keys ...string) string {
	list := `"` + strings.Join(keys, `","`) + `"`
	return "\ncoverage {\"type\":\"DETAIL_COVERAGE\",\"stream\":\"messages\",\"state_stream\":\"chats\",\"reference_only\":true,\"required_keys\":[" +
		list + "],\"hydrated_keys\":[" + list + "]}"
}

// leavesGap emits the DETAIL_GAP of a detail of chats; more are further members of the
// message.
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

// notDelivered counts the details that were called fetched and never came.
func notDelivered(res *Result) (n int64) {
	for _, g := range res.KnownGaps {
		if g.Kind == KindNotDelivered {
			n += g.Count
		}
	}
	return n
}

// inEachStore runs a test over a store that keeps records, and over a collector's
// outbox, which sends them on.
func inEachStore(t *testing.T, name string, test func(t *testing.T, h *host)) {
	t.Helper()
	for _, of := range []struct {
		name string
		lane bool
	}{{"store", false}, {"outbox", true}} {
		t.Run(name+"/"+of.name, func(t *testing.T) {
			t.Parallel()
			test(t, newHost(t, setup{lane: of.lane}))
		})
	}
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
		{"of several records of an earlier run", message("b:1") + done(1), message("a") + covers("a", "b") + done(2), 0, true},
		{"of several records, all rejected", "", message("a") + badMessage("b:1") + covers("a", "b") + done(3), 0, false},
		{"of another detail's name", "", message("a") + message("bc:1") + message("bc") + covers("a", "b") + done(4), 1, false},
		{"of a chat's name", "", message("a") + covers("a", "chats-0") + done(2), 1, false},
		{"rejected", "", message("a") + badMessage("b") + covers("a", "b") + done(3), 0, false},
		{"delivered and then rejected", "", message("a") + message("b") + badMessage("b") + covers("a", "b") + done(4), 0, false},
		{"rejected and then delivered", "", message("a") + badMessage("b") + message("b") + covers("a", "b") + done(4), 0, true},
	} {
		inEachStore(t, tc.name, func(t *testing.T, h *host) {
			t.Helper()
			if tc.before != "" {
				h.succeed(tc.before)
			}
			res := h.succeed(list + tc.script)
			if got := slices.Contains(res.Checkpoints.Committed, "chats"); got != tc.cursor {
				t.Errorf("the cursor moved: %v, want %v: %+v", got, tc.cursor, res.Checkpoints)
			}
			if got := notDelivered(res); got != tc.missing {
				t.Errorf("%d details are told as not delivered, want %d: %+v", got, tc.missing, res.KnownGaps)
			}
		})
	}
}

// The host believes that a gap is recovered only if a record of it arrived after the
// gap was served: a record of an earlier run may be out of date. Otherwise the gap is
// pending again, and the cursor of its list stays.
func TestRecoveredNeedsItsRecord(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, key, before, records, after string
		n                                 int
		status                            string
		missing                           int64
	}{
		{"delivered", "b", "", message("b"), "", 1, storage.GapRecovered, 0},
		{"delivered as it was", "b", message("b"), message("b"), "", 1, storage.GapRecovered, 0},
		{"not delivered", "b", "", "", "", 0, storage.GapPending, 1},
		{"another one delivered", "b", "", message("c"), "", 1, storage.GapPending, 1},
		{"delivered too late", "b", "", "", message("b"), 1, storage.GapPending, 1},
		{"delivered by an earlier run", "b", message("b"), "", "", 0, storage.GapPending, 1},
		{"deleted", "b", message("b"), "\nemit {\"type\":\"RECORD\",\"stream\":\"messages\",\"key\":\"b\",\"op\":\"delete\"}", "", 1, storage.GapRecovered, 0},
		{"of several records", "b", "", message("b:1") + message("b:2"), "", 2, storage.GapRecovered, 0},
		{"of another detail's name", "b", "", message("bc:1") + message("bc"), "", 2, storage.GapPending, 1},
		{"rejected", "b", "", badMessage("b") + message("c"), "", 2, storage.GapPending, 0},
		{"a record of it rejected", "b", "", badMessage("b:1") + message("c"), "", 2, storage.GapPending, 0},
		{"rejected and then delivered", "b", "", badMessage("b") + message("b"), "", 2, storage.GapRecovered, 0},
		{"delivered and then rejected", "b", "", message("b") + badMessage("b"), "", 2, storage.GapPending, 0},
		{"a backlog", "backlog:messages:..x", "", "", "", 0, storage.GapRecovered, 0},
		{"a record of a backlog's name", "backlog:messages2", "", "", "", 0, storage.GapPending, 1},
	} {
		inEachStore(t, tc.name, func(t *testing.T, h *host) {
			t.Helper()
			h.succeed(tc.before + leavesGap(tc.key, ofChats) + done(strings.Count(tc.before, "RECORD")))
			res := h.succeed(h.outcomeOf("ATTEMPTED", tc.key) + tc.records + h.outcomeOf("RECOVERED", tc.key) + tc.after +
				state("chats", `{"c":1}`) + "\ncoverage {\"type\":\"DETAIL_COVERAGE\",\"stream\":\"messages\",\"state_stream\":\"chats\",\"reference_only\":true,\"required_keys\":[],\"hydrated_keys\":[]}" + done(tc.n))
			if g := h.gap(tc.key); g.Status != tc.status || g.AttemptCount != 1 {
				t.Errorf("the gap is %s after %d attempts, want %s after 1", g.Status, g.AttemptCount, tc.status)
			}
			if got := notDelivered(res); got != tc.missing {
				t.Errorf("%d details are told as not delivered, want %d: %+v", got, tc.missing, res.KnownGaps)
			}
			if got, want := slices.Contains(res.Checkpoints.Committed, "chats"), tc.missing == 0; got != want {
				t.Errorf("the cursor moved: %v, want %v: %+v", got, want, res.Checkpoints)
			}
		})
	}
}

// Where earlier runs rejected more records than the store lists, the last record of any
// key may have been rejected: only a record of this run proves a detail there.
func TestHydratedBehindManyRejections(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	h.succeed(message("b") + message("c") + done(2))
	conn, err := h.store.Connection(t.Context(), "scripted")
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.store.BeginRun(t.Context(), storage.NewRun{
		RunID: "other", ConnectionID: conn.ID, Connector: "scripted", Mode: "incremental", Bookmark: storage.BookmarkIncremental,
		Holder: "another", Streams: []string{"messages"}, LeaseTTL: leaseTTL,
	})
	if err != nil {
		t.Fatal(err)
	}
	batch := other.NewBatch()
	for i := range 10_000 {
		batch.Reject(0, storage.HashKey(fmt.Append(nil, i)))
	}
	batch.Reject(0, storage.HashKey([]byte("b")))
	if err := errors.Join(other.Write(t.Context(), batch), other.Finish(t.Context(), storage.Outcome{Status: StatusSucceeded})); err != nil {
		t.Fatal(err)
	}
	list := "records chats 0 1" + state("chats", `{"c":1}`)
	for _, tc := range []struct {
		name, script string
		missing      int64
	}{
		{"older records", list + covers("b", "c") + done(1), 2},
		{"one that came as it was", list + message("c") + covers("b", "c") + done(2), 1},
		{"one that came and was rejected", list + message("b") + message("c") + badMessage("b") + covers("b", "c") + done(4), 0},
		{"all came as they were", list + message("b") + message("c") + covers("b", "c") + done(3), 0},
		{"all came in parts", list + message("b:1") + message("c:1") + covers("b", "c") + done(3), 0},
	} {
		res := h.succeed(tc.script)
		moved := tc.missing == 0 && !strings.Contains(tc.name, "rejected")
		if got := slices.Contains(res.Checkpoints.Committed, "chats"); got != moved || notDelivered(res) != tc.missing {
			t.Errorf("%s: the cursor moved: %v, and %d details are told as not delivered; want %v and %d", tc.name, got, notDelivered(res), moved, tc.missing)
		}
	}
}

// A stream without a detail lane may leave gaps, and account for keys, too.
func TestDeliveredWithoutALane(t *testing.T) {
	t.Parallel()
	ofNotes := func(text string) string {
		return strings.NewReplacer("messages", "notes", "chats", "notes").Replace(text)
	}
	for _, tc := range []struct {
		name, records string
		recovered     bool
		missing       int64
	}{
		{"delivered", message("b"), true, 0},
		{"not delivered", message("c"), false, 1},
		{"rejected", badMessage("b") + message("c"), false, 0},
	} {
		inEachStore(t, "a gap, "+tc.name, func(t *testing.T, h *host) {
			t.Helper()
			h.succeed(ofNotes(leavesGap("b")) + done(0))
			res := h.succeed(ofNotes(h.outcomeOf("ATTEMPTED", "b")+tc.records+h.outcomeOf("RECOVERED", "b")) + done(strings.Count(tc.records, "RECORD")))
			want := map[bool]string{true: storage.GapRecovered, false: storage.GapPending}[tc.recovered]
			if g := h.gap("b"); g.Status != want || notDelivered(res) != tc.missing {
				t.Errorf("the gap is %s, and %d details are told as not delivered; want %s and %d", g.Status, notDelivered(res), want, tc.missing)
			}
		})
		t.Run("a key, "+tc.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, setup{})
			res := h.succeed(ofNotes(tc.records+state("notes", `{"c":1}`)+covers("b")) + done(strings.Count(tc.records, "RECORD")))
			if got := slices.Contains(res.Checkpoints.Committed, "notes"); got != tc.recovered || notDelivered(res) != tc.missing {
				t.Errorf("the cursor moved: %v, and %d details are told as not delivered; want %v and %d", got, notDelivered(res), tc.recovered, tc.missing)
			}
		})
	}
}

// A gap that is called recovered without a record withholds the cursor of its own stream, with a
// lane or without, the one of its list, and a slice of either.
func TestACursorStaysBehindAClaimedGap(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ stream, parent, withheld string }{{"notes", "", "notes"}, {"messages", ofChats, "chats messages"}} {
		for name, closes := range map[string]func(stream, cursor string) string{"end": state, "slice": slice} {
			t.Run(tc.stream+"/"+name, func(t *testing.T) {
				t.Parallel()
				about := func(text string) string { return strings.ReplaceAll(text, `"messages"`, `"`+tc.stream+`"`) }
				h := newHost(t, setup{})
				h.succeed(about(leavesGap("b", tc.parent)) + state("notes", `{"n":1}`) + done(0))
				res := h.succeed(about(h.outcomeOf("ATTEMPTED", "b")+h.outcomeOf("RECOVERED", "b")) + closes(tc.stream, `{"n":2}`) + closes("journal", `{"j":2}`) +
					closes("chats", `{"c":2}`) + "\ncoverage {\"type\":\"DETAIL_COVERAGE\",\"stream\":\"messages\",\"state_stream\":\"chats\",\"reference_only\":true,\"required_keys\":[],\"hydrated_keys\":[]}" + done(0))
				var withheld []string
				for _, w := range res.Checkpoints.Withheld {
					if w.Reason == ledger.WithheldCoverage {
						withheld = append(withheld, w.Stream)
					}
				}
				if got := strings.Join(withheld, " "); got != tc.withheld || h.cursor("journal") != `{"j":2}` {
					t.Errorf("got withheld for their coverage %q, and journal's cursor %q; want %q, and journal's moved", got, h.cursor("journal"), tc.withheld)
				}
			})
		}
	}
}

// A message about the same stream, parent and key settles an attempt. The gap_id of a
// DETAIL_GAP is optional, and settles nothing.
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
				t.Fatalf("got %v, %+v; want a run that succeeded", err, res)
			}
			if g := h.gap("b"); g.Status != storage.GapPending || g.ParentStream != "chats" || g.AttemptCount != 1 {
				t.Errorf("got %+v, want the gap pending under chats after one attempt", g)
			}
		})
	}
}
