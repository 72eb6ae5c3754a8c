package stored_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// The browser of a connection, by its stored facts: each state that its surfaces show.
func TestSurface(t *testing.T) {
	t.Parallel()
	run := func(status, reason health.Word) *stored.Run {
		return &stored.Run{ID: "r", Status: status, Reason: reason}
	}
	good, running := run("succeeded", ""), run("running", "")
	uses := func(how string) *stored.Manifest { return &stored.Manifest{Browser: how} }
	alive := stored.Moment{RunAlive: true}
	for name, c := range map[string]struct {
		facts stored.Facts
		at    stored.Moment
		want  health.RemoteSurface // without an axis: none
	}{
		"no module accepted":           {stored.Facts{}, alive, health.RemoteSurface{}},
		"no browser in it":             {stored.Facts{Manifest: uses(""), Settled: good, Succeeded: good}, alive, health.RemoteSurface{}},
		"unreadable":                   {stored.Facts{Unreadable: []health.Word{"manifest"}}, alive, health.RemoteSurface{Axis: health.SurfaceUnknown}},
		"another thing is unreadable":  {stored.Facts{Unreadable: []health.Word{"known_gaps"}, Manifest: uses("required")}, alive, health.RemoteSurface{}},
		"never run":                    {stored.Facts{Manifest: uses("required")}, alive, health.RemoteSurface{}},
		"a good run":                   {stored.Facts{Manifest: uses("required"), Settled: good, Succeeded: good}, alive, health.RemoteSurface{Axis: health.SurfaceIdle, SurfaceHealth: "ready"}},
		"a good run that may have had": {stored.Facts{Manifest: uses("optional"), Settled: good, Succeeded: good}, alive, health.RemoteSurface{}},
		"failed otherwise":             {stored.Facts{Manifest: uses("required"), Settled: run("failed", "shop_http_500"), Succeeded: good}, alive, health.RemoteSurface{Axis: health.SurfaceIdle, SurfaceHealth: "ready"}},
		"failed otherwise, at first":   {stored.Facts{Manifest: uses("required"), Settled: run("failed", "shop_http_500")}, alive, health.RemoteSurface{}},
		"it failed":                    {stored.Facts{Manifest: uses("optional"), Settled: run("failed", "browser.memory"), Succeeded: good}, alive, health.RemoteSurface{Axis: health.SurfaceFailed, WaitReason: "browser_memory"}},
		"waited in vain":               {stored.Facts{Manifest: uses("required"), Settled: run("failed", "browser.slots_busy")}, alive, health.RemoteSurface{Axis: health.SurfaceWaiting, LeaseStatus: "waiting", WaitReason: "browser_slots_busy"}},
		"none to use":                  {stored.Facts{Manifest: uses("required"), Settled: run("failed", "binding.browser_runtime_not_configured"), Succeeded: good}, alive, health.RemoteSurface{}},
		"refused since": {
			stored.Facts{Manifest: uses("required"), Settled: good, Succeeded: good, Hold: &stored.Hold{Kind: stored.HeldForOwner, Reason: "binding.browser_runtime_not_configured"}},
			alive, health.RemoteSurface{},
		},
		"waiting": {
			stored.Facts{Manifest: uses("required"), Latest: running, Surface: &stored.Surface{Waits: "browser.profile_busy", Profile: "shop-1"}},
			alive, health.RemoteSurface{Axis: health.SurfaceWaiting, LeaseStatus: "waiting", WaitReason: "browser_profile_busy", ProfileKey: "shop-1"},
		},
		"leased": {
			stored.Facts{Manifest: uses("optional"), Latest: running, Surface: &stored.Surface{Profile: "shop-1"}},
			alive, health.RemoteSurface{Axis: health.SurfaceLeased, LeaseStatus: "leased", ProfileKey: "shop-1"},
		},
		"its holder is gone": {stored.Facts{Manifest: uses("required"), Latest: running, Surface: &stored.Surface{Profile: "shop-1"}}, stored.Moment{}, health.RemoteSurface{}},
	} {
		got := health.RemoteSurface{}
		if s := health.Project(c.facts.Evidence(c.at)).RemoteSurface; s != nil {
			got = *s
		}
		if got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
	}
}

// The watchdog's code says nothing of credentials, whatever the connector is called that does not.
func TestTheWatchdogIsNoRejection(t *testing.T) {
	t.Parallel()
	for _, connector := range []health.Word{"example_shop", "chatgpt", "reddit_web", "usaa"} {
		code := connector + "_session_establish_timeout"
		if health.CredentialShaped(health.Normalise(code)) {
			t.Errorf("%s: got a reason of credentials, want none", code)
		}
		f := stored.Facts{Settled: &stored.Run{ID: "r", Status: "failed", Reason: code}}
		if s := health.Project(f.Evidence(stored.Moment{})); s.Conditions[4].Status != health.False || s.Conditions[4].Type != health.CollectionSucceeded {
			t.Errorf("%s: got %+v, want a collection that failed", code, s.Conditions[4])
		}
	}
}
