package call

import (
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// RT-23.1: GitHub's secondary limit is a 403 with a message and no header that
// says so. With what its manifest declares the request is sent again after a
// minute, the answer counts as a throttle, and a refusal that stays arms the
// cooldown; a 403 for want of permission is the guest's to judge.
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
	if n := b.Counts(); n.Throttled != 1 || n.Retried != 1 || b.clock.Now().Sub(epoch) < time.Minute || b.Pressure() != nil {
		t.Errorf("got %+v after %v, want one throttle and a minute's wait", n, b.clock.Now().Sub(epoch))
	}

	b = newBed(t, github)
	b.script(secondary)
	if f := b.get(api, "").Error; f.GapReason != abi.ReasonRateLimited || f.Message != "github_rate_limited" {
		t.Errorf("got %+v, want rate_limited", f)
	}
	if p := b.Pressure(); p == nil || p.NextAttempt.Sub(b.clock.Now()) < time.Minute {
		t.Errorf("got %+v, want pressure and a moment", p)
	}

	b = newBed(t, github)
	b.script(says{status: 403, body: `{"message":"Resource not accessible by personal access token"}`})
	if r := b.get(api, ""); r.Status != 403 || b.Counts().Throttled != 0 {
		t.Errorf("got %d and %+v, want the guest to see the 403", r.Status, b.Counts())
	}
}
