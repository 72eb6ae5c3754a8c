package schedule

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock returns an instant of the tests' day.
func clock(text string) time.Time {
	t, err := time.Parse("15:04", text)
	if err != nil {
		panic(err)
	}
	return time.Date(2026, 5, 4, t.Hour(), t.Minute(), 0, 0, time.UTC)
}
