package verdict

import "github.com/pdpp-host/pdpp-host/health"

// forwardLine picks the one sentence about what happens next, from the
// disposition and the primary action; only where both say that nothing is to be
// done does the rest of the snapshot decide how much may be claimed (HL-24).
func forwardLine(in *Input, d health.Disposition, tone Tone, actions []RequiredAction) line {
	var primary *RequiredAction
	if len(actions) > 0 {
		primary = &actions[0]
	}
	if primary != nil && primary.Remediation != nil {
		return in.stall().recovery.summary
	}
	if primary != nil && primary.CTACode == ctaEnroll.code() {
		return forwardEnroll
	}
	if d == health.DispositionTerminal {
		return terminalLine(primary)
	}
	if primary != nil && primary.Kind == AddInfo && primary.Target == nil && primary.CTACode != ctaAddInfo.code() {
		return heldFor(primary.Reason).forward
	}
	if primary != nil && primary.CTACode == ctaSignIn.code() {
		return forwardSignIn
	}
	if primary != nil && primary.CTACode == ctaRunCollector.code() {
		return forwardRunCollector
	}
	if primary != nil && primary.Audience != AudienceNone {
		if c := in.cause(); c != nil && primary.Kind.runs() {
			return c.forward
		}
		return achieved[primary.Kind]
	}
	switch missing := primary != nil && len(primary.Affects) > 0; {
	case d == health.DispositionChecking:
		return in.checking(forwardChecking)
	case (d == health.DispositionResumable || missing) && in.halted():
		return forwardHeld
	case d == health.DispositionResumable, missing:
		if c := in.cause(); c != nil {
			return c.forward
		}
		return forwardResumable
	case d == health.DispositionOwnerRefreshDue:
		return forwardRefreshDue
	case d == health.DispositionAwaitingOwner:
		return forwardAwaitingOwner
	}
	return in.completeLine(tone)
}

func terminalLine(primary *RequiredAction) line {
	switch {
	case primary == nil:
		return forwardOutOfReach
	case primary.CTACode == ctaSignIn.code():
		return forwardTerminalSignIn
	case primary.Kind == Reauth:
		return forwardTerminalReauth
	case primary.Kind == AddInfo:
		return forwardTerminalAnswer
	case primary.Kind == CodeFix:
		return forwardCodeFix
	}
	return forwardOutOfReach
}

// achieved is what doing an action brings.
var achieved = map[Kind]line{
	Reauth: forwardReauth, AddInfo: forwardAddInfo, RefreshNow: forwardRefreshNow, RetryGap: forwardRetryGap, Backfill: forwardBackfill,
	ReattachSchedule: forwardReattach, CodeFix: forwardCodeFix, ContactSupport: forwardHostFix,
}

// checking is a line, and for what nobody knows why that is, where it is known.
func (in *Input) checking(l line) line {
	if l == forwardChecking && in.FoundNothing {
		return forwardNothingFound
	}
	return l
}

// completeLine says that nothing is missing, and no more than is known.
func (in *Input) completeLine(tone Tone) line {
	s := &in.Snapshot
	switch {
	case in.unconfirmed():
		return forwardUnconfirmed
	case s.Axes.Freshness != health.FreshnessFresh && s.Axes.Freshness != health.FreshnessStale:
		return forwardFreshnessUnknown
	case !in.RuntimeOK: // what a device sends has nowhere to go either
		return forwardHeld
	case s.Axes.Outbox == health.OutboxActive:
		return forwardUploading
	case tone != Green:
		return forwardHeld
	case s.Axes.Freshness == health.FreshnessStale:
		return forwardStale
	case s.State == health.StateIdle:
		return forwardIdle
	}
	return forwardComplete
}
