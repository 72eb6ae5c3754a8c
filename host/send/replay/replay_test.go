package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// replayed returns the outputs of some input lines.
func replayed(t *testing.T, lines ...string) []Output {
	t.Helper()
	var out bytes.Buffer
	if err := Run(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	var all []Output
	for line := range strings.Lines(out.String()) {
		var o Output
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}

// kinds is what a line's steps were, with their times.
func kinds(o Output) string {
	var b strings.Builder
	for _, s := range o.Steps {
		fmt.Fprint(&b, s.Kind, " ", s.AtMS, "; ")
	}
	return b.String()
}

// RT-21.1: sequence P6 of the governor contract, section 3.4, to the millisecond.
func TestRetryAfterSequence(t *testing.T) {
	t.Parallel()
	out := replayed(t, `{"id":7,"op":"governor","name":"github"}`,
		`{"op":"request","answers":[{"status":429,"latency_ms":50,"headers":{"Retry-After":"5"}},{"latency_ms":50}]}`)
	if want := "wait 1000; send 1000; answer 1050; backoff 1050; send 6050; answer 6100; "; kinds(out[1]) != want || out[1].Status != 200 {
		t.Errorf("got %s, want kinds(out[1]) == want && out[1].Status == 200", kinds(out[1]))
	}
	if out[0].ID != float64(7) || out[1].Snapshot.LastBackoff.Reason != "retry_after" {
		t.Errorf(`got %+v, want out[0].ID == float64(7) && out[1].Snapshot.LastBackoff.Reason == "retry_after"`, out)
	}
}

// RT-26.1, RT-26.2: two governors are two runs; the cursor joins them while it
// is fresh.
func TestTwoRuns(t *testing.T) {
	t.Parallel()
	out := replayed(t, `{"op":"governor","name":"github"}`, `{"op":"request","count":10}`,
		`{"op":"persist","stream":"issues","declared":["issues"],"cursor":{"since":"x"}}`)
	cursor := string(out[2].Cursor)
	again := replayed(t, `{"op":"governor","name":"github","cursor":`+cursor+`}`,
		`{"op":"advance","ms":30000000}`, `{"op":"governor","name":"github","cursor":`+cursor+`}`)
	if again[0].Snapshot.IntervalMS != out[1].Snapshot.IntervalMS || again[2].Snapshot.IntervalMS != 1000 {
		t.Errorf("%s: got %+v %+v, want again[0].Snapshot.IntervalMS == out[1].Snapshot.IntervalMS && again[2].Snapshot.IntervalMS == 1000", cursor, again[0].Snapshot, again[2].Snapshot)
	}
}

// PB-A2, PB-A4, RT-24.1: stops are reported with their reasons.
func TestStops(t *testing.T) {
	t.Parallel()
	out := replayed(t,
		`{"op":"governor","name":"github","run_budget":{"max_requests":3},"retry_budget":{"capacity":1}}`,
		`{"op":"request","answers":[{"status":429}]}`,
		`{"op":"request"}`,
		`{"op":"request"}`,
		`{"op":"governor","profile":{"name":"ynab","discovery_interval_ms":0}}`,
		`{"op":"request","answers":[{"error":true}]}`)
	one, capped := out[1].Stop, out[3].Stop
	if one == nil || one.Error != "github_rate_limited" || one.Reason != "retry_budget_exhausted" || one.ArmsCooldown || one.Attempts != 2 {
		t.Errorf(`got %+v, want one != nil && one.Error == "github_rate_limited" && one.Reason == "retry_budget_exhausted" && !one.ArmsCooldown && one.Attempts == 2`, one)
	}
	if capped == nil || capped.Reason != "request_cap_reached" || capped.GapReason != "retry_exhausted" || capped.Record.RequestCount != 3 {
		t.Errorf(`got %+v, want capped != nil && capped.Reason == "request_cap_reached" && capped.GapReason == "retry_exhausted" && capped.Record.RequestCount == 3`, capped)
	}
	if lost := out[5].Stop; out[5].Snapshot != nil || lost == nil || lost.Reason != "temporary_unavailable" {
		t.Errorf(`out[5].Stop: got %+v, want out[5].Snapshot == nil && lost != nil && lost.Reason == "temporary_unavailable"`, out[5])
	}
}

// A line that is no input is answered, and the next one is read.
func TestBadLines(t *testing.T) {
	t.Parallel()
	out := replayed(t, `{`, `{"op":"request"}`, `{"op":"dance"}`, `{"op":"governor"}`, `{"op":"governor","name":"a","x":1}`,
		`{"op":"governor","name":"a"} {}`, ``, `{"op":"advance","ms":-1}`, `{"op":"governor","name":"a","random":2}`,
		`{"op":"governor","name":"a"}`, `{"op":"request","count":-1}`, `{"op":"request","method":" "}`,
		`{"op":"persist","stream":"b","declared":["a"]}`, `{"op":"snapshot"}`)
	for i, o := range out {
		good := i == 8 || i == 12
		if good != (o.Error == nil) {
			t.Errorf("line %d: %+v, want %v", i, o.Error, (o.Error == nil))
		}
	}
	if len(out) != 13 || out[12].Rate == nil {
		t.Errorf("%d lines, want len(out) == 13 && out[12].Rate != nil", len(out))
	}
	if err := Run(t.Context(), strings.NewReader(strings.Repeat("x", maxLine+1)), new(bytes.Buffer)); err == nil {
		t.Error("a line without an end is read")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Run(ctx, strings.NewReader("{}\n"), new(bytes.Buffer)); err == nil {
		t.Error("a cancelled replay goes on")
	}
}

// FuzzRun: whatever the lines are, each one is answered.
func FuzzRun(f *testing.F) {
	f.Add(`{"op":"governor","name":"a"}`+"\n"+`{"op":"request","answers":[{"status":429,"headers":{"Retry-After":"5","X-RateLimit-Remaining":"0"}}]}`, "0.5")
	f.Add(`{"op":"governor","profile":{"name":"a","windows":[{"requests":1,"per_ms":5}]}}`+"\n"+`{"op":"persist","declared":["a"],"stream":"a","cursor":[]}`, "1")
	f.Fuzz(func(t *testing.T, lines, random string) {
		lines = strings.ReplaceAll(lines, `"count"`, `"xount"`) // a hundred thousand requests only take long
		var out bytes.Buffer
		_ = Run(t.Context(), strings.NewReader(`{"op":"governor","name":"a","random":`+random+"}\n"+lines), &out) // a line that is too long
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("got %q, want json.Valid([]byte(line))", line)
			}
		}
	})
}
