package plugin

import "time"

// Limits bound one guest. Exceeding one ends the guest at once.
type Limits struct {
	MemoryBytes int64 // linear memory
	LogBytes    int64 // of log calls and of standard output and error, per run
	OutputBytes int64 // of all other calls, per run
	Run         time.Duration
	Describe    time.Duration // includes initialization, before anything is granted
	Grace       time.Duration // from a stop request to the kill; at most MaxGrace
}

// MaxGrace is the longest time between a deadline and the kill (RT-09.2).
const MaxGrace = 3 * time.Second

// compileTime bounds the compilation of one module, which a hostile module can make
// slow.
const compileTime = 2 * time.Minute

// DefaultLimits returns the limits of a connector unless they are configured.
func DefaultLimits() Limits {
	return Limits{
		MemoryBytes: 256 << 20, LogBytes: 1 << 20, OutputBytes: 16 << 30,
		Run: 4 * time.Hour, Describe: 5 * time.Second, Grace: 2 * time.Second,
	}
}

// withDefaults replaces values that are not positive, and limits Grace.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	setDefault(&l.MemoryBytes, d.MemoryBytes)
	setDefault(&l.LogBytes, d.LogBytes)
	setDefault(&l.OutputBytes, d.OutputBytes)
	setDefault(&l.Run, d.Run)
	setDefault(&l.Describe, d.Describe)
	setDefault(&l.Grace, d.Grace)
	l.Grace = min(l.Grace, MaxGrace)
	l.MemoryBytes = min(l.MemoryBytes, 4<<30)
	return l
}

func setDefault[T ~int64](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}
