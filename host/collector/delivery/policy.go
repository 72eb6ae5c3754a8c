package delivery

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/client"
)

// Policy bounds one execution (collector contract, section 3). A zero field
// takes the default.
type Policy struct {
	ClaimLimit     int           // rows claimed at a time; 4
	Lease          time.Duration // of a claimed row; 300 s, more than a request may take
	RequestTimeout time.Duration // 120 s
	Backoff        time.Duration // of the first retry; each further one waits as much longer; 30 s
	MaxBackoff     time.Duration // 15 min; what a host asks for in Retry-After is not bounded by it
	MaxAttempts    int64         // of what is refused for good, before it is given up; 5
	MaxDrain       time.Duration // of a drain before and after the scan; 120 s
	MaxIterations  int           // claims of such a drain; 10000
	MaxBatches     int64         // that one scan may enqueue; 10000
	MaxQueue       int64         // rows that may wait while a scan goes on; 10000
	MaxQueueBytes  int64         // that may wait at all: the scan ends, at a boundary or not; 8 GiB
	KeepRuns       int           // that have ended, in the lane's own history; 500
	BeatEvery      time.Duration // heartbeats while a scan goes on; 5 min
	BeatTimeout    time.Duration // of one heartbeat; 15 s
}

// OrDefault returns the policy with the default in each zero field.
func (p Policy) OrDefault() Policy {
	or(&p.ClaimLimit, 4)
	or(&p.Lease, 300*time.Second)
	or(&p.RequestTimeout, client.RequestTimeout)
	or(&p.Backoff, 30*time.Second)
	or(&p.MaxBackoff, 15*time.Minute)
	or(&p.MaxAttempts, 5)
	or(&p.MaxDrain, 120*time.Second)
	or(&p.MaxIterations, 10_000)
	or(&p.MaxBatches, 10_000)
	or(&p.MaxQueue, 10_000)
	or(&p.MaxQueueBytes, 8<<30)
	or(&p.KeepRuns, 500)
	or(&p.BeatEvery, 5*time.Minute)
	or(&p.BeatTimeout, 15*time.Second)
	return p
}

func or[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
