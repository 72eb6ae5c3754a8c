package guest

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/sys"
)

// Determinism makes what a guest does depend on its module and its answers
// alone. Its clocks stand at Start and move only by AnswerStep for each answer
// that wait hands out, and by what the guest sleeps; its randomness comes from
// Seed; and an answer is there once wait has handed it out and not before, for
// which wait blocks whatever its timeout.
type Determinism struct {
	Start time.Time `json:"start"`
	Seed  [32]byte  `json:"seed"`
	// Paced lets a sleep take its time, for a guest that waits for a provider.
	Paced bool `json:"paced,omitempty"`
}

// AnswerStep is how far the clocks of a deterministic guest move with each
// answer, so that what came first reads as earlier.
const AnswerStep = time.Millisecond

// spinReads is how often a guest may read clocks that do not move before they
// move by AnswerStep: one that waits for the time to pass by looking at it goes
// on. It is so many that no guest which merely stamps its records gets there
// between two answers of usual size.
const spinReads = 1 << 16

// firstNanotime is what the monotonic clock begins at. Go takes 0 for a clock
// that does not work.
const firstNanotime = int64(time.Second)

// fixed is the clock and the randomness of one deterministic instance. It
// belongs to the goroutine that runs the guest.
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
		random: rand.NewChaCha8(d.Seed), //nolint:gosec // to be repeatable is what it is for
	}
	s.requests.ordered = true
}

func (f *fixed) config(c wazero.ModuleConfig) wazero.ModuleConfig {
	return c.WithRandSource(f.random).WithWalltime(f.walltime, sys.ClockResolution(1)).WithNanotime(f.nanotime, sys.ClockResolution(1))
}

func (f *fixed) walltime() (sec int64, nsec int32) {
	f.read()
	now := f.start + f.elapsed
	return now / int64(time.Second), int32(now % int64(time.Second)) //nolint:gosec // below a thousand million
}

func (f *fixed) nanotime() int64 {
	f.read()
	return firstNanotime + f.elapsed
}

func (f *fixed) read() {
	if f.reads++; f.reads >= spinReads {
		f.advance(int64(AnswerStep))
	}
}

// advance moves the clocks by ns, up to the end of what they can show.
func (f *fixed) advance(ns int64) {
	f.reads = 0
	f.elapsed += max(0, min(ns, math.MaxInt64-max(f.start, firstNanotime)-f.elapsed))
}
