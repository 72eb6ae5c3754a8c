package verdict

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// builder collects a connection's actions.
type builder struct {
	in      *Input
	streams []StreamRow
	d       health.Disposition
	actions *[]RequiredAction // a pointer, so that retaining the actions does not retain the input
}

// requiredActions returns the connection's actions, the primary first.
func requiredActions(in *Input, streams []StreamRow, d health.Disposition, tone Tone) []RequiredAction {
	actions := []RequiredAction{}
	b := &builder{in: in, streams: streams, d: d, actions: &actions}
	b.blocked()
	b.unread()
	b.paused()
	b.refresh()
	b.gaps()
	if tone == Red && !b.someoneActs() {
		b.addExplanation()
	}
	b.optional()
	SortActions(actions)
	return actions
}

// blocked adds the obstacles to collection: each of the owner's steps, and the
// maintainer's if the owner has none.
func (b *builder) blocked() {
	in := b.in
	if in.waitsForDevice() {
		a := b.add(AddInfo, nil) // without a device no other action is possible
		a.Reason, a.CTA, a.CTACode = noDevice, ctaEnroll.text(), ctaEnroll.code()
		return
	}
	rejected := in.rejected()
	if b.d == health.DispositionTerminal && !rejected {
		b.add(CodeFix, withDisposition(b.streams, health.DispositionTerminal))
	}
	if in.asksToSignIn() {
		b.answer() // which is to sign in
		rejected = false
	} else if in.requestOpen() && (!rejected || in.refused()) {
		// Before the credential, since only a run can test it.
		b.answer()
	}
	if rejected {
		a := b.add(Reauth, nil)
		if a.Reason = in.condition(health.CredentialsValid).Reason; in.FirstSignIn || a.Reason == credentialRequired {
			a.CTA, a.CTACode = ctaSignIn.text(), ctaSignIn.code()
		} else if in.RenewedRefused {
			a.CTA, a.CTACode = ctaRenewedRefused.text(), ctaRenewedRefused.code()
		}
	}
	if in.stalled() {
		// Independent of all other actions: only this step moves the saved records
		// (HL-23.6).
		a, why := b.add(AddInfo, nil), in.stall()
		a.Reason, a.Remediation = why.reason, remediation(why.recovery)
		a.CTA, a.CTACode = why.recovery.cta.text(), why.recovery.cta.code()
	}
}

// answer asks for the input for which the connection, or its run, waits.
func (b *builder) answer() {
	a := b.add(AddInfo, nil)
	if c := b.in.condition(health.AttentionClear); c != nil && c.Status == health.False {
		a.Reason = c.Reason
	}
	if run := b.in.waitingRun(); run != "" {
		a.Target = &Target{Kind: "sync", RunID: run}
	} else {
		l := waitTextsFor(a.Reason).cta
		a.CTA, a.CTACode = l.text(), l.code()
	}
}

// credentialRequired is the reason of a connection without a stored credential.
const credentialRequired health.Word = "credential_required" //nolint:gosec // the name of a reason, not a credential

// unread asks for a look at the files of a folder of which the last run read none. The connection is Checking, as
// AC-03 has it: the folder may be the wrong one, and the owner alone knows.
func (b *builder) unread() {
	in := b.in
	if !in.ReadNothing || in.notRead() == "" || len(*b.actions) > 0 {
		return
	}
	l := ctaUnexplained
	switch {
	case in.LeftFiles != "":
		l = ctaGap
	case in.NotWhole != "":
		l = ctaNotWhole
	}
	a := b.add(AddInfo, nil)
	a.Reason, a.CTA, a.CTACode = nothingRead, l.text(), l.code()
}

// nothingRead is the reason of a connection whose last run read no file of its folder.
const nothingRead health.Word = "nothing_read"

// paused asks for resuming the schedule if it ever collected something or something is
// missing: under a pause nothing is collected automatically.
func (b *builder) paused() {
	if !b.in.scheduleIs(ScheduleDisabled) || len(*b.actions) > 0 {
		return
	}
	whole := b.d == health.DispositionComplete && b.in.Snapshot.Axes.Freshness == health.FreshnessFresh && len(b.resumable()) == 0
	if b.in.Schedule.HasPriorSuccess || !whole {
		b.add(ReattachSchedule, nil)
	}
}

// refresh asks for a run by the owner if no other run brings the data up to date: for
// a connector that only its owner runs, whatever the other actions are, and for one
// that nothing currently runs.
func (b *builder) refresh() {
	in := b.in
	switch {
	case in.scheduleIs(ScheduleDisabled), in.coolsDown():
		return
	case b.d == health.DispositionOwnerRefreshDue && in.Refresh.ManualOnly():
	case len(*b.actions) > 0 || !in.staleWithoutRuns(b.d):
		return
	}
	if a := b.add(RefreshNow, nil); in.scheduleIs(ScheduleOnDevice) {
		a.CTA, a.CTACode = ctaRunCollector.text(), ctaRunCollector.code()
	}
}

// gaps adds the actions for gaps that a run can fill: the owner's, if that is faster,
// else waiting.
func (b *builder) gaps() {
	s := &b.in.Snapshot
	switch {
	case len(*b.actions) > 0, b.in.scheduleIs(ScheduleDisabled):
	case b.d == health.DispositionResumable:
		b.missing(s.State == health.StateDegraded && s.Axes.Freshness == health.FreshnessStale) // HL-23.13
	case s.State == health.StateCoolingOff, s.Badges.Syncing:
		b.wait(nil)
	}
}

// optional adds the same for optional streams, so that no pill is amber without an
// explanation.
func (b *builder) optional() {
	if len(*b.actions) > 0 || b.d != health.DispositionComplete {
		return
	}
	if len(b.resumable()) > 0 {
		b.missing(false)
	}
}

// missing adds the actions for what is missing: that of a run for what one fetches, and the
// maintainer's for what none does although records come in.
func (b *builder) missing(owners bool) {
	var fetched, flawed, stay []string
	for i := range b.streams {
		switch row := &b.streams[i]; {
		case row.Disposition != health.DispositionResumable:
		case b.in.Streams[i].Flawed:
			flawed = append(flawed, row.StreamID)
		case b.in.Streams[i].Stays:
			stay = append(stay, row.StreamID)
		default:
			fetched = append(fetched, row.StreamID)
		}
	}
	if !b.in.Flawed && (len(fetched) > 0 || len(stay) == 0) {
		b.fill(fetched, owners)
	}
	if len(stay) > 0 {
		a := b.add(AddInfo, stay) // no run is known to fetch it (AC-10)
		a.CTA, a.CTACode, a.Urgency = ctaStays.text(), ctaStays.code(), Verifying
		a.Reason, a.SatisfiedWhen = stored.CameBackUnchanged, SatisfiedWhen{GapRecovered}
	}
	if b.in.Flawed || len(flawed) > 0 {
		a := b.add(CodeFix, flawed)
		a.CTA, a.CTACode, a.Urgency = ctaFlawed.text(), ctaFlawed.code(), Verifying // what a run fetches comes first
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

// wait adds the one action for work that happens automatically (HL-25). Without a
// schedule the work needs a later run by the owner.
func (b *builder) wait(affects []string) {
	a, l := b.add(Wait, affects), ctaWait
	switch {
	case b.in.Snapshot.Badges.Syncing: // a run is doing it
	case b.in.scheduleIs(ScheduleManual):
		l = ctaRunAgain
	case b.in.halted():
		l = ctaWaitHeld
	case b.in.cause() != nil:
		l = ctaWaitTries
	}
	a.CTA, a.CTACode = l.text(), l.code()
}

// ownerMayAccelerate reports whether a run by the owner helps: the first test that
// matches decides. The host refuses such a run while a source that asked for fewer
// requests cools down (HL-24).
func (b *builder) ownerMayAccelerate() bool {
	s := &b.in.Snapshot
	degraded := s.State == health.StateDegraded
	switch {
	case b.in.coolsDown():
		return false
	case b.in.Refresh.ManualOnly(), b.in.givenUp(), b.in.byOwner(): // nothing else would run it
		return true
	case s.Badges.Syncing, s.ReasonCode == sourcePressure, s.State == health.StateCoolingOff, !s.NextAttemptAt.IsZero():
		return false // the system is doing it (HL-25.3)
	}
	switch mode := b.in.mode(); {
	case mode == ModeDeferred:
		return degraded
	case mode == ModeScheduled && b.in.Progress != nil:
		return false
	}
	return degraded || s.Axes.Coverage == health.CoverageRetryableGap
}

// addExplanation adds an action to a red pill if nobody else has one, so the pill always has an
// explanation. An optional stream out of reach is the connector's; any other problem
// has to be investigated.
func (b *builder) addExplanation() {
	if ids := withDisposition(b.streams, health.DispositionTerminal); len(ids) > 0 && b.d != health.DispositionTerminal {
		b.add(CodeFix, ids)
		return
	}
	b.add(ContactSupport, nil)
}

// someoneActs reports whether an action has an audience.
func (b *builder) someoneActs() bool {
	for i := range *b.actions {
		if (*b.actions)[i].Audience != AudienceNone {
			return true
		}
	}
	return false
}

// add appends an action of a kind. Its terminal flag follows from the disposition of
// its scope alone (HL-25.1).
func (b *builder) add(k Kind, affects []string) *RequiredAction {
	if affects == nil {
		affects = []string{}
	}
	scope := b.d
	for i := range b.streams {
		if len(affects) > 0 && b.streams[i].StreamID == affects[0] {
			scope = b.streams[i].Disposition // all streams of affects have one disposition
		}
	}
	shared := kinds[k]
	*b.actions = append(*b.actions, RequiredAction{
		Kind: k, Audience: shared.audience, Urgency: shared.urgency, Affects: affects, CTA: shared.cta.text(), CTACode: shared.cta.code(),
		Reason: b.in.Snapshot.ReasonCode, Terminal: scope == health.DispositionTerminal, SatisfiedWhen: SatisfiedWhen{shared.contract},
	})
	return &(*b.actions)[len(*b.actions)-1]
}

// waitingRun returns the run that waits for the owner; "" if none is known.
func (in *Input) waitingRun() health.Word {
	switch {
	case in.Attention != nil:
		return health.Identity(in.Attention.RunID)
	case in.Snapshot.NextAction != nil:
		return health.Identity(in.Snapshot.NextAction.RunID)
	}
	return ""
}
