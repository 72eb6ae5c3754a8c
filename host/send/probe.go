package send

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Wait is one wait before a request was sent.
type Wait struct {
	Source   string        // the layer that waited
	Duration time.Duration // above zero
}

// SourceGovernor is the only allowed source of a wait in a request path (RT-20).
const SourceGovernor = "governor"

// Probe counts the sources that delayed one attempt before it was sent. The governor
// puts a new one into every attempt's context. A layer below it that waits has to
// report to it, which reveals the second wait (RT-20.3). Safe for concurrent use.
type Probe struct {
	mu    sync.Mutex
	waits []Wait
}

type probeKey struct{}

// ProbeFrom returns the probe of the attempt to which ctx belongs; nil outside an
// attempt.
func ProbeFrom(ctx context.Context) *Probe {
	p, _ := ctx.Value(probeKey{}).(*Probe)
	return p
}

func withProbe(ctx context.Context) (context.Context, *Probe) {
	p := new(Probe)
	return context.WithValue(ctx, probeKey{}, p), p
}

// Waited reports that source delayed the attempt by d. A zero wait is ignored, and
// repeated waits of one source count as one. A nil Probe ignores the call.
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

// Waits returns the reported waits, one for each source. More than one is a defect.
func (p *Probe) Waits() []Wait {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.waits)
}
