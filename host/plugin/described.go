package plugin

import (
	"bytes"
	"time"

	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// describedAt returns the clock and the randomness with which a guest describes
// itself: always the same, except that the second description differs in everything
// that the guest can observe. A module therefore cannot show one manifest for
// acceptance and another a week later.
func describedAt(again bool) guest.Determinism {
	at := guest.Determinism{Start: time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)}
	if again {
		at.Start = time.Date(2031, 10, 17, 13, 37, 42, 0, time.UTC)
		copy(at.Seed[:], bytes.Repeat([]byte{0xa5}, len(at.Seed)))
	}
	return at
}
