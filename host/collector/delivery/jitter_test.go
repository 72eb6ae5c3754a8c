package delivery

import (
	"testing"
	"time"
)

// Jitter spreads the retries, and only those that the host did not time itself.
func TestJitter(t *testing.T) {
	t.Parallel()
	d := &Deliverer{Policy: Policy{}.OrDefault(), Random: func() float64 { return 0.5 }}
	if got := d.backoff(1); got != 63*time.Second {
		t.Errorf("%v", got)
	}
	d.Random = func() float64 { return 0 }
	if got := d.backoff(1 << 60); got != 15*time.Minute {
		t.Errorf("%v", got)
	}
}
