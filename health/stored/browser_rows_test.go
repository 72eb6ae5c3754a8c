package stored_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// An owner of a connection with a browser sees what became of its runs. Each row of the contract's
// table of attention and of browsers is one here (BR-15, BR-04.1, BR-02.2, BR-12, BR-13.5).
func TestBrowserRows(t *testing.T) {
	t.Parallel()
	ended := func(reason health.Word) stored.Facts {
		r := &stored.Run{ID: "r", Status: "failed", Reason: reason}
		return stored.Facts{Manifest: &stored.Manifest{Browser: "required"}, Latest: r, Settled: r}
	}
	running := func(s *stored.Surface, asks health.Word) stored.Facts {
		return stored.Facts{Manifest: &stored.Manifest{Browser: "required"}, Latest: &stored.Run{ID: "r", Status: "running"}, Surface: s, Asking: asks}
	}
	unanswered := ended("connector_reported_failed")
	unanswered.KnownGaps = []health.KnownGap{{Kind: "interaction", Reason: "interaction_timeout", Severity: "actionable", RecoveryAction: "manual_action_required"}}
	good := &stored.Run{ID: "r", Status: "succeeded"}
	alive, attended := stored.Moment{RunAlive: true}, stored.Moment{RunAlive: true, Attended: true}
	for name, c := range map[string]struct {
		facts stored.Facts
		at    stored.Moment
		axis  health.SurfaceAxis
		want  map[health.Type]string // status and severity, and the action that puts it right
	}{
		"a question is open":           {running(nil, abi.InteractionManualAction), alive, health.SurfaceNone, map[health.Type]string{health.AttentionClear: "false blocked satisfy_attention"}},
		"its owner is there":           {running(nil, abi.InteractionManualAction), attended, health.SurfaceNone, map[health.Type]string{health.AttentionClear: "false blocked satisfy_attention"}},
		"nobody answered":              {unanswered, alive, health.SurfaceNone, map[health.Type]string{health.CollectionSucceeded: "false"}},
		"no browser":                   {ended("binding.browser_runtime_not_configured"), alive, health.SurfaceNone, map[health.Type]string{health.RuntimeAvailable: "false blocked check_runtime", health.CredentialsValid: "unknown"}},
		"it did not start":             {ended("browser.start_failed"), alive, health.SurfaceFailed, map[health.Type]string{health.RemoteSurfaceAvailable: "false error", health.RuntimeAvailable: "false error"}},
		"it was unstable":              {ended("browser.unstable"), alive, health.SurfaceFailed, map[health.Type]string{health.RemoteSurfaceAvailable: "false error", health.RuntimeAvailable: "false error"}},
		"it took too much memory":      {ended("browser.memory"), alive, health.SurfaceFailed, map[health.Type]string{health.RemoteSurfaceAvailable: "false error", health.RuntimeAvailable: "false error"}},
		"its profile is busy":          {running(&stored.Surface{Waits: "browser.profile_busy"}, ""), alive, health.SurfaceWaiting, map[health.Type]string{health.RemoteSurfaceAvailable: "true"}},
		"no slot is free":              {running(&stored.Surface{Waits: "browser.slots_busy"}, ""), alive, health.SurfaceWaiting, map[health.Type]string{health.RemoteSurfaceAvailable: "true"}},
		"in use":                       {running(&stored.Surface{Profile: "shop-1"}, ""), alive, health.SurfaceLeased, map[health.Type]string{health.RemoteSurfaceAvailable: "true"}},
		"free behind a good run":       {stored.Facts{Manifest: &stored.Manifest{Browser: "required"}, Latest: good, Settled: good, Succeeded: good}, alive, health.SurfaceIdle, map[health.Type]string{health.RemoteSurfaceAvailable: "true"}},
		"the connector has none":       {stored.Facts{Manifest: &stored.Manifest{}, Latest: good, Settled: good, Succeeded: good}, alive, health.SurfaceNone, nil},
		"never tried":                  {stored.Facts{Manifest: &stored.Manifest{Browser: "required"}}, alive, health.SurfaceNone, nil},
		"nobody knows":                 {stored.Facts{Unreadable: []health.Word{"manifest"}}, alive, health.SurfaceUnknown, nil},
		"signed out, and nobody there": {ended(stored.RunReason(abi.ReasonConnectorReportedFailed, "shop_session_required", "refresh_credentials")), alive, health.SurfaceNone, map[health.Type]string{health.CredentialsValid: "false"}},
		"the watchdog":                 {ended("shop_session_establish_timeout"), alive, health.SurfaceNone, map[health.Type]string{health.CollectionSucceeded: "false", health.CredentialsValid: "unknown"}},
	} {
		s := health.Project(c.facts.Evidence(c.at))
		if s.Axes.RemoteSurface != c.axis {
			t.Errorf("%s: got the axis %s, want %s", name, s.Axes.RemoteSurface, c.axis)
		}
		for _, x := range s.Conditions {
			got := string(x.Status) + " " + string(x.Severity)
			if x.Remediation != nil {
				got += " " + x.Remediation.Action
			}
			if want, asked := c.want[x.Type]; asked && !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s: got %s, want %s", name, x.Type, got, want)
			}
		}
	}
	asked := running(nil, abi.InteractionManualAction)
	open, there := verdict.OfStored(&asked, alive, true), verdict.OfStored(&asked, attended, true)
	open.Detail, there.Detail = nil, nil // says that the owner is there
	if !reflect.DeepEqual(open, there) {
		t.Errorf("its owner is there: got the verdict %+v, want that of before, %+v", there, open)
	}
	if axis := asked.Evidence(attended).Attention.Lifecycle; axis != health.AttentionInProgress {
		t.Errorf("its owner is there: got the attention %s, want it in progress", axis)
	}
}

// A run's question gives its kind as the reason of the attention and its time as the end of it, and says
// nothing against credentials that nobody has refused (BR-15, OC-18).
func TestKindsOfQuestions(t *testing.T) {
	t.Parallel()
	until := time.Date(2031, 3, 9, 9, 0, 0, 0, time.UTC)
	good := &stored.Run{ID: "g", Status: "succeeded"}
	for kind, want := range map[health.Word]health.Word{
		abi.InteractionOTP: "otp_required", abi.InteractionManualAction: "manual_action_required", abi.InteractionCredentials: "credentials_required",
		abi.InteractionMissingCredentials: "credentials_required", "interaction": "interaction_required",
	} {
		for _, last := range []*stored.Run{good, nil} {
			facts := stored.Facts{
				Manifest: &stored.Manifest{Browser: "required", Credentials: []string{"password"}}, Latest: &stored.Run{ID: "r", Status: "running"}, Settled: last, Succeeded: last,
				Credential: &stored.Credential{}, Asking: kind, AskingUntilUS: until.UnixMicro(),
			}
			snapshot := health.Project(facts.Evidence(stored.Moment{Now: health.At(until.Add(-time.Second)), RunAlive: true}))
			if next := snapshot.NextAction; next == nil || !next.ExpiresAt.Equal(until) {
				t.Errorf("%s: got the next action %+v, want one until %s", kind, next, until)
			}
			for _, x := range snapshot.Conditions {
				switch {
				case x.Type == health.AttentionClear && !x.ExpiresAt.Equal(until):
					t.Errorf("%s: got it until %s, want until %s", kind, x.ExpiresAt, until)
				case x.Type == health.AttentionClear && (x.Status != health.False || x.Severity != health.Blocked || x.Reason != want || x.Remediation.Action != "satisfy_attention" || x.Remediation.Target != "connection"):
					t.Errorf("%s: got %+v, %+v, want %s", kind, x, x.Remediation, want)
				case x.Type == health.CredentialsValid && x.Status == health.False:
					t.Errorf("%s, last run %v: got the credentials %+v, want nothing against them", kind, last, x)
				}
			}
			if over := health.Project(facts.Evidence(stored.Moment{Now: health.At(until), RunAlive: true})); over.Axes.Attention != health.AttentionNone {
				t.Errorf("%s, when its time is over: got the attention %s, want none", kind, over.Axes.Attention)
			}
			if v := verdict.OfStored(&facts, stored.Moment{RunAlive: true}, true); len(v.RequiredActions) != 1 || v.RequiredActions[0].CTACode != "cta_add_info" {
				t.Errorf("%s, last run %v: got %+v, want the question to be answered", kind, last, v.RequiredActions)
			}
		}
	}
}
