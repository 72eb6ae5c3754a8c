package call

import (
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// RT-23.1: GitHub's secondary limit is a 403 with a message but no telling header.
// With its manifest's declaration the request is sent again after a minute, the answer
// counts as a throttle, and a repeated refusal arms the cooldown; the guest judges a
// 403 for missing permission.
func TestGitHubSecondaryLimit(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../../plugins/github/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	github := func(o *Options) { o.Connector, o.Network.Provider = "github", m.Requirements.Network.Provider }
	secondary := says{status: 403, body: `{"message":"You have exceeded a secondary rate limit."}`}

	b := newBed(t, github)
	b.script(secondary, says{body: "{}"})
	b.get(api, "")
	if n := b.Counts(); n.Throttled != 1 || n.Retried != 1 || b.clock.Now().Sub(epoch) < time.Minute || b.pressed() {
		t.Errorf("got %+v after %v, want one throttle and a minute's wait", n, b.clock.Now().Sub(epoch))
	}

	b = newBed(t, github)
	b.script(secondary)
	if f := b.get(api, "").Error; f.GapReason != abi.ReasonRateLimited || f.Message != "github_rate_limited" {
		t.Errorf("got %+v, want rate_limited", f)
	}
	if reason, next := b.Pressure(); reason == "" || next.Sub(b.clock.Now()) < time.Minute {
		t.Errorf("got %q until %v, want pressure and a moment", reason, next)
	}

	b = newBed(t, github)
	b.script(says{status: 403, body: `{"message":"Resource not accessible by personal access token"}`})
	if r := b.get(api, ""); r.Status != 403 || b.Counts().Throttled != 0 {
		t.Errorf("got %d and %+v, want the guest to see the 403", r.Status, b.Counts())
	}
}
