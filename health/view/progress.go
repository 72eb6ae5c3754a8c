package view

import (
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// DeviceProgressOf is what trusted devices say of their uploads: how much is left,
// from where, and when something of it last arrived; zero: nobody knows.
func DeviceProgressOf(pending int64, host string, last time.Time) *DeviceProgress {
	p := &DeviceProgress{RecordsPending: pending, Host: host}
	if !last.IsZero() {
		p.LastProgressAt = health.At(last.UTC())
	}
	return p
}
