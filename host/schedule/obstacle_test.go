package schedule

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Obstacles that stop automatic runs, and the evidence that ends them: only the
// owner's part. A problem that may pass by itself is no obstacle.
func TestFindObstacle(t *testing.T) {
	t.Parallel()
	failed := func(hint string) Ended {
		return Ended{Status: StatusFailed, Class: "connector:demo_x", Code: "demo_x", RecoveryHint: hint, FinishedAt: clock("12:00")}
	}
	refused := func(code abi.Code) Ended {
		return Ended{Status: StatusRefused, Code: string(code), FinishedAt: clock("12:00")}
	}
	unauthorised := Ended{Status: StatusFailed, Class: FailureClass(string(abi.ReasonAuthenticationError), "x"), FinishedAt: clock("12:00")}
	cancelled, abandoned, well := Ended{Status: StatusCancelled}, Ended{Status: StatusAbandoned}, Ended{Status: StatusSucceeded}
	for name, c := range map[string]struct {
		history  []Ended
		want     ObstacleKind
		contract verdict.Contract
		ready    bool
	}{
		"nothing ended":            {nil, "", "", false},
		"all is well":              {[]Ended{well, failed("refresh_credentials")}, "", "", false},
		"credentials":              {[]Ended{failed("refresh_credentials")}, BadCredentials, verdict.CredentialPresentAndUnrejected, true},
		"authentication":           {[]Ended{unauthorised}, BadCredentials, verdict.CredentialPresentAndUnrejected, true},
		"no key to them":           {[]Ended{refused("vault.key_missing")}, BadCredentials, verdict.CredentialPresentAndUnrejected, true},
		"then cancelled, killed":   {[]Ended{cancelled, abandoned, failed("refresh_credentials")}, BadCredentials, verdict.CredentialPresentAndUnrejected, true},
		"something by hand":        {[]Ended{failed("manual_action_required")}, OwnersTurn, verdict.ConfirmingRunSucceeded, true},
		"a binding":                {[]Ended{refused(abi.CodeBindingMissing)}, OwnersTurn, verdict.ConfirmingRunSucceeded, true},
		"a folder":                 {[]Ended{refused(abi.CodeRootEmptied)}, NoFolder, verdict.AttentionResolved, false},
		"a module":                 {[]Ended{refused(abi.CodePluginUnknown)}, OtherModule, verdict.AttentionResolved, false},
		"a module that is no good": {[]Ended{refused(abi.CodePluginInvalid)}, "", "", false},
		"what may pass":            {[]Ended{failed("retry_by_runtime")}, "", "", false},
		"the store":                {[]Ended{refused(abi.CodeStoreLocked)}, "", "", false},
		"only cancelled":           {[]Ended{cancelled}, "", "", false},
	} {
		o := FindObstacle(c.history)
		if o == nil {
			if c.want != "" {
				t.Errorf(`%s: nothing, want ""`, name)
			}
			continue
		}
		a := o.Action()
		if o.Kind != c.want || !o.Since.Equal(clock("12:00")) || a.SatisfiedWhen.Kind != c.contract || o.allowsRun() != c.ready || !a.OwnerSatisfiable() {
			t.Errorf(`%s: got %+v, %+v, want o.Kind == c.want && o.Since.Equal(clock("12:00")) && a.SatisfiedWhen.Kind == c.contract && o.ready() == c.ready && a.OwnerSatisfiable()`, name, o, a)
		}
	}
}
