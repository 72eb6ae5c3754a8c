package view

import (
	"time"

	"github.com/pdpp-host/pdpp-host/health"
)

// DeviceProgressOf returns the trusted devices' reports on their uploads: how much is
// left, on which host, and when something last arrived. The zero value means unknown.
func DeviceProgressOf(pending int64, host string, last time.Time) *DeviceProgress {
	p := &DeviceProgress{RecordsPending: pending, Host: host}
	if !last.IsZero() {
		p.LastProgressAt = health.At(last.UTC())
	}
	return p
}
