package connections

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A connection's row says where it is run; a device whose place another one took is
// not named any more.
func TestWhere(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	laptop, old := owner.Feed{DeviceID: "dev_1", Label: "laptop"}, owner.Feed{DeviceID: "dev_2", Label: "old", RevokedAt: &at}
	for want, feeds := range map[string][]owner.Feed{
		"this host": nil, "laptop": {old, laptop}, "old (revoked)": {old}, "laptop, home": {laptop, {DeviceID: "dev_4", Binding: "home"}},
	} {
		if got := where(feeds); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
