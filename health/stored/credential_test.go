package stored_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// HL-03.1, HL-07.1, HL-23.1: a credential that is required and was taken away since
// a run got in with it blocks, whatever that run said; who signs in for the first
// time does not do so again.
func TestCredentialsTakenAway(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	put, began, ended := now.Add(-3*time.Hour).UnixMicro(), now.Add(-2*time.Hour).UnixMicro(), now.Add(-time.Hour).UnixMicro()
	fields := func(names ...string) *stored.Credential {
		return &stored.Credential{PutUS: put, Fields: names}
	}
	taken := func(c stored.Credential, names ...string) *stored.Credential {
		c.Taken = names
		return &c
	}
	for name, c := range map[string]struct {
		status, reason health.Word // of the latest run, "" for none
		credential     *stored.Credential
		device         string
		tone           verdict.Tone
		condition      health.Word
		cta, forward   verdict.Code
	}{
		"signed in":                    {"succeeded", "", fields("token"), "", verdict.Green, "credentials_accepted", "", "complete"},
		"taken away":                   {"succeeded", "", taken(stored.Credential{}, "token"), "", verdict.Red, "credential_required", "cta_sign_in", "sign_in"},
		"another is left":              {"succeeded", "", taken(*fields("note"), "token"), "", verdict.Red, "credential_required", "cta_sign_in", "sign_in"},
		"one that is not required":     {"succeeded", "", taken(*fields("token"), "note"), "", verdict.Green, "credentials_accepted", "", "complete"},
		"there again":                  {"succeeded", "", taken(*fields("token"), "token"), "", verdict.Grey, "credential_unconfirmed", "", "complete_unconfirmed"},
		"of a device":                  {"succeeded", "", taken(stored.Credential{}, "token"), "dev_1", verdict.Green, "credentials_not_applicable", "", "complete"},
		"by the environment":           {"succeeded", "", nil, "", verdict.Green, "credentials_not_applicable", "", "complete"},
		"never in, nothing stored":     {"failed", "missing_credentials", nil, "", verdict.Red, "missing_credentials", "cta_sign_in", "sign_in"},
		"never in, one of two":         {"failed", "missing_credentials", fields("note"), "", verdict.Red, "missing_credentials", "cta_sign_in", "sign_in"},
		"never in, stored and refused": {"failed", "demo_auth_failed", fields("token"), "", verdict.Red, "demo_auth_failed", "cta_reauth", "reauth"},
		"rejected, then taken away":    {"failed", "demo_auth_failed", taken(stored.Credential{}, "token"), "", verdict.Red, "credential_required", "cta_sign_in", "sign_in"},
	} {
		s := &stored.Facts{
			Manifest: &stored.Manifest{
				MaximumStalenessS: 7 * 86400, Streams: []health.ManifestStream{{Name: "a"}}, Credentials: []string{"token"},
			},
			CollectedUS: map[string]int64{"a": ended}, Credential: c.credential,
		}
		s.Settled = &stored.Run{ID: "r", Status: c.status, Reason: c.reason, StartedUS: began, EndedUS: ended, Device: c.device}
		s.Latest = s.Settled
		if c.status == "succeeded" {
			s.Succeeded = s.Settled
		}
		v := verdict.OfStored(s, stored.Moment{Now: health.At(now)}, true)
		at := slices.IndexFunc(v.Detail.Conditions, func(c health.Condition) bool { return c.Type == health.CredentialsValid })
		if got := v.Detail.Conditions[at]; v.Pill.Tone != c.tone || got.Reason != c.condition || v.ForwardCode != c.forward {
			t.Errorf("%s: v.Detail.Conditions[at]: got %s, %s, %s, want v.Pill.Tone == c.tone && got.Reason == c.condition && v.ForwardCode == c.forward", name, v.Pill.Tone, got.Reason, v.ForwardCode)
		}
		if c.cta == "" {
			if v.Channel == verdict.Attention || len(v.RequiredActions) > 0 {
				t.Errorf("%s: got %s %+v, want v.Channel != verdict.Attention && len(v.RequiredActions) <= 0", name, v.Channel, v.RequiredActions)
			}
			continue
		}
		if a := v.RequiredActions[0]; v.Channel != verdict.Attention || a.Kind != verdict.Reauth || a.CTACode != c.cta || len(v.RequiredActions) != 1 ||
			a.SatisfiedWhen.Kind != verdict.CredentialPresentAndUnrejected {
			t.Errorf("%s: got %s %+v, want attention and one action to sign in", name, v.Channel, v.RequiredActions)
		}
	}
}

// A hold of the scheduler and a run's question are not repeated beside a missing
// credential.
func TestTakenAwayIsSaidOnce(t *testing.T) {
	t.Parallel()
	s := &stored.Facts{
		Manifest: &stored.Manifest{Credentials: []string{"token"}}, Credential: &stored.Credential{Taken: []string{"token"}},
		Settled: &stored.Run{ID: "r", Status: "succeeded"}, Hold: &stored.Hold{Kind: stored.HeldForOwner, Reason: "attention", AtUS: 5},
	}
	s.Succeeded, s.Latest = s.Settled, s.Settled
	now := stored.Moment{Now: health.At(time.Unix(1e9, 0).UTC())}
	if v := verdict.OfStored(s, now, true); v.Pill.Tone != verdict.Red || len(v.RequiredActions) != 1 || v.RequiredActions[0].Kind != verdict.Reauth {
		t.Errorf("verdict.OfStored(s, now, true): got %+v %+v, want v.Pill.Tone == verdict.Red && len(v.RequiredActions) == 1 && v.RequiredActions[0].Kind == verdict.Reauth", v.Pill, v.RequiredActions)
	}
	// Another obstacle shows once the credential is stored again.
	s.Credential.Fields, s.Hold.Reason = []string{"token"}, "files.root_missing"
	if v := verdict.OfStored(s, now, true); v.Channel != verdict.Attention || v.RequiredActions[0].CTACode != "cta_put_right_folder" {
		t.Errorf(`verdict.OfStored(s, now, true): got %+v %+v, want v.Channel == verdict.Attention && v.RequiredActions[0].CTACode == "cta_put_right_folder"`, v.Channel, v.RequiredActions)
	}
}

// AC-11: a sign-in that the service refused although it had just renewed it is told apart from
// one that it refused for its age: nothing promises that another sign-in helps.
func TestRenewedAndRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		renewed bool
		putUS   int64 // when the owner stored the credential last
		reason  health.Word
		cta     verdict.Code
		forward verdict.Code
	}{
		"renewed":             {true, 5, "demo_auth_failed", "cta_renewed_refused", "renewed_refused"},
		"not renewed":         {false, 5, "demo_auth_failed", "cta_reauth", "reauth"},
		"stored anew since":   {true, 30, "demo_auth_failed", "cta_retry_gap", "retry_gap"},
		"another failure":     {true, 5, "demo_http_500", "cta_retry_gap", "retry_gap"},
		"and then taken away": {true, 0, "demo_auth_failed", "cta_sign_in", "sign_in"},
	} {
		s := &stored.Facts{Manifest: &stored.Manifest{Streams: []health.ManifestStream{{Name: "a"}}, Credentials: []string{"token"}}}
		if c.putUS > 0 {
			s.Credential = &stored.Credential{PutUS: c.putUS, Fields: []string{"token"}}
		} else {
			s.Credential = &stored.Credential{Taken: []string{"token"}}
		}
		s.Settled = &stored.Run{ID: "r", Status: "failed", Reason: c.reason, StartedUS: 10, EndedUS: 20, Renewed: c.renewed}
		s.Latest, s.Rejected, s.Failed = s.Settled, s.Settled.Rejection(), []string{"a"}
		v := verdict.OfStored(s, stored.Moment{Now: health.At(time.Unix(1e9, 0).UTC())}, true)
		if len(v.RequiredActions) == 0 || v.RequiredActions[0].CTACode != c.cta || v.ForwardCode != c.forward || v.Detail.Violations != nil {
			t.Errorf("%s: got %+v, %s, want %s, %s", name, v.RequiredActions, v.ForwardCode, c.cta, c.forward)
		}
	}
}
