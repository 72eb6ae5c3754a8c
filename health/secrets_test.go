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
		{"session_id=abc123def4", "generic", true},
		{"sessionid: 9f8e7d6c5b", "generic", true},
		{"cookies: sid=9f8e7d6c", "generic", true},
		{"sid=abcdefgh", "generic", true},
		{"PHPSESSID=abcdefgh", "generic", true},
		{"user[password]=hunter2", "generic", true},
		{"user%5Bpassword%5D%3Dhunter", "generic", true},
		{"password%3Dhunter2", "generic", true},
		{"password%253Dhunter", "generic", true},
		{"password%3Ahunter", "generic", true},
		{"%2Fhome%2Fannabel", "generic", true},
		{"token=%00", "generic", true},
		{"tokens=abc", "generic", true},
		{"api_keys: abc", "generic", true},
		{"api key 1: abc", "generic", true},
		{"token\n=hunter", "generic", true},
		{"token\u00a0=hunter", "generic", true},
		{"password`=hunter", "generic", true},
		{"password＝hunter", "generic", true},
		{"pass=hunter", "generic", true},
		{"userpass: hunter", "generic", true},
		{"passphrase: hunter", "generic", true},
		{"passcode: 778899", "generic", true},
		{"pw=hunter", "generic", true},
		{"jwt=abc", "generic", true},
		{"sig=abc", "generic", true},
		{"token->hunter", "generic", true},
		{"token => hunter", "generic", true},
		{"token_for_annabel: hunter", "generic", true},
		{"password_rejected=hunter", "generic", true},
		{"code=9f8e7d6c", "generic", true},
		{"ssn=123-45-678901", "generic", true},
		{"code=abc-9f8e7d6c", "generic", true},
		{"at=2031-03-09 code=9f8e7d6c", "generic", true},
		{Word("ok" + strings.Repeat(" ", 600)), "generic", true},
		{"password rejected: hunter2", "generic", true},
		{"credentials are annabel hunter2", "generic", true},
		{"access_token (hunter2abc)", "generic", true},
		{"Password hunter2", "generic", true},
		{"one-time passcode 778899", "generic", true},
		// A text that only reports an outcome stays.
		{"token_expired", "token_expired", false},
		{"token expired: sign in again", "token_expired_sign_in_again", false},
		{"auth_failed: status 500", "auth_failed_status_500", false},
		{"session-expired: HTTP 401", "session_expired_http_401", false},
		{"password rejected: try again", "password_rejected_try_again", false},
		{"credentials were refused (403)", "credentials_were_refused_403", false},
		{"auth_aadsts50058", "auth_aadsts50058", false},
		{"2fa token required", "2fa_token_required", false},
		{"status=500", "status_500", false},
		{"stream=notes; retry_after=86400", "stream_notes_retry_after_86400", false},
		{"mapping: no such column", "mapping_no_such_column", false},
		{"author: unknown", "author_unknown", false},
		{"signal: killed", "signal_killed", false},
		{"inside: nothing", "inside_nothing", false},
		{"version >= 2", "version_2", false},
		{"at=2031-03-09", "at_2031_03_09", false},
		{"100% of 3", "100_of_3", false},
		{"/home/annabel", "generic", true},
		{`C:\Users`, "generic", true},
		{"a@b.c", "generic", true},
		{"https://x.y", "generic", true},
		{Word(strings.Repeat("ab ", 30)), "generic", true},
	} {
		if reason, redacted := reasonOf(c.raw, "generic"); reason != c.reason || redacted != c.redacted {
			t.Errorf("admit(%q) = %q, %v, want reason == c.reason && redacted == c.redacted", c.raw, reason, redacted)
		}
	}
}

func TestIdentity(t *testing.T) {
	t.Parallel()
	for raw, want := range map[Word]Word{
		"01JQ8X4T3NFZ2V7K6M5R9W0ABC": "01JQ8X4T3NFZ2V7K6M5R9W0ABC", "": "", "token:abc1": "", "a run": "", "a/b": "", "ghp_a1b2c3d4e5f6": "",
	} {
		if got := Identity(raw); got != want {
			t.Errorf("Identity(%q) = %q, want %v", raw, got, want)
		}
	}
}

// The contract's own long words may name a headline and a back-off.
func TestOwnWordsStay(t *testing.T) {
	t.Parallel()
	e := Evidence{Run: &Run{LatestStatus: RunFailed, ReasonCode: "connector_protocol_violation"}}
	if s := Project(e); s.ReasonCode != "connector_protocol_violation" || s.Conditions[atCollection].Reason != "collection_failed" {
		t.Errorf(`headline %q, condition %q, want s.ReasonCode == "connector_protocol_violation" && s.Conditions[atCollection].Reason == "collection_failed"`, s.ReasonCode, s.Conditions[atCollection].Reason)
	}
	e.Backoff = &Backoff{ReasonClass: "failure:connector_protocol_violation"}
	if s := Project(e); s.Conditions[atRetry].Reason != "connector_protocol_violation" || s.Conditions[atRetry].Sensitivity != OwnerOnly {
		t.Errorf(`back-off %+v, want s.Conditions[atRetry].Reason == "connector_protocol_violation" && s.Conditions[atRetry].Sensitivity == OwnerOnly`, s.Conditions[atRetry])
	}
}

// HL-02.1: a named secret is removed, whatever separates it from its name or surrounds
// both.
func FuzzAssigned(f *testing.F) {
	names := []string{
		"token", "Tokens", "api_key", "x-api-key", "apikey", "PASSWORD", "passwd", "pwd", "pw", "pass", "passphrase", "passcode", "secret", "client_secret",
		"cookie", "cookies", "Set-Cookie", "session", "session_id", "sessionid", "sid", "jwt", "sig", "otp", "pin", "authorization", "auth", "credentials",
	}
	signs := []string{"=", ":", "->", "=>", "==", "%3D", "%3d", "%3A", "%253D", "＝", "："}
	f.Add(uint8(0), uint8(0), "", "", "", "hunter")
	f.Add(uint8(5), uint8(5), "user[", "]", "", "hunter2")
	f.Add(uint8(9), uint8(1), "the ", "` ", "\n\"", "x")
	f.Fuzz(func(t *testing.T, name, sign uint8, before, around, inside, secret string) {
		bare := func(s string) string { // nothing that a word could be of, and no escape
			return strings.Map(func(r rune) rune {
				if r == '%' || r >= 0x80 || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' || strings.ContainsRune("_-.", r) {
					return -1
				}
				return r
			}, s)
		}
		word := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
				return r
			}
			return -1
		}, secret)
		if word == "" {
			t.Skip()
		}
		raw := before + " " + names[int(name)%len(names)] + bare(around) + signs[int(sign)%len(signs)] + bare(inside) + word
		if reason, redacted := reasonOf(Word(raw), "generic"); !redacted || reason != "generic" {
			t.Errorf(`%q became %q, want redacted && reason == "generic"`, raw, reason)
		}
	})
}

// Every input becomes a short code of plain characters, and equal inputs become equal
// codes.
func FuzzAdmit(f *testing.F) {
	for _, s := range []string{"auth_failed", "password=hunter2", "\x00\xff", "é", strings.Repeat("_", 99), "sk-", "bearer "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		reason, redacted := reasonOf(Word(raw), "generic")
		if reason == "" || len(reason) > maxReason || Normalise(reason) != reason {
			t.Errorf(`%q became %q, want reason != "" && len(reason) <= maxReason && normalise(reason) == reason`, raw, reason)
		}
		if redacted && reason != "generic" {
			t.Errorf(`%q was redacted to %q, want !redacted || reason == "generic"`, raw, reason)
		}
		if again, _ := reasonOf(reason, "generic"); !redacted && again != reason && !looksSecret(string(reason)) {
			t.Errorf("%q became %q, and then %q, want redacted || again == reason || looksSecret(string(reason))", raw, reason, again)
		}
	})
}
