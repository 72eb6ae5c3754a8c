package plugin

import (
	"bytes"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// describedAt is when a guest describes itself, and with which randomness: always the
// same, and the second time another one in everything that it can tell, so that a
// module which says one thing to whoever accepts it and another a week later does
// neither.
func describedAt(again bool) guest.Determinism {
	at := guest.Determinism{Start: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	if again {
		at.Start = time.Date(2031, 10, 17, 13, 37, 42, 0, time.UTC)
		copy(at.Seed[:], bytes.Repeat([]byte{0xa5}, len(at.Seed)))
	}
	return at
}
