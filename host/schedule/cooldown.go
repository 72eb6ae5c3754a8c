package schedule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The cooldown's figures (governor contract, section 10).
const (
	cooldownCap       = 6 * time.Hour
	cooldownShift     = 6             // 2^6 at most
	pressureStale     = 6 * time.Hour // older evidence says nothing any more
	defaultCycles     = 12
	mostCycles        = 24
	defaultInterval   = 6 * time.Hour // of a connector that recommends none
	cooldownAwaits    = "cooling_off"
	cooldownEscalated = "needs_attention"
)

// Gap is one piece of evidence of source pressure: a pending detail gap, or the
// record that a run left which ended with <name>_rate_limited and no gap
// (RT-23.1).
type Gap struct {
	Reason           abi.Reason
	Class            abi.Reason // of the gap's error; "" when it has none
	AttemptCount     int64
	LastAttemptAt    time.Time
	UpdatedAt        time.Time // stands for LastAttemptAt where that is zero
	NextAttemptAfter time.Time // what the provider said; zero: nothing
}

func (g *Gap) at() time.Time {
	if !g.LastAttemptAt.IsZero() {
		return g.LastAttemptAt
	}
	return g.UpdatedAt
}

// arms reports whether the gap is the provider's doing. A budget or a run cap
// is the host's own plan, whatever its gap is called (RT-17.1, RT-24.1).
func (g *Gap) arms() bool {
	return g.Reason.IsSourcePressure() && !g.Class.Has(abi.BudgetExhaustion) && !g.Class.Has(abi.RunCap)
}

// CooldownInput is what a cooldown is made of: one connection's evidence.
type CooldownInput struct {
	Gaps      []Gap         // pending ones; those that are not about pressure do not count
	Run       *Gap          // the connection's own record, read like a gap; nil: none
	LastRunAt time.Time     // stands in for evidence that has no instant
	Base      time.Duration // the connection's interval; 0: the default
	Floor     time.Duration // no shorter wait than this
	MaxCycles int64         // refresh_policy.max_cooldown_cycles; 0: the default
	Force     bool          // the owner said to run in spite of it
}

// Cooldown is what the pressure says of a connection with that setting and
// policy, whose last run ended at lastRun: the same for a run by schedule and for
// one by hand.
func (p Pressure) Cooldown(s Setting, policy *abi.RefreshPolicy, lastRun time.Time) CooldownInput {
	in := CooldownInput{Gaps: p.Gaps, Run: p.Run, LastRunAt: lastRun}
	in.Base, in.Floor = Interval(s, policy)
	if policy != nil && policy.MaxCooldownCycles != nil {
		in.MaxCycles = *policy.MaxCooldownCycles
	}
	return in
}

// Cooling says why an automatic run is put off.
type Cooling struct {
	Reasons []abi.Reason // sorted, each once
	Gaps    int
	Attempt int64
	// Escalated: it went on for so many cycles that the owner should look. That
	// changes what they are shown, and not when it runs.
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

// State is the health state to recommend.
func (c Cooling) State() string {
	if c.Escalated {
		return cooldownEscalated
	}
	return cooldownAwaits
}

// Cooldown returns until when source pressure puts off the next automatic run,
// and why; the zero time when it does not. The wait doubles with the attempts,
// up to six hours; a later instant that the provider named wins.
func Cooldown(in CooldownInput, now time.Time) (until time.Time, why Cooling) {
	if in.Force {
		return time.Time{}, Cooling{}
	}
	believed := max(pressureStale, in.Floor)
	var anchor, named time.Time
	count := func(g *Gap) {
		at := g.at()
		if at.IsZero() {
			at = in.LastRunAt
		}
		age := now.Sub(at)
		// Evidence from the future is of a clock that was put back since.
		if !g.arms() || age < -believed || age > believed && !g.NextAttemptAfter.After(now) {
			return
		}
		why.Gaps++
		why.Attempt = max(why.Attempt, g.AttemptCount)
		if !slices.Contains(why.Reasons, g.Reason) {
			why.Reasons = append(why.Reasons, g.Reason)
		}
		anchor, named = later(anchor, at), later(named, g.NextAttemptAfter)
	}
	for i := range in.Gaps {
		count(&in.Gaps[i])
	}
	if in.Run != nil {
		count(in.Run)
	}
	if !anchor.IsZero() {
		until = anchor.Add(max(doubled(orDefault(in.Base), why.Attempt, cooldownShift, cooldownCap), in.Floor))
	}
	if until = later(until, named); !until.After(now) {
		return time.Time{}, Cooling{}
	}
	slices.Sort(why.Reasons)
	why.Escalated = why.Attempt >= cycles(in.MaxCycles)
	return until, why
}

func cycles(declared int64) int64 {
	if declared <= 0 {
		return defaultCycles
	}
	return min(declared, mostCycles)
}

// doubled is base, doubled n times but no more than top times, and at most limit.
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
