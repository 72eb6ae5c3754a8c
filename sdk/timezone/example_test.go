package timezone_test

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/timezone"
)

// A calendar says nine o'clock in a zone of Windows.
func ExampleLookup() {
	zone := timezone.Lookup("W. Europe Standard Time")
	wall := time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC)
	if at, ok := zone.Instant(wall.Unix()); ok {
		fmt.Println(time.Unix(at, 0).UTC())
	}
	// Output: 2026-07-01 07:00:00 +0000 UTC
}
