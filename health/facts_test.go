package health_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

func TestSelectAttention(t *testing.T) {
	t.Parallel()
	now := instant(t, "2031-03-09T10:00:00Z")
	in := func(h int) health.Instant { return health.At(now.Add(time.Duration(h) * time.Hour)) }
	request := func(id health.Word, response, blocked bool, expires, created health.Instant) health.AttentionRequest {
		r := health.AttentionRequest{RunBlocked: blocked, CreatedAt: created}
		r.ID, r.Lifecycle, r.ExpiresAt, r.ResponseContract = id, health.AttentionOpen, expires, "none"
		if response {
			r.ResponseContract = "response_required"
		}
		return r
	}
	never := health.Instant{}
	closed := request("closed", true, true, never, never)
	closed.Lifecycle = "resolved"
	for name, c := range map[string]struct {
		requests []health.AttentionRequest
		want     health.Word
	}{
		"none":                    {nil, ""},
		"closed":                  {[]health.AttentionRequest{closed}, ""},
		"only a notice":           {[]health.AttentionRequest{request("n", false, false, never, never)}, ""},
		"expired":                 {[]health.AttentionRequest{request("e", true, true, in(0), never)}, ""},
		"a needed response first": {[]health.AttentionRequest{request("b", false, true, never, never), request("r", true, false, never, never)}, "r"},
		"a blocked run first":     {[]health.AttentionRequest{request("a", true, false, never, never), request("b", true, true, never, never)}, "b"},
		"what expires sooner":     {[]health.AttentionRequest{request("never", true, true, never, never), request("late", true, true, in(2), never), request("soon", true, true, in(1), never)}, "soon"},
		"what was asked earlier":  {[]health.AttentionRequest{request("b", true, true, never, in(-1)), request("a", true, true, never, in(-2))}, "a"},
	} {
		for range 2 {
			got := health.SelectAttention(c.requests, now)
			if id := idOf(got); id != c.want {
				t.Errorf("%s: %q, want %q", name, id, c.want)
			}
			slices.Reverse(c.requests) // the order that they come in decides nothing
		}
	}
}

func idOf(a *health.Attention) health.Word {
	if a == nil {
		return ""
	}
	return a.ID
}

func TestFreshness(t *testing.T) {
	t.Parallel()
	now := instant(t, "2031-03-09T10:00:00Z")
	ago := func(h int) health.Instant { return health.At(now.Add(-time.Duration(h) * time.Hour)) }
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		in   health.FreshnessInput
		want health.FreshnessAxis
	}{
		"young":                          {health.FreshnessInput{Now: now, LastSuccessAt: ago(23), MaximumStaleness: day}, health.FreshnessFresh},
		"as old as it may be":            {health.FreshnessInput{Now: now, LastSuccessAt: ago(24), MaximumStaleness: day}, health.FreshnessFresh},
		"too old":                        {health.FreshnessInput{Now: now, LastSuccessAt: ago(25), MaximumStaleness: day}, health.FreshnessStale},
		"ten days of empty successes":    {health.FreshnessInput{Now: now, LastSuccessAt: ago(240), MaximumStaleness: day}, health.FreshnessStale},
		"by its newest record":           {health.FreshnessInput{Now: now, NewestRecordAt: ago(2), MaximumStaleness: day}, health.FreshnessFresh},
		"no window (HL-14.2)":            {health.FreshnessInput{Now: now, LastSuccessAt: ago(1)}, health.FreshnessUnknown},
		"nothing captured":               {health.FreshnessInput{Now: now, MaximumStaleness: day}, health.FreshnessUnknown},
		"no clock":                       {health.FreshnessInput{LastSuccessAt: ago(1), MaximumStaleness: day}, health.FreshnessUnknown},
		"a heartbeat (HL-14.1)":          {health.FreshnessInput{Now: now, HeartbeatAt: ago(1), LocalDeviceBacked: true, MaximumStaleness: day}, health.FreshnessFresh},
		"a heartbeat of somebody else's": {health.FreshnessInput{Now: now, HeartbeatAt: ago(1), MaximumStaleness: day}, health.FreshnessUnknown},
	} {
		if got := health.Freshness(c.in); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestForwardDisposition(t *testing.T) {
	t.Parallel()
	manual := &health.Refresh{RecommendedMode: "manual"}
	for _, c := range []struct {
		in   health.DispositionInput
		want health.Disposition
	}{
		{health.DispositionInput{Coverage: "complete", Freshness: "fresh"}, health.DispositionComplete},
		{health.DispositionInput{Coverage: "complete", Freshness: "stale"}, health.DispositionComplete},
		{health.DispositionInput{Coverage: "complete", Freshness: "stale", Refresh: manual}, health.DispositionOwnerRefreshDue},
		{health.DispositionInput{Coverage: "unknown"}, health.DispositionChecking}, // HL-22.5
		{health.DispositionInput{Coverage: "unknown", AttentionOpen: true, GapRetryable: true}, health.DispositionChecking},
		{health.DispositionInput{Coverage: "partial"}, health.DispositionResumable},
		{health.DispositionInput{Coverage: "gaps"}, health.DispositionResumable},
		{health.DispositionInput{Coverage: "retryable_gap", GapRetryable: true}, health.DispositionResumable},
		{health.DispositionInput{Coverage: "retryable_gap"}, health.DispositionTerminal},
		{health.DispositionInput{Coverage: "terminal_gap", GapRetryable: true}, health.DispositionTerminal},
		{health.DispositionInput{Coverage: "terminal_gap", AttentionOpen: true}, health.DispositionAwaitingOwner},
		{health.DispositionInput{Coverage: "unsupported"}, health.DispositionTerminal},
		{health.DispositionInput{Coverage: "unsupported", Accepted: true}, health.DispositionComplete},
		{health.DispositionInput{Coverage: "terminal_gap", Accepted: true}, health.DispositionTerminal},
		{health.DispositionInput{Coverage: "deferred"}, health.DispositionComplete},
		{health.DispositionInput{Coverage: "inventory_only", Freshness: "stale", Refresh: manual}, health.DispositionOwnerRefreshDue},
	} {
		if got := health.ForwardDisposition(c.in); got != c.want {
			t.Errorf("%+v: %s, want %s", c.in, got, c.want)
		}
	}
}

// HL-11.3, HL-19.2: the rollups have these keys and no other.
func TestRollupKeys(t *testing.T) {
	t.Parallel()
	one := int64(1)
	full := health.OutboxCounts{
		Pending: &one, Retrying: &one, StaleLeases: &one, DeadLetter: &one, BacklogOpen: &one, Leased: &one, Succeeded: &one, Total: &one,
		OldestPendingAt: instant(t, "2031-03-09T10:00:00Z"),
	}
	for _, c := range []struct {
		value any
		keys  []string
	}{
		{full, []string{"backlog_open", "dead_letter", "leased", "oldest_pending_at", "pending", "retrying", "stale_leases", "succeeded", "total"}},
		{health.OutboxCounts{}, []string{}},
		{health.Backlog{}, []string{"max_attempt_count", "next_attempt_at", "pending", "pending_is_floor", "pending_other", "pending_other_is_floor", "recovered"}},
	} {
		b, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatal(err)
		}
		keys := []string{}
		for k := range got {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		if !slices.Equal(keys, c.keys) {
			t.Errorf("%T has the keys %q, want slices.Equal(keys, c.keys)", c.value, keys)
		}
	}
}

// The counts of a snapshot are its own, and a scheduled connection has none
// (HL-11).
func TestOutboxCountsOfASnapshot(t *testing.T) {
	t.Parallel()
	n := int64(3)
	e := health.Evidence{LocalDeviceBacked: true, Outbox: &health.Outbox{Axis: health.OutboxActive, Counts: &health.OutboxCounts{Pending: &n}}}
	s := health.Project(e)
	if s.OutboxCounts == nil || *s.OutboxCounts.Pending != 3 {
		t.Fatalf("got %+v, want s.OutboxCounts != nil && *s.OutboxCounts.Pending == 3", s.OutboxCounts)
	}
	if n = 4; *s.OutboxCounts.Pending != 3 {
		t.Error("the snapshot shares its counts with the evidence")
	}
	e.LocalDeviceBacked = false
	if s := health.Project(e); s.OutboxCounts != nil {
		t.Errorf("health.Project(e): got %+v, want s.OutboxCounts == nil", s.OutboxCounts)
	}
}

func TestWire(t *testing.T) {
	t.Parallel()
	var i health.Instant
	if err := json.Unmarshal([]byte(`"some day"`), &i); err != nil || !i.IsZero() {
		t.Errorf("json.Unmarshal([]byte(`\"some day\"`), &i): got %v, %v, want no error && i.IsZero()", i, err)
	}
	for text, want := range map[string]string{
		`"2031-03-09T11:00:00+01:00"`: `"2031-03-09T10:00:00.000Z"`, `null`: `null`, `7`: `null`, `"2031-03-09T10:00:00.1239Z"`: `"2031-03-09T10:00:00.123Z"`,
	} {
		if err := json.Unmarshal([]byte(text), &i); err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(i); err != nil || string(b) != want {
			t.Errorf("%s: got %s, %v, want no error && string(b) == want", text, b, err)
		}
	}
	for w, want := range map[health.Word]string{"": `null`, "a": `"a"`, `"<\`: `"\"\u003c\\"`} {
		if b, err := json.Marshal(w); err != nil || string(b) != want {
			t.Errorf("%q: got %s, %v, want no error && string(b) == want", w, b, err)
		}
	}
}

// A snapshot is the same after a trip over the wire.
func TestSnapshotRoundTrip(t *testing.T) {
	t.Parallel()
	s := health.Project(typical(t))
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back health.Snapshot
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil || string(again) != string(b) {
		t.Errorf("got %s\n%s\n%v, want no error && string(again) == string(b)", b, again, err)
	}
	if !reflect.DeepEqual(s.Axes, back.Axes) || len(back.Conditions) != len(health.Types) {
		t.Errorf("got %+v, want reflect.DeepEqual(s.Axes, back.Axes) && len(back.Conditions) == len(health.Types)", back)
	}
}
