package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/abi"
)

func failures(class string, n int, at string) []Ended {
	all := make([]Ended, n)
	for i := range all {
		all[i] = Ended{RunID: "r", Status: StatusFailed, Class: class, FinishedAt: clock(at).Add(-time.Duration(i) * time.Hour)}
	}
	return all
}

// From the third failure of one class: base × 2^(n−3), at most 2^8 and a day;
// blocked from the seventh.
func TestFailureBackoff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		n       int
		base    time.Duration
		want    time.Duration
		blocked bool
	}{
		{0, time.Hour, 0, false},
		{1, time.Hour, 0, false},
		{2, time.Hour, 0, false},
		{3, time.Hour, time.Hour, false},
		{4, time.Hour, 2 * time.Hour, false},
		{5, time.Hour, 4 * time.Hour, false},
		{6, time.Hour, 8 * time.Hour, false},
		{7, time.Hour, 16 * time.Hour, true},
		{8, time.Hour, 24 * time.Hour, true},
		{3, 48 * time.Hour, 24 * time.Hour, false},
		{10, time.Minute, 128 * time.Minute, true},
		{11, time.Minute, 256 * time.Minute, true},
		{20, time.Minute, 256 * time.Minute, true},
		{3, 0, defaultInterval, false},
	} {
		b := FailureBackoff(failures("x", c.n, "12:00"), c.base, clock("12:00"))
		got := time.Duration(0)
		if !b.Until.IsZero() {
			got = b.Until.Sub(clock("12:00"))
		}
		if got != c.want || b.Blocked != c.blocked || b.Failures != c.n {
			t.Errorf("%d failures: %s, %+v, want got == c.want && b.Blocked == c.blocked && b.Failures == c.n", c.n, got, b)
		}
	}
	// A provider that is unwell is put off, and never given up (RT-24).
	if b := FailureBackoff(failures("connector:send.circuit_open", 20, "12:00"), time.Hour, clock("12:00")); b.Blocked || b.Until.Sub(clock("12:00")) != 24*time.Hour {
		t.Errorf("after 20 open circuits: %+v, want a day and no end", b)
	}
	if b := FailureBackoff(failures("x", 3, "12:00"), time.Hour, clock("13:00")); !b.Until.IsZero() || b.Failures != 3 {
		t.Errorf("past its time: %+v, want b.Until.IsZero() && b.Failures == 3", b)
	}
	if b := FailureBackoff(failures("x", 3, "12:00"), time.Hour, clock("12:00").Add(-24*time.Hour)); !b.Until.IsZero() {
		t.Errorf("of a clock that was put back: %+v, want b.Until.IsZero()", b)
	}
}

func TestFailureStreaks(t *testing.T) {
	t.Parallel()
	a, b := failures("a", 3, "12:00"), failures("b", 2, "09:00")
	ended := func(status string) []Ended { return []Ended{{Status: status, FinishedAt: clock("12:30")}} }
	join := func(parts ...[]Ended) (all []Ended) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	refused := []Ended{{Status: StatusRefused, Class: "failure:files.root_missing", FinishedAt: clock("12:00"), Count: 4}}
	for name, c := range map[string]struct {
		history []Ended
		want    int
	}{
		"another class ends the streak":        {join(a, b), 3},
		"two of a class, then another":         {join(b, a), 2},
		"a success ends it":                    {join(a[:2], ended(StatusSucceeded), a), 2},
		"a success after it":                   {join(ended(StatusSucceeded), a), 0},
		"what the owner cancelled does not":    {join(a[:1], ended(StatusCancelled), a[:2]), 3},
		"refusals count as often as they came": {refused, 4},
		"an abandoned run is a failure":        {join(ended(StatusAbandoned), ended(StatusAbandoned)), 2},
		"of its own class":                     {join(ended(StatusAbandoned), a), 1},
		"nothing ended yet":                    {nil, 0},
		"cancelled and nothing else":           {ended(StatusCancelled), 0},
	} {
		if got := FailureBackoff(c.history, time.Hour, clock("12:40")); got.Failures != c.want {
			t.Errorf("%s: got.Failures: got %+v, want %v", name, got, c.want)
		}
	}
}

func TestRetried(t *testing.T) {
	t.Parallel()
	failed := func(reason abi.Reason, code string) Ended {
		return Ended{Status: StatusFailed, Class: FailureClass(string(reason), code), Code: code, Retryable: true}
	}
	reported := abi.ReasonConnectorReportedFailed
	hint := func(h string) Ended { e := failed(reported, "x"); e.RecoveryHint = h; return e }
	final := failed(reported, "x")
	final.Retryable = false
	cancelled := failed(abi.ReasonOwnerCancelled, "")
	cancelled.Status = StatusCancelled
	for name, c := range map[string]struct {
		e    Ended
		want bool
	}{
		"the connector failed":    {failed(reported, "github_hiccup"), true},
		"no DONE":                 {failed(abi.ReasonExitWithoutDone, "guest.trap"), true},
		"the store failed":        {failed(abi.ReasonRuntimeError, "storage.locked"), true},
		"it said not to":          {final, false},
		"an open circuit":         {failed(reported, "send.circuit_open"), false},
		"authentication":          {failed(abi.ReasonAuthenticationError, ""), false},
		"protocol":                {failed(abi.ReasonProtocolViolation, ""), false},
		"permission":              {failed(abi.ReasonPermissionError, ""), false},
		"a grant":                 {failed("grant_exhausted", ""), false},
		"timed out":               {failed(abi.ReasonRunTimedOut, "limit.time"), false},
		"cancelled":               {cancelled, false},
		"sign in again":           {hint("refresh_credentials"), false},
		"do something":            {hint("manual_action_required"), false},
		"another hint":            {hint("retry_by_runtime"), true},
		"status 404":              {failed(reported, "github_http_404"), false},
		"status 429":              {failed(reported, "github_http_429"), false},
		"status 503":              {failed(reported, "github_http_503"), true},
		"no status":               {failed(reported, "github_http_version"), true},
		"rate limited (cooldown)": {failed(reported, "github_rate_limited"), false},
		"succeeded":               {Ended{Status: StatusSucceeded, Retryable: true}, false},
		"abandoned":               {Ended{Status: StatusAbandoned, Retryable: true}, false},
	} {
		if got := Retried(c.e); got != c.want {
			t.Errorf("%s: Retried(c.e): got %v, want %v", name, got, c.want)
		}
	}
}

func TestBackoffIsBounded(t *testing.T) {
	t.Parallel()
	now := clock("12:00")
	rapid.Check(t, func(r *rapid.T) {
		history := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) Ended {
			return Ended{
				Status: rapid.SampledFrom([]string{StatusFailed, StatusRefused, StatusAbandoned, StatusCancelled}).Draw(r, "status"),
				Class:  rapid.SampledFrom([]string{"a", "b"}).Draw(r, "class"), Count: rapid.Int().Draw(r, "count"),
				FinishedAt: now.Add(time.Duration(rapid.Int64().Draw(r, "away"))),
			}
		}), 0, 12).Draw(r, "history")
		b := FailureBackoff(history, time.Duration(rapid.Int64().Draw(r, "base")), now)
		if !b.Until.IsZero() && (!b.Until.After(now) || b.Until.After(now.Add(2*backoffCap))) {
			r.Fatalf("%+v", b)
		}
	})
}
