package stored

import (
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Moment holds facts that a stored document cannot hold: the time of the reading, and
// whether the running run is alive.
type Moment struct {
	Now health.Instant
	// RunAlive: the running run's lease is still held. A run without a holder was
	// interrupted, whatever the store says.
	RunAlive bool
	// HolderAlive: the process that began the running run still exists. Without
	// RunAlive it was suspended, or blocked, until its lease expired.
	HolderAlive bool
	// DiskFull: the store's disk is full, so an abandoned run may have ended without
	// recording how.
	DiskFull bool
	// Attended: the owner is at what the running run asks for, such as a page of its browser.
	Attended bool
}

// statusRunning is the store's status of a run that has not ended.
const statusRunning = "running"

// Running reports whether the newest run has not ended, according to the store.
func (s *Facts) Running() bool { return s.Latest != nil && s.Latest.Status == statusRunning }

// Evidence returns the meaning of the stored facts at a moment.
func (s *Facts) Evidence(m Moment) health.Evidence {
	e := health.Evidence{
		ObservedAt: m.Now, Run: s.run(m), Schedule: s.Schedule, Backoff: s.backoff(), Attention: s.attention(m), DetailGaps: s.detailGaps(),
		Credentials: s.credentials(), Projection: health.ProjectionEvidence{UnreliableSources: s.Unreadable}, Activity: &health.Activity{Active: s.Running() && m.RunAlive},
	}
	if e.DetailGaps.Unreadable {
		e.Projection.UnreliableSources = append(slices.Clone(s.Unreadable), "detail_gaps")
	}
	coverage := s.coverageWithDevice(m)
	e.Coverage = &coverage
	e.LocalDeviceBacked, e.Outbox = s.Device != nil, s.outbox(m)
	e.Freshness = &health.FreshnessResult{Axis: health.Freshness(s.freshness(m))}
	e.RemoteSurface = s.surface(m)
	if s.Manifest != nil {
		e.Refresh = s.Manifest.Refresh
	}
	return e
}

// NextChange returns the first instant after now at which the meaning of the facts
// changes without a new fact; the zero Instant if there is none. Two changes are not
// covered: ages in words change at midnight, and a running run ends by its holder.
func (s *Facts) NextChange(now health.Instant) health.Instant {
	var next health.Instant
	for _, at := range []health.Instant{s.freshFrom(), s.staleFrom(), s.backoffEnd(), s.nextHeartbeatChange(now), instantOf(s.AskingUntilUS)} {
		if !at.IsZero() && at.After(now.Time) && (next.IsZero() || at.Before(next.Time)) {
			next = at
		}
	}
	return next
}

// freshFrom returns the first instant at which data from the future becomes credible.
func (s *Facts) freshFrom() health.Instant {
	in := s.freshness(Moment{})
	captured := in.Captured()
	if captured.IsZero() || in.MaximumStaleness <= 0 {
		return health.Instant{}
	}
	return health.At(captured.Add(-in.MaximumStaleness))
}

// staleFrom returns the first instant at which fresh data is stale.
func (s *Facts) staleFrom() health.Instant {
	in := s.freshness(Moment{})
	captured := in.Captured()
	if captured.IsZero() || in.MaximumStaleness <= 0 {
		return health.Instant{}
	}
	return health.At(captured.Add(in.MaximumStaleness + time.Microsecond))
}

func (s *Facts) backoffEnd() health.Instant {
	if b := s.backoff(); b != nil {
		return b.NextRunAt
	}
	return health.Instant{}
}

// interrupted reports whether the newest run was abandoned by its holder.
func (s *Facts) interrupted(m Moment) bool { return s.Running() && !m.RunAlive }

// run returns the latest run that ended, or was abandoned, for a projection.
func (s *Facts) run(m Moment) *health.Run {
	r, settled := &health.Run{LastSuccessAt: s.Succeeded.ended()}, s.decidingRun()
	switch {
	case s.interrupted(m):
		r.LatestStatus, r.ReasonCode = health.RunFailed, health.Word(abi.ReasonHostRestarted)
		if m.HolderAlive {
			r.ReasonCode = health.Word(abi.ReasonFenced)
		}
	case settled == nil:
		return nil
	case settled.Status == health.Word(health.RunSucceeded):
		r.LatestStatus = health.RunSucceeded
	default:
		r.LatestStatus, r.ReasonCode = health.RunFailed, settled.Reason
	}
	if c := s.Credential; c != nil && r.LatestStatus == health.RunFailed && settled != nil && c.PutUS > settled.EndedUS &&
		health.CredentialShaped(health.Normalise(r.ReasonCode)) {
		// The owner has replaced the rejected credential, and the new one is not known
		// to be rejected (HL-02.2). The run failed nevertheless.
		r.ReasonCode = ""
	}
	r.HasDegradingGaps = s.degrading()
	return r
}

func (r *Run) ended() health.Instant {
	if r == nil {
		return health.Instant{}
	}
	return instantOf(r.EndedUS)
}

// runEvidence returns the latest run's evidence about coverage; nil if none ended.
func (s *Facts) runEvidence(m Moment) *health.RunEvidence {
	switch {
	case s.interrupted(m):
		return &health.RunEvidence{Status: "abandoned", KnownGaps: append(s.knownGaps(), s.faultGaps()...)}
	case s.decidingRun() == nil:
		return nil
	}
	return &health.RunEvidence{Status: s.Settled.Status, KnownGaps: append(s.knownGaps(), s.faultGaps()...), Missed: s.Settled.Missed}
}

// knownGaps returns the gaps of the streams that can still be collected.
func (s *Facts) knownGaps() []health.KnownGap {
	gaps := slices.DeleteFunc(slices.Clone(s.KnownGaps), func(g health.KnownGap) bool { return s.Unread.settles(&g) })
	for i := range s.RejectedRecords {
		gaps = append(gaps, s.RejectedRecords[i].knownGap())
	}
	if s.Unread != nil && s.Unread.Count > 0 {
		gaps = append(gaps, s.Unread.knownGap())
	}
	if len(s.notWhole()) > 0 {
		gaps = append(gaps, health.KnownGap{Kind: notWhole, Severity: "actionable", RecoveryAction: "manual_action_required"})
	}
	s.beside(gaps)
	return slices.DeleteFunc(gaps, func(g health.KnownGap) bool { return !s.Collectable(g.Stream) })
}

// backoff returns the delay of the next run: a provider's earliest time for a request,
// or the scheduler's, whichever is later. Pressure is not a failure and never exhausts
// the retries; a scheduler that has given up does not wait for a time.
func (s *Facts) backoff() *health.Backoff {
	var b *health.Backoff
	if p := s.Pressure; p != nil && p.NextAttemptUS != 0 && !s.resolvedBySuccess(p.AtUS) {
		b = &health.Backoff{NextRunAt: instantOf(p.NextAttemptUS), ReasonClass: p.Reason, RecordedAt: s.afterSuccess(p.AtUS)}
	}
	switch h := s.Hold; {
	case h == nil, s.resolvedBySuccess(h.AtUS):
	case h.Kind == HeldForGood:
		return &health.Backoff{ConsecutiveFailures: health.ExhaustedAfter, RecordedAt: s.afterSuccess(h.AtUS)}
	case h.Kind == HeldUntil && (b == nil || b.NextRunAt.Before(instantOf(h.UntilUS).Time)):
		b = &health.Backoff{NextRunAt: instantOf(h.UntilUS), RecordedAt: s.afterSuccess(h.AtUS)}
		if h.Reason == sourcePressure { // any other reason is the run's own
			b.ReasonClass = h.Reason
		}
	}
	return b
}

// resolvedBySuccess reports whether the settled run is a success that ended after us. One delay
// must not hide another that has ended (HL-04.1).
func (s *Facts) resolvedBySuccess(us int64) bool {
	run := s.decidingRun()
	return run != nil && run.Status == health.Word(health.RunSucceeded) && run.EndedUS > us
}

// afterSuccess returns the time of a fact recorded with the end of a run or after it, moved
// past a success that ended at the same microsecond: the run that caused the fact does
// not resolve it (HL-04.2).
func (s *Facts) afterSuccess(us int64) health.Instant {
	if s.Succeeded != nil && s.Succeeded.EndedUS == us {
		us++
	}
	return instantOf(us)
}

// sourcePressure is the scheduler's word for a source that asked for fewer requests.
const sourcePressure = "source_pressure"

// detailGaps returns the counts of the open gaps.
func (s *Facts) detailGaps() *health.DetailGaps {
	g := &s.Gaps
	b := &health.Backlog{MaxAttemptCount: g.MaxAttempts, NextAttemptAt: instantOf(g.NextAttemptUS)}
	b.Pending, b.PendingOther = g.Open()
	recovered := g.Recovered
	b.Recovered = &recovered
	return &health.DetailGaps{Counted: b, Unreadable: b.Pending < 0 || b.PendingOther < 0 || recovered < 0}
}

func (s *Facts) freshness(m Moment) health.FreshnessInput {
	in := health.FreshnessInput{Now: m.Now, LastSuccessAt: s.RefreshedAt()}
	if s.Manifest != nil {
		in.MaximumStaleness = time.Duration(s.Manifest.MaximumStalenessS) * time.Second
	}
	if s.Device != nil && s.Settled == nil {
		in.LocalDeviceBacked, in.HeartbeatAt = true, s.drainedAt()
	}
	return in
}

// instantOf returns the instant of a stored time; none for 0.
func instantOf(us int64) health.Instant {
	if us == 0 {
		return health.Instant{}
	}
	return health.At(time.UnixMicro(us).UTC())
}
