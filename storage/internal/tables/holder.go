package tables

import (
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
)

// DeviceHolderPrefix begins the holder of a lease that a device has.
const DeviceHolderPrefix = "device:"

// DeviceHolder returns the holder of a lease that the device has.
func DeviceHolder(deviceID string) string { return DeviceHolderPrefix + deviceID }

// DeviceOf returns the device behind a holder, "" for a process of this host.
func DeviceOf(holder string) string {
	if !IsDeviceHolder(holder) {
		return ""
	}
	return strings.TrimPrefix(holder, DeviceHolderPrefix)
}

// IsDeviceHolder reports whether a device holds the lease.
func IsDeviceHolder(holder string) bool { return strings.HasPrefix(holder, DeviceHolderPrefix) }

// DeviceLease is how long a run is taken for alive that nothing is heard of.
const DeviceLease = health.StaleHeartbeat

// Earlier returns the earlier of a device's time and now, in microseconds: what a
// device's clock says of the future is worth nothing, and one that stands before
// all time is at its beginning. ok is false where nothing was said.
func Earlier(when, now time.Time) (us int64, ok bool) {
	if when.IsZero() {
		return 0, false
	}
	if when.After(now) {
		return db.Micros(now), true
	}
	return max(db.Micros(when), 1), true
}

// LeaseHolds reports whether the run that has a lease may still go on: the lease's time
// has not passed, no clock that was ahead has set it, and its holder is there. alive is
// as in NewRun; whether a device's run goes on is for its lease alone to say.
func LeaseHolds(holder string, expiresUS int64, now time.Time, alive func(holder string) bool) bool {
	// Further ahead than any lease of its kind is set, twice, since a clock that was put
	// right by a little ends no run.
	furthest, device := LongestLease, IsDeviceHolder(holder)
	if device {
		furthest = 2 * DeviceLease
	}
	if holder == "" || db.Micros(now) >= expiresUS || expiresUS > db.Micros(now.Add(furthest)) {
		return false
	}
	return alive == nil || device || alive(holder)
}

// LongestLease is longer than any lease lasts.
const LongestLease = 24 * time.Hour

// LiveLease returns a lease that a run holds at t.Now, of the connection or, for "", of any
// connection; nil: no run goes on. alive is as in LeaseHolds.
func LiveLease(t *db.Tx, connectionID string, alive func(holder string) bool) (*LeaseRow, error) {
	var held []LeaseRow
	q := t.DB.NewSelect().Model(&held).Where("run_id <> ''")
	if connectionID != "" {
		q = q.Where("connection_id = ?", connectionID)
	}
	if err := q.Scan(t.Ctx); err != nil {
		return nil, err
	}
	for i := range held {
		if LeaseHolds(held[i].Holder, held[i].ExpiresUS, t.Now, alive) {
			return &held[i], nil
		}
	}
	return nil, nil //nolint:nilnil // no run goes on
}
