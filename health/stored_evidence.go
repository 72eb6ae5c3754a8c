package health

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Moment is what a stored document cannot say itself: when it is looked at, and
// whether the run that it has as running is.
type Moment struct {
	Now Instant
	// RunAlive: somebody still holds the running run's lease. A run whose holder
	// is gone was interrupted, whatever the store says of it.
	RunAlive bool
	// HolderAlive: the process that began the running run is still there. Without
	// RunAlive it was suspended, or stood still, until its lease ran out.
	HolderAlive bool
	// DiskFull: the disk that holds the store takes nothing more, so that a run which
	// was left behind may have ended without being able to say how.
	DiskFull bool
}

// statusRunning is the status of a run that has not ended, as the store has it.
const statusRunning = "running"

// Running reports whether the newest run has not ended, as far as the store
// knows.
func (s *Stored) Running() bool { return s.Latest != nil && s.Latest.Status == statusRunning }

// Evidence returns what the stored facts say at a moment.
func (s *Stored) Evidence(m Moment) Evidence {
	e := Evidence{
		ObservedAt: m.Now, Run: s.run(m), Schedule: s.Schedule, Backoff: s.backoff(), Attention: s.attention(m), DetailGaps: s.detailGaps(),
		Credentials: s.credentials(), Projection: ProjectionEvidence{UnreliableSources: s.Unreadable}, Activity: &Activity{Active: s.Running() && m.RunAlive},
	}
	if e.DetailGaps.Unreadable {
		e.Projection.UnreliableSources = append(slices.Clone(s.Unreadable), "detail_gaps")
	}
	coverage := s.covered(m)
	e.Coverage = &coverage
	e.LocalDeviceBacked, e.Outbox = s.Device != nil, s.outbox(m)
	e.Freshness = &FreshnessResult{Axis: Freshness(s.freshness(m))}
	if s.Manifest != nil {
		e.Refresh = s.Manifest.Refresh
	}
	return e
}

// NextChange is the first instant after now at which time alone changes what
// the facts say; the zero Instant when none does. Ages in words change at
// midnight besides, and a running run is its holder's to end.
func (s *Stored) NextChange(now Instant) Instant {
	var next Instant
	for _, at := range []Instant{s.freshFrom(), s.staleFrom(), s.backoffEnd(), s.quietFrom(now)} {
		if !at.IsZero() && at.After(now.Time) && (next.IsZero() || at.Before(next.Time)) {
			next = at
		}
	}
	return next
}

// freshFrom is the first instant from which data of the future is near enough to
// be believed.
func (s *Stored) freshFrom() Instant {
	in := s.freshness(Moment{})
	captured := in.captured()
	if captured.IsZero() || in.MaximumStaleness <= 0 {
		return Instant{}
	}
	return At(captured.Add(-in.MaximumStaleness))
}

// staleFrom is the first instant at which fresh data is not fresh any more.
func (s *Stored) staleFrom() Instant {
	in := s.freshness(Moment{})
	captured := in.captured()
	if captured.IsZero() || in.MaximumStaleness <= 0 {
		return Instant{}
	}
	return At(captured.Add(in.MaximumStaleness + time.Microsecond))
}

func (s *Stored) backoffEnd() Instant {
	if b := s.backoff(); b != nil {
		return b.NextRunAt
	}
	return Instant{}
}

// interrupted reports whether the newest run was left behind by its holder.
func (s *Stored) interrupted(m Moment) bool { return s.Running() && !m.RunAlive }

// run is the latest run that ended, or was left behind, as a projection reads it.
func (s *Stored) run(m Moment) *Run {
	r, settled := &Run{LastSuccessAt: s.Succeeded.ended()}, s.settled()
	switch {
	case s.interrupted(m):
		r.LatestStatus, r.ReasonCode = RunFailed, Word(abi.ReasonHostRestarted)
		if m.HolderAlive {
			r.ReasonCode = Word(abi.ReasonFenced)
		}
	case settled == nil:
		return nil
	case settled.Status == Word(RunSucceeded):
		r.LatestStatus = RunSucceeded
	default:
		r.LatestStatus, r.ReasonCode = RunFailed, settled.Reason
	}
	if c := s.Credential; c != nil && r.LatestStatus == RunFailed && settled != nil && c.PutUS > settled.EndedUS &&
		credentialShaped(normalise(r.ReasonCode)) {
		// The owner has replaced what was rejected: that it is rejected is not
		// known of the new one (HL-02.2). The run failed all the same.
		r.ReasonCode = ""
	}
	r.HasDegradingGaps = s.degrading()
	return r
}

func (r *StoredRun) ended() Instant {
	if r == nil {
		return Instant{}
	}
	return instantOf(r.EndedUS)
}

// runEvidence is what the latest run says about coverage; nil when none ended.
func (s *Stored) runEvidence(m Moment) *RunEvidence {
	switch {
	case s.interrupted(m):
		return &RunEvidence{Status: "abandoned", KnownGaps: append(s.knownGaps(), s.faulty()...)}
	case s.settled() == nil:
		return nil
	}
	return &RunEvidence{Status: s.Settled.Status, KnownGaps: append(s.knownGaps(), s.faulty()...), Missed: s.Settled.Missed}
}

// knownGaps are those of what there is still to collect.
func (s *Stored) knownGaps() []KnownGap {
	gaps := slices.Clone(s.KnownGaps)
	for i := range s.RejectedRecords {
		gaps = append(gaps, s.RejectedRecords[i].gap())
	}
	return slices.DeleteFunc(gaps, func(g KnownGap) bool { return !s.Collectable(g.Stream) })
}

// backoff is what delays the next run: a provider that named the time before
// which it takes no request, or the scheduler, of which the later counts.
// Pressure is no failure and never exhausts anything; a scheduler that has given
// up is nothing that a time ends.
func (s *Stored) backoff() *Backoff {
	var b *Backoff
	if p := s.Pressure; p != nil && p.NextAttemptUS != 0 && !s.answered(p.AtUS) {
		b = &Backoff{NextRunAt: instantOf(p.NextAttemptUS), ReasonClass: p.Reason, RecordedAt: s.behind(p.AtUS)}
	}
	switch h := s.Hold; {
	case h == nil, s.answered(h.AtUS):
	case h.Kind == HeldForGood:
		return &Backoff{ConsecutiveFailures: exhaustedAfter, RecordedAt: s.behind(h.AtUS)}
	case h.Kind == HeldUntil && (b == nil || b.NextRunAt.Before(instantOf(h.UntilUS).Time)):
		b = &Backoff{NextRunAt: instantOf(h.UntilUS), RecordedAt: s.behind(h.AtUS)}
		if h.Reason == sourcePressure { // any other is the run's own
			b.ReasonClass = h.Reason
		}
	}
	return b
}

// answered reports whether the settled run is a success from after that time. One
// delay must not hide behind another that is over (HL-04.1).
func (s *Stored) answered(us int64) bool {
	run := s.settled()
	return run != nil && run.Status == Word(RunSucceeded) && run.EndedUS > us
}

// behind is the time of something that was kept with the end of a run or after it:
// that run, which met it, is no answer to it (HL-04.2).
func (s *Stored) behind(us int64) Instant {
	if s.Succeeded != nil && s.Succeeded.EndedUS == us {
		us++
	}
	return instantOf(us)
}

// sourcePressure is the scheduler's word for a source that asked for less.
const sourcePressure = "source_pressure"

// detailGaps are the open gaps, counted.
func (s *Stored) detailGaps() *DetailGaps {
	g := &s.Gaps
	b := &Backlog{MaxAttemptCount: g.MaxAttempts, NextAttemptAt: instantOf(g.NextAttemptUS)}
	b.Pending, b.PendingOther = g.Open()
	recovered := g.Recovered
	b.Recovered = &recovered
	return &DetailGaps{Counted: b, Unreadable: b.Pending < 0 || b.PendingOther < 0 || recovered < 0}
}

func (s *Stored) freshness(m Moment) FreshnessInput {
	in := FreshnessInput{Now: m.Now, LastSuccessAt: s.RefreshedAt()}
	if s.Manifest != nil {
		in.MaximumStaleness = time.Duration(s.Manifest.MaximumStalenessS) * time.Second
	}
	if s.Device != nil && s.Settled == nil {
		in.LocalDeviceBacked, in.HeartbeatAt = true, s.drainedAt()
	}
	return in
}

// instantOf is the instant of a stored time; none for 0.
func instantOf(us int64) Instant {
	if us == 0 {
		return Instant{}
	}
	return At(time.UnixMicro(us).UTC())
}
