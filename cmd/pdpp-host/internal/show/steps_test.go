package show

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func fedFrom(source, device, label string, revoked bool) owner.Feed {
	f := owner.Feed{SourceInstanceID: source, DeviceID: device, Label: label, Binding: "home"}
	if revoked {
		at := time.Unix(1, 0)
		f.RevokedAt = &at
	}
	return f
}

// A step is a command that works as it is printed: for the module as it was named,
// on the device that collects, and none where none can be named.
func TestSteps(t *testing.T) {
	t.Parallel()
	here := Subject{Connection: "mine", Connector: "codex"}
	path := Subject{Connection: "codex", Connector: "codex", Module: "./a b.wasm"}
	laptop, desk := fedFrom("src_1", "dev_1", "laptop", false), fedFrom("src_2", "dev_2", "desk", false)
	gone := fedFrom("src_3", "dev_3", "old", true)
	for name, c := range map[string]struct {
		action view.Action
		of     Subject
		want   string
	}{
		"a run":                   {view.Action{Kind: verdict.RetryGap}, here, "pdpp-host run codex --connection mine"},
		"by its path":             {view.Action{Kind: verdict.RetryGap}, path, "pdpp-host run './a b.wasm'"},
		"signing in":              {view.Action{Kind: verdict.Reauth}, path, "pdpp-host connections credential set codex, then pdpp-host run './a b.wasm'"},
		"a pause":                 {view.Action{Kind: verdict.ReattachSchedule}, here, "pdpp-host connections schedule mine --resume"},
		"something is missing":    {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right"}, here, "pdpp-host doctor"},
		"a question":              {view.Action{Kind: verdict.AddInfo}, here, ""},
		"on a device":             {view.Action{Kind: verdict.RefreshNow}, Subject{"mine", "codex", "", []owner.Feed{laptop, gone}, false}, "pdpp-local-collector run --source-instance-id src_1"},
		"on one of two":           {view.Action{Kind: verdict.RefreshNow}, Subject{"mine", "codex", "", []owner.Feed{laptop, desk}, false}, ""},
		"on one that was revoked": {view.Action{Kind: verdict.RefreshNow}, Subject{"mine", "codex", "", []owner.Feed{gone}, false}, ""},
		"a pause of a device's":   {view.Action{Kind: verdict.ReattachSchedule}, Subject{"mine", "codex", "", []owner.Feed{laptop}, false}, ""},
		"a device's own trouble": {
			view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_folder"}, Subject{"mine", "codex", "", []owner.Feed{laptop}, false},
			"pdpp-local-collector doctor --source-instance-id src_1, then pdpp-local-collector run --source-instance-id src_1",
		},
		"signing in on a device": {
			view.Action{Kind: verdict.Reauth}, Subject{"mine", "codex", "", []owner.Feed{gone, laptop}, false},
			"pdpp-local-collector doctor --source-instance-id src_1, then pdpp-local-collector run --source-instance-id src_1",
		},
		"which device has trouble":  {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right"}, Subject{"mine", "codex", "", []owner.Feed{laptop, desk}, false}, ""},
		"no device any more":        {view.Action{Kind: verdict.AddInfo, CTACode: "cta_enroll_device"}, Subject{"mine", "codex", "", []owner.Feed{gone}, false}, "pdpp-host devices invite codex --name home"},
		"a folder":                  {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_folder"}, here, "pdpp-host doctor"},
		"an address":                {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_address"}, here, "pdpp-host run codex --connection mine"},
		"a setting":                 {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_option"}, here, "pdpp-host run codex --connection mine"},
		"what a run left":           {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, here, "pdpp-host status mine --detail, then pdpp-host run codex --connection mine"},
		"what one left on a device": {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, Subject{"mine", "codex", "", []owner.Feed{laptop}, false}, "pdpp-host status mine --detail, then pdpp-local-collector run --source-instance-id src_1"},
		"what one left somewhere":   {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, Subject{"mine", "codex", "", []owner.Feed{laptop, desk}, false}, "pdpp-host status mine --detail"},
		"a recovery has a panel":    {view.Action{Kind: verdict.AddInfo, Recovery: true}, Subject{"mine", "codex", "", []owner.Feed{laptop}, false}, ""},
		"what is nobody's business": {view.Action{Kind: verdict.Wait, Audience: verdict.AudienceNone}, here, ""},
	} {
		if c.action.Audience == "" {
			c.action.Audience = verdict.AudienceOwner
		}
		if got := Step(&view.Brief{RequiredActions: []view.Action{c.action}}, c.of); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := Step(&view.Brief{}, here); got != "" {
		t.Error(got)
	}
}
