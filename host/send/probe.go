package send

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Wait is one wait before a request was sent.
type Wait struct {
	Source   string        // who waited
	Duration time.Duration // above zero
}

// SourceGovernor is the only source that a request path may have (RT-20).
const SourceGovernor = "governor"

// Probe counts who made one attempt wait before it was sent. The governor puts
// a fresh one into every attempt's context; a layer below it that waits has to
// report to it, and is thereby found (RT-20.3). Safe for concurrent use.
type Probe struct {
	mu    sync.Mutex
	waits []Wait
}

type probeKey struct{}

// ProbeFrom returns the probe of the attempt that ctx belongs to; nil outside
// of one.
func ProbeFrom(ctx context.Context) *Probe {
	p, _ := ctx.Value(probeKey{}).(*Probe)
	return p
}

func withProbe(ctx context.Context) (context.Context, *Probe) {
	p := new(Probe)
	return context.WithValue(ctx, probeKey{}, p), p
}

// Waited reports that source made the attempt wait for d. No wait is no source,
// and a wait that one source makes longer stays one. A nil Probe ignores it.
func (p *Probe) Waited(source string, d time.Duration) {
	if p == nil || d <= 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i := slices.IndexFunc(p.waits, func(w Wait) bool { return w.Source == source }); i >= 0 {
		p.waits[i].Duration += d
		return
	}
	p.waits = append(p.waits, Wait{source, d})
}

// Waits returns what was reported: one wait a source. Two are a defect.
func (p *Probe) Waits() []Wait {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.waits)
}
