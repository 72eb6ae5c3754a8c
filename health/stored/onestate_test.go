package stored_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// An obstacle that no run gets past is one state, whether its owner is asked, its schedule is
// paused, or neither. The cause of an older end is not that of this state.
func TestNothingBeginsIsOneState(t *testing.T) {
	t.Parallel()
	failedOver := func(reason health.Word, cause *stored.Stop) func(*stored.Facts) {
		return func(s *stored.Facts) {
			s.Settled = &stored.Run{ID: "run_2", Status: "failed", Reason: reason, StartedUS: s.Settled.EndedUS, EndedUS: s.Settled.EndedUS + 1, Cause: cause}
			if s.Latest = s.Settled; cause == nil {
				s.Rejected = &stored.Rejection{Reason: reason, AtUS: s.Settled.EndedUS}
			}
		}
	}
	held := func(code abi.Code) func(*stored.Facts) {
		return func(s *stored.Facts) {
			failedOver("demo_failed", &stored.Stop{Cause: abi.CauseNameUnresolved})(s)
			s.Hold = &stored.Hold{Kind: stored.HeldForOwner, Reason: health.Word(code), AtUS: s.Settled.EndedUS + 1}
		}
	}
	asks := func(kind health.Word) func(*stored.Facts) {
		return func(s *stored.Facts) {
			s.Latest, s.Asking = &stored.Run{ID: "run_3", Status: "running", StartedUS: s.Settled.EndedUS + 2}, kind
		}
	}
	paused := func(s *stored.Facts) { s.Schedule = &health.Schedule{Enabled: false} }
	refused := func(s *stored.Facts) {
		s.Device = &stored.Device{Sources: []stored.Source{{ID: "src_1", Refusals: []stored.RefusedDelivery{{Code: "device_manifest_missing", AtUS: 1}}}}}
	}
	for name, c := range map[string]struct {
		of    []func(*stored.Facts)
		label string
		says  verdict.Code
		first verdict.Code
	}{
		"rejected":               {[]func(*stored.Facts){failedOver("auth_failed", nil)}, "Can't collect", "reauth", "cta_reauth"},
		"rejected and paused":    {[]func(*stored.Facts){failedOver("auth_failed", nil), paused}, "Can't collect", "reauth", "cta_reauth"},
		"rejected and asked":     {[]func(*stored.Facts){failedOver("auth_failed", nil), asks(abi.InteractionMissingCredentials)}, "Can't collect", "reauth", "cta_add_info"},
		"rejected, asks a code":  {[]func(*stored.Facts){failedOver("auth_failed", nil), asks(abi.InteractionOTP)}, "Can't collect", "reauth", "cta_add_info"},
		"asks to sign in":        {[]func(*stored.Facts){asks(abi.InteractionCredentials)}, "Can't collect", "reauth", "cta_add_info"},
		"asks for a code":        {[]func(*stored.Facts){asks(abi.InteractionOTP)}, "Degraded", "add_info", "cta_add_info"},
		"not accepted":           {[]func(*stored.Facts){held(abi.CodePluginNotAccepted)}, "Can't collect", "put_right_acceptance", "cta_put_right_acceptance"},
		"another module":         {[]func(*stored.Facts){held(abi.CodePluginChanged)}, "Can't collect", "put_right_module", "cta_put_right_module"},
		"no folder":              {[]func(*stored.Facts){held("files.root_missing")}, "Can't collect", "put_right_folder", "cta_put_right_folder"},
		"an address":             {[]func(*stored.Facts){held("egress.denied")}, "Can't collect", "put_right_address", "cta_put_right_address"},
		"a setting":              {[]func(*stored.Facts){held("config.invalid")}, "Can't collect", "put_right_option", "cta_put_right_option"},
		"a binding":              {[]func(*stored.Facts){held("binding.missing")}, "Can't collect", "put_right_binding", "cta_put_right_binding"},
		"no browser":             {[]func(*stored.Facts){held(abi.CodeBrowserRuntime)}, "Can't collect", "put_right_browser", "cta_put_right_browser"},
		"no key":                 {[]func(*stored.Facts){held("vault.damaged")}, "Can't collect", "put_right_vault", "cta_put_right_vault"},
		"refused of a device":    {[]func(*stored.Facts){refused}, "Degraded", "delivery_refused", "cta_delivery_refused"},
		"no folder, and a pause": {[]func(*stored.Facts){held("files.root_missing"), paused}, "Can't collect", "put_right_folder", "cta_put_right_folder"},
		"a name, which may come": {[]func(*stored.Facts){failedOver("demo_failed", &stored.Stop{Cause: abi.CauseNameUnresolved})}, "Degraded", "cause_name_unresolved", "cta_wait_tries"},
	} {
		s := gapped()
		for _, of := range c.of {
			of(s)
		}
		m := gappedNow
		m.RunAlive = true
		v := verdict.OfStored(s, m, true)
		if len(v.RequiredActions) == 0 {
			t.Errorf("%s: got no action, want %s", name, c.first)
			continue
		}
		if v.Pill.Label != c.label || v.ForwardCode != c.says || v.RequiredActions[0].CTACode != c.first {
			t.Errorf("%s: got %q, %s, %s, want %q, %s, %s", name, v.Pill.Label, v.ForwardCode, v.RequiredActions[0].CTACode, c.label, c.says, c.first)
		}
		kind := v.RequiredActions[0].Kind
		if owners := kind == verdict.AddInfo || kind == verdict.Reauth; owners != (v.Cause == nil) {
			t.Errorf("%s: got the cause %+v beside %s, want one exactly where it is what keeps it", name, v.Cause, c.first)
		}
		if s.Hold != nil && s.Failure() != nil {
			t.Errorf("%s: got the failure of %+v, want none behind a refusal since", name, s.Failure())
		}
	}
}
