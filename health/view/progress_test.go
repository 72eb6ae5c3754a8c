package view_test

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/health/view"
)

// An unknown time is omitted.
func TestDeviceProgressOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 20, 8, 0, 0, 0, time.FixedZone("", 7200))
	if p := view.DeviceProgressOf(3, "desk", at); p.RecordsPending != 3 || p.Host != "desk" || !p.LastProgressAt.Equal(at) || p.LastProgressAt.Location() != time.UTC {
		t.Errorf(`view.DeviceProgressOf(3, "desk", at): got %+v, want p.RecordsPending == 3 && p.Host == "desk" && p.LastProgressAt.Equal(at) && p.LastProgressAt.Location() == time.UTC`, p)
	}
	if p := view.DeviceProgressOf(0, "", time.Time{}); !p.LastProgressAt.IsZero() {
		t.Errorf(`view.DeviceProgressOf(0, "", time.Time{}): got %+v, want p.LastProgressAt.IsZero()`, p)
	}
}
