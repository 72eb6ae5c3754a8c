package verdict

import "github.com/pdpp-host/pdpp-host/health"

// builder collects a connection's actions.
type builder struct {
	in      *Input
	streams []StreamRow
	d       health.Disposition
	actions *[]RequiredAction // not the slice itself: what keeps that would keep the input with it
}

// requiredActions says what there is to do, the primary action first.
func requiredActions(in *Input, streams []StreamRow, d health.Disposition, tone Tone) []RequiredAction {
	actions := []RequiredAction{}
	b := &builder{in: in, streams: streams, d: d, actions: &actions}
	b.blocked()
	b.paused()
	b.refresh()
	b.gaps()
	if tone == Red && !b.someoneActs() {
		b.last()
	}
	b.optional()
	SortActions(actions)
	return actions
}

// blocked adds what stands in collection's way: each of the owner's own steps,
// and the maintainer's where the owner has none.
func (b *builder) blocked() {
	in := b.in
	if in.deserted() {
		a := b.add(AddInfo, nil) // whatever else there is to do, there is nobody to do it for
		a.Reason, a.CTA, a.CTACode = noDevice, ctaEnroll.text(), ctaEnroll.code()
		return
	}
	rejected := in.rejected()
	if b.d == health.DispositionTerminal && !rejected {
		b.add(CodeFix, withDisposition(b.streams, health.DispositionTerminal))
	}
	if in.asked() && (!rejected || in.refused()) {
		// Before the credential, of which only a run tells whether it is good by now.
		b.answer()
	}
	if rejected {
		a := b.add(Reauth, nil)
		if a.Reason = in.condition(health.CredentialsValid).Reason; in.FirstSignIn || a.Reason == credentialRequired {
			a.CTA, a.CTACode = ctaSignIn.text(), ctaSignIn.code()
		}
	}
	if in.stalled() {
		// Whatever else there is to do: only this step moves the saved records
		// (HL-23.6).
		a, why := b.add(AddInfo, nil), in.stall()
		a.Reason, a.Remediation = why.reason, remediation(why.recovery)
		a.CTA, a.CTACode = why.recovery.cta.text(), why.recovery.cta.code()
	}
}

// answer asks for what the connection, or its run, waits for.
func (b *builder) answer() {
	a := b.add(AddInfo, nil)
	if c := b.in.condition(health.AttentionClear); c != nil && c.Status == health.False {
		a.Reason = c.Reason
	}
	if run := b.in.waitingRun(); run != "" {
		a.Target = &Target{Kind: "sync", RunID: run}
	} else {
		l := heldFor(a.Reason).cta
		a.CTA, a.CTACode = l.text(), l.code()
	}
}

// credentialRequired is the reason of a connection that nothing is stored for to
// sign in with.
const credentialRequired health.Word = "credential_required" //nolint:gosec // the name of a reason, no credential

// paused asks for the schedule again, where it brought something once or something
// is missing: under a pause nothing comes by itself.
func (b *builder) paused() {
	if !b.in.scheduleIs(ScheduleDisabled) || len(*b.actions) > 0 {
		return
	}
	whole := b.d == health.DispositionComplete && b.in.Snapshot.Axes.Freshness == health.FreshnessFresh && len(b.resumable()) == 0
	if b.in.Schedule.HasPriorSuccess || !whole {
		b.add(ReattachSchedule, nil)
	}
}

// refresh asks for a run of the owner's where no other brings the data up to date:
// of a connector that is the owner's to run, whatever else there is to do, and of
// one that nothing happens to run.
func (b *builder) refresh() {
	in := b.in
	switch {
	case in.scheduleIs(ScheduleDisabled), in.coolsDown():
		return
	case b.d == health.DispositionOwnerRefreshDue && in.Refresh.ManualOnly():
	case len(*b.actions) > 0 || !in.leftAlone(b.d):
		return
	}
	if a := b.add(RefreshNow, nil); in.scheduleIs(ScheduleOnDevice) {
		a.CTA, a.CTACode = ctaRunCollector.text(), ctaRunCollector.code()
	}
}

// gaps adds what is to be done about gaps that a run can fill: by the owner,
// where that speeds it up, else by waiting.
func (b *builder) gaps() {
	s := &b.in.Snapshot
	switch {
	case len(*b.actions) > 0, b.in.scheduleIs(ScheduleDisabled):
	case b.d == health.DispositionResumable:
		b.fill(b.resumable(), s.State == health.StateDegraded && s.Axes.Freshness == health.FreshnessStale) // HL-23.13
	case s.State == health.StateCoolingOff, s.Badges.Syncing:
		b.wait(nil)
	}
}

// optional says the same of what nobody requires, so that no pill is amber for it
// and silent.
func (b *builder) optional() {
	if len(*b.actions) > 0 || b.d != health.DispositionComplete {
		return
	}
	if missing := b.resumable(); len(missing) > 0 {
		b.fill(missing, false)
	}
}

func (b *builder) fill(missing []string, owners bool) {
	cause := b.in.cause()
	if owners || cause != nil && cause.owners || b.ownerMayAccelerate() {
		a := b.add(RetryGap, missing)
		if cause != nil {
			a.CTA, a.CTACode = cause.cta.text(), cause.cta.code()
		}
	} else {
		b.wait(missing)
	}
}

func (b *builder) resumable() []string {
	return withDisposition(b.streams, health.DispositionResumable)
}

// wait adds the single representation of what happens without anybody (HL-25). What
// nothing schedules does not: it has to be run again, and not yet.
func (b *builder) wait(affects []string) {
	a, l := b.add(Wait, affects), ctaWait
	switch {
	case b.in.Snapshot.Badges.Syncing: // a run is at it
	case b.in.scheduleIs(ScheduleManual):
		l = ctaRunAgain
	case b.in.halted():
		l = ctaWaitHeld
	case b.in.cause() != nil:
		l = ctaWaitTries
	}
	a.CTA, a.CTACode = l.text(), l.code()
}

// ownerMayAccelerate reports whether a run by the owner helps: the first test
// that matches decides. The host refuses one while a source that asked for less
// cools down (HL-24).
func (b *builder) ownerMayAccelerate() bool {
	s := &b.in.Snapshot
	degraded := s.State == health.StateDegraded
	switch {
	case b.in.coolsDown():
		return false
	case b.in.Refresh.ManualOnly(), b.in.givenUp(), b.in.byOwner(): // nothing else would run it
		return true
	case s.Badges.Syncing, s.ReasonCode == sourcePressure, s.State == health.StateCoolingOff, !s.NextAttemptAt.IsZero():
		return false // the system is at it (HL-25.3)
	}
	switch mode := b.in.mode(); {
	case mode == ModeDeferred:
		return degraded
	case mode == ModeScheduled && b.in.Progress != nil:
		return false
	}
	return degraded || s.Axes.Coverage == health.CoverageRetryableGap
}

// last adds an action to a red pill for which nobody else has one: it is never
// silent. An optional stream out of reach is the connector's; anything else has
// to be found out.
func (b *builder) last() {
	if ids := withDisposition(b.streams, health.DispositionTerminal); len(ids) > 0 && b.d != health.DispositionTerminal {
		b.add(CodeFix, ids)
		return
	}
	b.add(ContactSupport, nil)
}

// someoneActs reports whether an action is anybody's.
func (b *builder) someoneActs() bool {
	for i := range *b.actions {
		if (*b.actions)[i].Audience != AudienceNone {
			return true
		}
	}
	return false
}

// add appends an action of a kind. Whether it is terminal follows from the
// disposition of what it is about, and from nothing else (HL-25.1).
func (b *builder) add(k Kind, affects []string) *RequiredAction {
	if affects == nil {
		affects = []string{}
	}
	scope := b.d
	for i := range b.streams {
		if len(affects) > 0 && b.streams[i].StreamID == affects[0] {
			scope = b.streams[i].Disposition // affects are of one disposition
		}
	}
	shared := kinds[k]
	*b.actions = append(*b.actions, RequiredAction{
		Kind: k, Audience: shared.audience, Urgency: shared.urgency, Affects: affects, CTA: shared.cta.text(), CTACode: shared.cta.code(),
		Reason: b.in.Snapshot.ReasonCode, Terminal: scope == health.DispositionTerminal, SatisfiedWhen: SatisfiedWhen{shared.contract},
	})
	return &(*b.actions)[len(*b.actions)-1]
}

// waitingRun is the run that waits for the owner; "" when none is known.
func (in *Input) waitingRun() health.Word {
	switch {
	case in.Attention != nil:
		return health.Identity(in.Attention.RunID)
	case in.Snapshot.NextAction != nil:
		return health.Identity(in.Snapshot.NextAction.RunID)
	}
	return ""
}
