package storage

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

const deviceHolderPrefix = "device:"

func deviceHolder(deviceID string) string { return deviceHolderPrefix + deviceID }

// deviceOf is the device that a holder is; "" for one that is none.
func deviceOf(holder string) string {
	if !isDeviceHolder(holder) {
		return ""
	}
	return strings.TrimPrefix(holder, deviceHolderPrefix)
}

func isDeviceHolder(holder string) bool { return strings.HasPrefix(holder, deviceHolderPrefix) }

// deviceLease is how long a run is taken for alive that nothing is heard of.
const deviceLease = health.StaleHeartbeat

// earlier returns the earlier of a device's time and now, in microseconds: what a
// device's clock says of the future is worth nothing, and one that stands before
// all time is at its beginning. ok is false where nothing was said.
func earlier(when, now time.Time) (us int64, ok bool) {
	if when.IsZero() {
		return 0, false
	}
	if when.After(now) {
		return micros(now), true
	}
	return max(micros(when), 1), true
}

// leaseHolds reports whether the run that has a lease may still go on: the lease's time
// has not passed, no clock that was ahead has set it, and its holder is there. alive is
// as in NewRun; whether a device's run goes on is for its lease alone to say.
func leaseHolds(holder string, expiresUS int64, now time.Time, alive func(holder string) bool) bool {
	// Further ahead than any lease of its kind is set, twice, since a clock that was put
	// right by a little ends no run.
	furthest, device := longestLease, isDeviceHolder(holder)
	if device {
		furthest = 2 * deviceLease
	}
	if holder == "" || micros(now) >= expiresUS || expiresUS > micros(now.Add(furthest)) {
		return false
	}
	return alive == nil || device || alive(holder)
}

// longestLease is longer than any lease lasts.
const longestLease = 24 * time.Hour
