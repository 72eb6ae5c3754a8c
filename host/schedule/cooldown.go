package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The parameters of the cooldown (governor contract, section 10).
const (
	cooldownCap       = 6 * time.Hour
	cooldownShift     = 6             // 2^6 at most
	pressureStale     = 6 * time.Hour // older evidence is ignored
	defaultCycles     = 12
	mostCycles        = 24
	defaultInterval   = 6 * time.Hour // of a connector that recommends none
	cooldownAwaits    = "cooling_off"
	cooldownEscalated = "needs_attention"
)

// Gap is one piece of evidence of source pressure: a pending detail gap, or the record
// of a run that ended with <name>_rate_limited and no gap (RT-23.1).
type Gap struct {
	Reason           abi.Reason
	Class            abi.Reason // the class of the gap's error; "" if it has none
	AttemptCount     int64
	LastAttemptAt    time.Time
	UpdatedAt        time.Time // replaces a zero LastAttemptAt
	NextAttemptAfter time.Time // the provider's time; zero: none
}

func (g *Gap) time() time.Time {
	if !g.LastAttemptAt.IsZero() {
		return g.LastAttemptAt
	}
	return g.UpdatedAt
}

// since returns the evidence as of when the clock went back, where it comes from a time that
// this clock has yet to reach: how long ago that was nobody knows, so the wait begins anew
// there, and the provider's own time with it.
func (g *Gap) since(back, now time.Time) *Gap {
	at := g.time()
	if back.IsZero() || !at.After(now) {
		return g
	}
	moved := *g
	moved.LastAttemptAt = back
	if !g.NextAttemptAfter.IsZero() {
		moved.NextAttemptAfter = back.Add(g.NextAttemptAfter.Sub(at))
	}
	return &moved
}

// arms reports whether the provider caused the gap. A budget or a run cap is the
// host's own plan, whatever the gap's reason (RT-17.1, RT-24.1).
func (g *Gap) arms() bool {
	return g.Reason.IsSourcePressure() && !g.Class.Has(abi.BudgetExhaustion) && !g.Class.Has(abi.RunCap)
}

// CooldownInput is the evidence for one connection's cooldown.
type CooldownInput struct {
	Gaps      []Gap         // pending ones; those without pressure are ignored
	Run       *Gap          // the connection's own record, read like a gap; nil: none
	Pause     *Gap          // what a run learned and may not have lived to end with: it waits until its time and no longer; nil: none
	LastRunAt time.Time     // replaces the time of evidence that has none
	Base      time.Duration // the connection's interval; 0: the default
	Floor     time.Duration // the shortest wait
	MaxCycles int64         // refresh_policy.max_cooldown_cycles; 0: the default
	ClockBack time.Time     // when the clock went back; zero: it did not
	Force     bool          // the owner runs it nevertheless
}

// Cooldown returns the input for a connection with that setting and policy, whose last
// run ended at lastRun. Scheduled and manual runs use the same input.
func (p Pressure) Cooldown(s Setting, policy *abi.RefreshPolicy, lastRun time.Time) CooldownInput {
	in := CooldownInput{Gaps: p.Gaps, Run: p.Run, Pause: p.Pause, LastRunAt: lastRun, ClockBack: p.ClockBack}
	in.Base, in.Floor = Interval(s, policy)
	if policy != nil && policy.MaxCooldownCycles != nil {
		in.MaxCycles = *policy.MaxCooldownCycles
	}
	return in
}

// Cooling is why an automatic run is delayed.
type Cooling struct {
	Reasons []abi.Reason // sorted, each once
	Gaps    int
	Attempt int64
	// Escalated: it has lasted so many cycles that the owner should look. That changes
	// the display and not the schedule.
	Escalated bool
}

// Identity is equal for two records of the same cooldown.
func (c Cooling) Identity() string {
	words := make([]string, len(c.Reasons))
	for i, r := range c.Reasons {
		words[i] = string(r)
	}
	return fmt.Sprintf("%s/%d/%d", strings.Join(words, ","), c.Gaps, c.Attempt)
}

// State returns the recommended health state.
func (c Cooling) State() string {
	if c.Escalated {
		return cooldownEscalated
	}
	return cooldownAwaits
}

// Cooldown returns the time until which source pressure delays the next automatic run,
// and why; the zero time if it does not. The wait doubles with the attempts, up to six
// hours; a later time from the provider takes precedence.
func Cooldown(in CooldownInput, now time.Time) (until time.Time, why Cooling) {
	if in.Force {
		return time.Time{}, Cooling{}
	}
	believed := max(pressureStale, in.Floor)
	var anchor, named time.Time
	blame := func(reason abi.Reason) {
		if !slices.Contains(why.Reasons, reason) {
			why.Reasons = append(why.Reasons, reason)
		}
	}
	count := func(g *Gap) {
		g = g.since(in.ClockBack, now)
		at := g.time()
		if at.IsZero() {
			at = in.LastRunAt
		}
		age := now.Sub(at)
		// Evidence from the future means that the clock was set back since, before anything
		// noticed it.
		if !g.arms() || age < -believed || age > believed && !g.NextAttemptAfter.After(now) {
			return
		}
		why.Gaps++
		why.Attempt = max(why.Attempt, g.AttemptCount)
		blame(g.Reason)
		anchor, named = later(anchor, at), later(named, g.NextAttemptAfter)
	}
	for i := range in.Gaps {
		count(&in.Gaps[i])
	}
	if in.Run != nil {
		count(in.Run)
	}
	if in.Pause != nil {
		if p := in.Pause.since(in.ClockBack, now); p.NextAttemptAfter.After(now) && now.Sub(p.time()) >= -believed {
			blame(p.Reason)
			named = later(named, p.NextAttemptAfter)
		}
	}
	if !anchor.IsZero() {
		until = anchor.Add(max(doubled(orDefault(in.Base), why.Attempt, cooldownShift, cooldownCap), in.Floor))
	}
	if until = later(until, named); !until.After(now) {
		return time.Time{}, Cooling{}
	}
	slices.Sort(why.Reasons)
	why.Escalated = why.Attempt >= maxCycles(in.MaxCycles)
	return until, why
}

func maxCycles(declared int64) int64 {
	if declared <= 0 {
		return defaultCycles
	}
	return min(declared, mostCycles)
}

// doubled returns base, doubled n times but at most top times, and at most limit.
func doubled(base time.Duration, n, top int64, limit time.Duration) time.Duration {
	for range max(0, min(n, top)) {
		if base >= limit {
			break
		}
		base *= 2
	}
	return min(base, limit)
}

func orDefault(interval time.Duration) time.Duration {
	if interval <= 0 {
		return defaultInterval
	}
	return interval
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
