package owner

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A change of nothing changes nothing, and an interval of nothing is no interval.
func TestScheduleChange(t *testing.T) {
	t.Parallel()
	before := storage.Schedule{Mode: string(schedule.Automatic), Every: time.Hour}
	if s, err := (ScheduleChange{}).change(before); err != nil || s != before {
		t.Errorf("no change: %+v, %v, want %+v", s, err, before)
	}
	automatic := schedule.Automatic
	if _, err := (ScheduleChange{Mode: &automatic}).change(before); err == nil {
		t.Error("an interval of 0s was taken, want an error")
	}
}
