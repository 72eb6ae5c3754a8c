package trial

import (
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Clock is a test's time: a connector's and that of the provider before it. The zero
// Clock begins at sdktest.Epoch; it is safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	passed time.Duration
}

// Now returns the time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return sdktest.Epoch.Add(c.passed)
}

// Pass lets time pass.
func (c *Clock) Pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passed += d
}
