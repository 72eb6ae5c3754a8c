package health

// facts is evidence prepared for the conditions: superseded and expired parts are
// removed, unknown words are read as unknown, and results that several conditions need
// are computed once.
type facts struct {
	*Evidence
	run       *Run     // nil unless a run ended
	backoff   *Backoff // nil when superseded; kept when expired
	waiting   bool     // there is a backoff that has not expired
	attention *Attention
	axes      Axes
	coverage  Coverage
	manual    bool
	byDevice  bool // the local-device collection verdict holds
	// observed is the observation time of a condition that has no better one.
	observed Instant
	// first is the raw text by which readiness is judged, and code its normalised
	// form; both are "" after a success, which is newer proof (HL-04.1).
	first, code Word
}

func newFacts(e *Evidence) facts {
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
		f.axes.Outbox = OutboxUnknown // idle contradicts undelivered work
	}
	f.coverage = Coverage{Axis: CoverageUnknown}
	if e.Coverage != nil {
		f.coverage = *e.Coverage
		f.coverage.Axis = f.axes.Coverage
	}
	f.byDevice = f.deviceVerdict()
	if !f.succeeded() {
		f.first = f.firstReason()
		f.code = Normalise(f.first)
	}
	return f
}

// axesOf reads the axes. An axis without evidence is unknown (Invariant 8), except
// attention and surface, where absence is the answer.
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

// firstReason returns the most significant reason: the run's, else that of a back-off
// in force, else that of the open request. A run's question is no reason: its answer is what the run
// goes on with.
func (f *facts) firstReason() Word {
	switch {
	case f.run != nil && f.run.ReasonCode != "":
		return f.run.ReasonCode
	case f.waiting && f.backoff.ReasonClass != "":
		return withoutPrefix(f.backoff.ReasonClass)
	case f.axes.Attention != AttentionNone && f.attention.ResponseContract != "response_required":
		return f.attention.ReasonCode
	}
	return ""
}

// rejection returns why the credentials are invalid: the first reason, else that of an
// earlier run after which no run signed in; "" if they are not known to be invalid.
func (f *facts) rejection() Word {
	switch {
	case CredentialShaped(f.code):
		return f.first
	case f.succeeded() || f.Credentials == nil:
		return ""
	}
	return f.Credentials.Rejected
}

// undelivered reports whether a device holds work that it is not known to be sending:
// work that it gave up, work that was leased and abandoned and, unless its outbox is
// active, any other work that it reported. A successful run is no evidence about that
// work (HL-14).
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

// deviceVerdict reports whether a device's own evidence proves a collection as a
// succeeded run would (HL-14). A run that ended takes precedence, and rejected
// credentials prevent the proof. An outbox with stuck work is not idle.
func (f *facts) deviceVerdict() bool {
	return f.LocalDeviceBacked && f.run == nil && f.axes.Outbox == OutboxIdle && f.axes.Coverage == CoverageComplete &&
		!f.coverage.RequiredButAccepted && f.axes.Freshness == FreshnessFresh && (f.Credentials == nil || f.Credentials.Rejected == "")
}
