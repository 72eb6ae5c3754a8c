package api

import (
	"context"
	"sync"
	"time"
)

// How many requests may run at once. A collector sends one after another, so that
// who needs more than a few is broken or hostile.
const (
	mostInAll    = 32
	mostOfDevice = 4 // and of all who have no credential
	// A body that is nothing but small values costs some 200 MB while it is read.
	mostHeavy = 4
)

// nobody is who has no credential yet, among the devices.
const nobody = ""

// heavyWait is how long a body that was sent may wait for its turn: refused at
// once it would be sent again for nothing.
const heavyWait = 10 * time.Second

// slots counts the requests that run. A caller that finds no slot comes again.
type slots struct {
	heavy chan struct{}

	mu      sync.Mutex
	all     int
	devices map[string]int
}

func newSlots() *slots {
	return &slots{heavy: make(chan struct{}, mostHeavy), devices: map[string]int{}}
}

// take counts one request; false when there are too many. A request that was
// counted is given back once.
func (s *slots) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all >= mostInAll {
		return false
	}
	s.all++
	return true
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
}

// takeHeavy waits for its turn; false when it did not come.
func (s *slots) takeHeavy(ctx context.Context) bool {
	limit := time.NewTimer(heavyWait)
	defer limit.Stop()
	select {
	case s.heavy <- struct{}{}:
		return true
	case <-limit.C:
	case <-ctx.Done():
	}
	return false
}

func (s *slots) giveHeavy() { <-s.heavy }

func (s *slots) takeDevice(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.devices[id] >= mostOfDevice {
		return false
	}
	s.devices[id]++
	return true
}

func (s *slots) giveDevice(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.devices[id]--; s.devices[id] == 0 {
		delete(s.devices, id) // the map holds only who is being answered
	}
}
