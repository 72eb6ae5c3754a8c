package devices

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A heartbeat is shown as it was said, and what was not said is not shown.
func TestHeartbeatLines(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 20, 5, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		of   devices.Source
		want string
	}{
		"nothing":    {devices.Source{}, "it has said nothing yet"},
		"unreadable": {devices.Source{HeardAt: &at}, "it has said nothing yet"},
		"no counts":  {devices.Source{HeardAt: &at, Heartbeat: &device.Heartbeat{Status: "starting"}}, "said 2026-05-20 05:00:00Z: starting"},
		"blocked": {devices.Source{HeardAt: &at, Heartbeat: &device.Heartbeat{
			Status: "blocked", Outbox: &device.Outbox{Pending: 1, DeadLetter: 4, Succeeded: 1200, BacklogOpen: 2, OldestPendingAt: &at, LifecycleState: "dead_letter"},
			LastError: &device.LastError{Kind: device.ErrorDeadLetters, Classes: []device.ErrorClass{{Count: 4, Class: "http_500"}}},
		}}, "said 2026-05-20 05:00:00Z: blocked, dead_letter|uploads: 1 waiting, 0 being sent, 0 to be sent again, 0 left half-way, 4 given up, 1 200 delivered|" +
			"2 not taken up yet|oldest waiting 2026-05-20 05:00:00Z|it is blocked: dead_letter_backlog|given up: 4 of http_500"},
	} {
		if got := strings.ReplaceAll(strings.Join(heartbeatLines(&c.of), "|"), "\u2009", " "); got != c.want {
			t.Errorf("%s:\n%s\n%s", name, got, c.want)
		}
	}
}
