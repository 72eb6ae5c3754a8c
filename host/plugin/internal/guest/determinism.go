package guest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// Determinism makes a guest's behaviour depend only on its module and its answers. Its
// clocks stand at Start. They advance by AnswerStep for each answer that wait returns,
// and by the time that the guest sleeps. Its randomness comes from Seed. An answer is
// readable only after wait has returned it, and wait blocks for it whatever its
// timeout.
type Determinism struct {
	Start time.Time `json:"start"`
	Seed  [32]byte  `json:"seed"`
	// Paced makes a sleep take real time, for a guest that waits for a provider.
	Paced bool `json:"paced,omitempty"`
}

// AnswerStep is the advance of a deterministic guest's clocks with each answer, so
// that an earlier answer has an earlier time.
const AnswerStep = time.Millisecond

// spinReads is how often a guest may read clocks that stand still before they advance
// by AnswerStep, so that a guest that polls the clock makes progress. It is large
// enough that a guest that only stamps its records does not reach it between two
// answers of usual size.
const spinReads = 1 << 16

// firstNanotime is the initial value of the monotonic clock. Go takes 0 for a broken
// clock.
const firstNanotime = int64(time.Second)

// fixed is the clock and the randomness of one deterministic instance. Only the
// goroutine that runs the guest uses it.
type fixed struct {
	start, elapsed int64 // ns
	reads          int
	random         *rand.ChaCha8
	paced          bool
}

// Fix makes the session's guest deterministic. It must be called before the
// instance is made.
func (s *Session) Fix(d Determinism) {
	s.fixed = &fixed{
		start: d.Start.UnixNano(), paced: d.Paced,
		random: rand.NewChaCha8(d.Seed), //nolint:gosec // must be repeatable
	}
	s.requests.ordered = true
}

func (f *fixed) config(c wazero.ModuleConfig) wazero.ModuleConfig {
	return c.WithRandSource(f.random).WithWalltime(f.walltime, sys.ClockResolution(1)).WithNanotime(f.nanotime, sys.ClockResolution(1))
}

func (f *fixed) walltime() (sec int64, nsec int32) {
	f.countClockRead()
	now := f.start + f.elapsed
	return now / int64(time.Second), int32(now % int64(time.Second)) //nolint:gosec // below a thousand million
}

func (f *fixed) nanotime() int64 {
	f.countClockRead()
	return firstNanotime + f.elapsed
}

func (f *fixed) countClockRead() {
	if f.reads++; f.reads >= spinReads {
		f.advance(int64(AnswerStep))
	}
}

// advance advances the clocks by ns, up to the largest time that they can show.
func (f *fixed) advance(ns int64) {
	f.reads = 0
	f.elapsed += max(0, min(ns, math.MaxInt64-max(f.start, firstNanotime)-f.elapsed))
}
