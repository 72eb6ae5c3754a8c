package plugin

import "time"

// Limits bound one guest. Overrunning one ends it at once.
type Limits struct {
	MemoryBytes int64 // linear memory
	LogBytes    int64 // of log calls and of standard output and error, per run
	OutputBytes int64 // of everything else that it hands over, per run
	Run         time.Duration
	Describe    time.Duration // also initialization, before anything is granted
	Grace       time.Duration // from asking to stop to killing; at most MaxGrace
}

// MaxGrace is the longest time between a deadline and the kill (RT-09.2).
const MaxGrace = 3 * time.Second

// compileTime bounds compiling one module, which a module can be built to make
// slow.
const compileTime = 2 * time.Minute

// DefaultLimits are what a connector gets when nobody says otherwise.
func DefaultLimits() Limits {
	return Limits{
		MemoryBytes: 256 << 20, LogBytes: 1 << 20, OutputBytes: 16 << 30,
		Run: 4 * time.Hour, Describe: 5 * time.Second, Grace: 2 * time.Second,
	}
}

// withDefaults fills in what is not positive, and holds Grace to its bound.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	fill(&l.MemoryBytes, d.MemoryBytes)
	fill(&l.LogBytes, d.LogBytes)
	fill(&l.OutputBytes, d.OutputBytes)
	fill(&l.Run, d.Run)
	fill(&l.Describe, d.Describe)
	fill(&l.Grace, d.Grace)
	l.Grace = min(l.Grace, MaxGrace)
	l.MemoryBytes = min(l.MemoryBytes, 4<<30)
	return l
}

func fill[T ~int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
