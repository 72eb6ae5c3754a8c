package health

// facts is evidence as the conditions read it: superseded and expired parts
// taken out, unknown words read as unknown, and what several conditions need
// worked out once.
type facts struct {
	*Evidence
	run       *Run     // nil unless a run ended
	backoff   *Backoff // nil when superseded; kept when expired
	waiting   bool     // backoff is there and has not expired
	attention *Attention
	axes      Axes
	coverage  Coverage
	manual    bool
	byDevice  bool // the local-device collection verdict holds
	// observed is when a condition was observed that knows no better.
	observed Instant
	// first is the raw text that readiness is judged by, and code the same
	// normalised; both "" after a success, which is newer proof (HL-04.1).
	first, code Word
}

func read(e *Evidence) facts {
	f := facts{Evidence: e, backoff: e.Backoff, attention: e.Attention, manual: e.Refresh.ManualOnly(), observed: e.ObservedAt}
	if e.Run != nil && (e.Run.LatestStatus == RunSucceeded || e.Run.LatestStatus == RunFailed) {
		f.run = e.Run
		f.observed = firstKnown(e.ObservedAt, e.Run.LastSuccessAt)
	}
	if b := f.backoff; b != nil {
		if f.succeeded() && !b.RecordedAt.IsZero() && !f.run.LastSuccessAt.IsZero() && !f.run.LastSuccessAt.Before(b.RecordedAt.Time) {
			f.backoff = nil // a newer success of this generation (HL-04.1)
		} else {
			f.waiting = !expired(b.NextRunAt, e.ObservedAt)
		}
	}
	f.axes = axesOf(e)
	if f.axes.Outbox == OutboxIdle && f.undelivered() {
		f.axes.Outbox = OutboxUnknown // it cannot be both
	}
	f.coverage = Coverage{Axis: CoverageUnknown}
	if e.Coverage != nil {
		f.coverage = *e.Coverage
		f.coverage.Axis = f.axes.Coverage
	}
	f.byDevice = f.deviceVerdict()
	if !f.succeeded() {
		f.first = f.firstReason()
		f.code = normalise(f.first)
	}
	return f
}

// axesOf reads the axes. What nobody looked at is unknown (Invariant 8), but
// for attention and surface, whose absence is the answer.
func axesOf(e *Evidence) Axes {
	a := Axes{
		Attention: AttentionNone, Coverage: CoverageUnknown, Freshness: FreshnessUnknown, Outbox: OutboxUnknown, RemoteSurface: SurfaceNone,
	}
	if e.Attention != nil && !expired(e.Attention.ExpiresAt, e.ObservedAt) {
		a.Attention = e.Attention.Lifecycle.known()
	}
	if e.Coverage != nil {
		a.Coverage = e.Coverage.Axis.known()
	}
	if e.Freshness != nil {
		a.Freshness = e.Freshness.Axis.known()
	}
	if e.Outbox != nil {
		a.Outbox = e.Outbox.Axis.known()
	}
	if e.RemoteSurface != nil {
		a.RemoteSurface = e.RemoteSurface.Axis.known()
	}
	return a
}

func (f *facts) succeeded() bool { return f.run != nil && f.run.LatestStatus == RunSucceeded }

// firstReason is the most telling reason there is: the run's, else that of a
// back-off that still holds, else that of the open request.
func (f *facts) firstReason() Word {
	switch {
	case f.run != nil && f.run.ReasonCode != "":
		return f.run.ReasonCode
	case f.waiting && f.backoff.ReasonClass != "":
		return withoutPrefix(f.backoff.ReasonClass)
	case f.axes.Attention != AttentionNone:
		return f.attention.ReasonCode
	}
	return ""
}

// rejection is why the credentials are known to be no good: the first reason, else
// that of an earlier run since which nobody got in; "" when they are not.
func (f *facts) rejection() Word {
	switch {
	case credentialShaped(f.code):
		return f.first
	case f.succeeded() || f.Credentials == nil:
		return ""
	}
	return f.Credentials.Rejected
}

// undelivered reports whether a device holds work that it is not known to be sending:
// what it gave up, what was taken up and left lying and, unless it is at it, whatever
// else it told of. No run's success speaks for that (HL-14).
func (f *facts) undelivered() bool {
	o := f.Outbox
	switch {
	case !f.LocalDeviceBacked || o == nil:
		return false
	case o.Counts != nil && (positive(o.Counts.DeadLetter) || positive(o.Counts.StaleLeases)):
		return true
	}
	return f.axes.Outbox != OutboxActive && (o.Left || o.Counts.Stuck())
}

// deviceVerdict reports whether a device's own evidence proves a collection as
// a succeeded run would (HL-14). A run that ended decides instead, and credentials
// that were rejected keep the proof away. An outbox with any work stuck is not idle.
func (f *facts) deviceVerdict() bool {
	return f.LocalDeviceBacked && f.run == nil && f.axes.Outbox == OutboxIdle && f.axes.Coverage == CoverageComplete &&
		!f.coverage.RequiredButAccepted && f.axes.Freshness == FreshnessFresh && (f.Credentials == nil || f.Credentials.Rejected == "")
}
