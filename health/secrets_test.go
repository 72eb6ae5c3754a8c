package health

import (
	"strings"
	"testing"
)

// HL-02.1: what could be a secret, or says where something lives, is replaced.
func TestAdmit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw, reason Word
		redacted    bool
	}{
		{"", "generic", false},
		{"!?", "generic", false},
		{"auth_failed", "auth_failed", false},
		{"Auth  Failed!", "auth_failed", false},
		{"HTTP 401", "http_401", false},
		{"task-list-of-the-day", "task_list_of_the_day", false},
		{"_odd_", "odd", false},
		{"a__b", "a_b", false},
		{"bearer", "bearer", false},
		{"login failed: try again", "login_failed_try_again", false},
		{"password=x", "generic", true},
		{"api_key: 12", "generic", true},
		{"Cookie : a", "generic", true},
		{"Authorization: Basic Zm9v", "generic", true},
		{"got bearer abc", "generic", true},
		{"ghp_a1b2c3d4e5", "generic", true},
		{"sk-abc123def456", "generic", true},
		{"said AKIAIOSFODNN7EXAMPLE", "generic", true},
		{"0123456789abcdef01234567", "generic", true},
		{"connector_reported_failed", "generic", true},
		{"/home/annabel", "generic", true},
		{`C:\Users`, "generic", true},
		{"a@b.c", "generic", true},
		{"https://x.y", "generic", true},
		{Word(strings.Repeat("ab ", 30)), "generic", true},
	} {
		if reason, redacted := admit(c.raw, "generic"); reason != c.reason || redacted != c.redacted {
			t.Errorf("admit(%q) = %q, %v", c.raw, reason, redacted)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for raw, want := range map[Word]Word{
		"01JQ8X4T3NFZ2V7K6M5R9W0ABC": "01JQ8X4T3NFZ2V7K6M5R9W0ABC", "": "", "token:abc1": "", "a run": "", "a/b": "", "ghp_a1b2c3d4e5f6": "",
	} {
		if got := Identity(raw); got != want {
			t.Errorf("Identity(%q) = %q", raw, got)
		}
	}
}

// The contract's own long words may name a headline and a back-off.
func TestOwnWordsStay(t *testing.T) {
	t.Parallel()
	e := Evidence{Run: &Run{LatestStatus: RunFailed, ReasonCode: "connector_protocol_violation"}}
	if s := Project(e); s.ReasonCode != "connector_protocol_violation" || s.Conditions[atCollection].Reason != "collection_failed" {
		t.Errorf("headline %q, condition %q", s.ReasonCode, s.Conditions[atCollection].Reason)
	}
	e.Backoff = &Backoff{ReasonClass: "failure:connector_protocol_violation"}
	if s := Project(e); s.Conditions[atRetry].Reason != "connector_protocol_violation" || s.Conditions[atRetry].Sensitivity != OwnerOnly {
		t.Errorf("back-off %+v", s.Conditions[atRetry])
	}
}

// Whatever comes in, what comes out is a short code of plain characters, and
// the same text always gives the same code.
func FuzzAdmit(f *testing.F) {
	for _, s := range []string{"auth_failed", "password=hunter2", "\x00\xff", "é", strings.Repeat("_", 99), "sk-", "bearer "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		reason, redacted := admit(Word(raw), "generic")
		if reason == "" || len(reason) > maxReason || normalise(reason) != reason {
			t.Errorf("%q became %q", raw, reason)
		}
		if redacted && reason != "generic" {
			t.Errorf("%q was redacted to %q", raw, reason)
		}
		if again, _ := admit(reason, "generic"); !redacted && again != reason && !looksSecret(string(reason)) {
			t.Errorf("%q became %q, and then %q", raw, reason, again)
		}
	})
}
