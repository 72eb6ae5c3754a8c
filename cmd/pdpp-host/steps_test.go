package main

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
)

func fedFrom(source, device, label string, revoked bool) feed {
	f := feed{ID: source, DeviceID: device, DeviceLabel: label, Binding: "home"}
	if revoked {
		f.RevokedAt = time.Unix(1, 0)
	}
	return f
}

// A step is a command that works as it is printed: for the module as it was named,
// on the device that collects, and none where none can be named.
func TestSteps(t *testing.T) {
	t.Parallel()
	here := subject{connection: "mine", connector: "codex"}
	path := subject{connection: "codex", connector: "codex", module: "./a b.wasm"}
	laptop, desk := fedFrom("src_1", "dev_1", "laptop", false), fedFrom("src_2", "dev_2", "desk", false)
	gone := fedFrom("src_3", "dev_3", "old", true)
	for name, c := range map[string]struct {
		action view.Action
		of     subject
		want   string
	}{
		"a run":                   {view.Action{Kind: verdict.RetryGap}, here, "pdpp-host run codex --connection mine"},
		"by its path":             {view.Action{Kind: verdict.RetryGap}, path, "pdpp-host run './a b.wasm'"},
		"signing in":              {view.Action{Kind: verdict.Reauth}, path, "pdpp-host connections credential set codex, then pdpp-host run './a b.wasm'"},
		"a pause":                 {view.Action{Kind: verdict.ReattachSchedule}, here, "pdpp-host connections schedule mine --resume"},
		"something is missing":    {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right"}, here, "pdpp-host doctor"},
		"a question":              {view.Action{Kind: verdict.AddInfo}, here, ""},
		"on a device":             {view.Action{Kind: verdict.RefreshNow}, subject{"mine", "codex", "", []feed{laptop, gone}, false}, "pdpp-local-collector run --source-instance-id src_1"},
		"on one of two":           {view.Action{Kind: verdict.RefreshNow}, subject{"mine", "codex", "", []feed{laptop, desk}, false}, ""},
		"on one that was revoked": {view.Action{Kind: verdict.RefreshNow}, subject{"mine", "codex", "", []feed{gone}, false}, ""},
		"a pause of a device's":   {view.Action{Kind: verdict.ReattachSchedule}, subject{"mine", "codex", "", []feed{laptop}, false}, ""},
		"a device's own trouble": {
			view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_folder"}, subject{"mine", "codex", "", []feed{laptop}, false},
			"pdpp-local-collector doctor --source-instance-id src_1, then pdpp-local-collector run --source-instance-id src_1",
		},
		"signing in on a device": {
			view.Action{Kind: verdict.Reauth}, subject{"mine", "codex", "", []feed{gone, laptop}, false},
			"pdpp-local-collector doctor --source-instance-id src_1, then pdpp-local-collector run --source-instance-id src_1",
		},
		"which device has trouble":  {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right"}, subject{"mine", "codex", "", []feed{laptop, desk}, false}, ""},
		"no device any more":        {view.Action{Kind: verdict.AddInfo, CTACode: "cta_enroll_device"}, subject{"mine", "codex", "", []feed{gone}, false}, "pdpp-host devices invite codex --name home"},
		"a folder":                  {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_folder"}, here, "pdpp-host doctor"},
		"an address":                {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_address"}, here, "pdpp-host run codex --connection mine"},
		"a setting":                 {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_option"}, here, "pdpp-host run codex --connection mine"},
		"what a run left":           {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, here, "pdpp-host status mine --detail, then pdpp-host run codex --connection mine"},
		"what one left on a device": {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, subject{"mine", "codex", "", []feed{laptop}, false}, "pdpp-host status mine --detail, then pdpp-local-collector run --source-instance-id src_1"},
		"what one left somewhere":   {view.Action{Kind: verdict.AddInfo, CTACode: "cta_put_right_gap"}, subject{"mine", "codex", "", []feed{laptop, desk}, false}, "pdpp-host status mine --detail"},
		"a recovery has a panel":    {view.Action{Kind: verdict.AddInfo, Recovery: true}, subject{"mine", "codex", "", []feed{laptop}, false}, ""},
		"what is nobody's business": {view.Action{Kind: verdict.Wait, Audience: verdict.AudienceNone}, here, ""},
	} {
		if c.action.Audience == "" {
			c.action.Audience = verdict.AudienceOwner
		}
		if got := step(&view.Brief{RequiredActions: []view.Action{c.action}}, c.of); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if got := step(&view.Brief{}, here); got != "" {
		t.Error(got)
	}
}

// What is refused here says where it is done instead, for one device, for several,
// and for none any more.
func TestOnDevice(t *testing.T) {
	t.Parallel()
	laptop, desk, gone := fedFrom("src_1", "dev_1", "laptop", false), fedFrom("src_2", "dev_2", "", false), fedFrom("src_3", "dev_3", "old", true)
	for want, feeds := range map[string][]feed{
		`fed by laptop (dev_1)|on "laptop", type: pdpp-local-collector run --source-instance-id src_1`: {gone, laptop},
		`fed by laptop (dev_1), home (dev_2)|on "laptop", type: pdpp-local-collector run --source-instance-id src_1   ` +
			`on "home", type: pdpp-local-collector run --source-instance-id src_2`: {laptop, desk},
		"fed by old (dev_3, revoked)|its device was revoked: enrol one again with: pdpp-host devices invite codex --name home   " +
			"or collect it here under another name: pdpp-host run codex --connection mine-here": {gone},
	} {
		e := output.Typed(onDevice("mine", "codex", feeds))
		if got := e.Detail + "|" + e.Hint; got != want || e.Code != codeOnDevice {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	if err := onDevice("mine", "codex", nil); err != nil {
		t.Error(err)
	}
}
