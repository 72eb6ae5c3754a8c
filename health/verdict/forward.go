package verdict

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/health"
)

// forwardLine picks the one sentence about the future from the disposition and the
// primary action. Only if both require nothing does the rest of the snapshot limit the
// claim (HL-24).
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
		return in.waitLine(primary.Reason)
	}
	if primary != nil && primary.CTACode == ctaAddInfo.code() && in.asksToSignIn() && !in.FirstSignIn {
		return forwardReauth
	}
	if primary != nil && (primary.CTACode == ctaSignIn.code() || primary.CTACode == ctaAddInfo.code() && in.asksToSignIn()) {
		return forwardSignIn
	}
	if primary != nil {
		if l, has := outcomeOfCTA[primary.CTACode]; has {
			return l
		}
	}
	if primary != nil && primary.Audience != AudienceNone {
		if c := in.cause(); c != nil && primary.Kind.isRun() {
			return c.forward
		}
		return outcomeOfAction[primary.Kind]
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
		return in.laterLine()
	case d == health.DispositionOwnerRefreshDue:
		return forwardRefreshDue
	case d == health.DispositionAwaitingOwner:
		return forwardAwaitingOwner
	}
	return in.completeLine(tone)
}

// laterLine says that a later run fetches what is missing, and from when, where that is known (AC-10).
func (in *Input) laterLine() line {
	if in.From != "" {
		return forwardResumableFrom
	}
	return forwardResumable
}

// waitLine returns what doing the owner's step achieves, with the files that it is about.
func (in *Input) waitLine(reason health.Word) line {
	switch l := waitTextsFor(reason).forward; {
	case l == forwardFolder && in.FolderSaid != "":
		return forwardFolderSaid
	case l != forwardGap:
		return l
	case in.LeftFiles != "":
		return forwardGapFiles
	case in.LeftSaid != "":
		return forwardGapSaid
	}
	return forwardGap
}

// besides are the lines that go on with what else a folder has, after those with which they begin.
var besides = []line{forwardGapSaid, forwardNotWhole, forwardUnexplained}

// say returns the text of a line. One about what its owner has to put right is followed by all
// else that needs them.
func (in *Input) say(l line) string {
	text := l.fill(in.placeFor(l))
	from := slices.Index(besides, l) + 1
	if from == 0 && l != forwardGap && l != forwardGapFiles {
		return text
	}
	for _, more := range besides[from:] {
		if in.has(more) {
			text += " " + more.fill(in.placeFor(more))
		}
	}
	return text
}

func (in *Input) has(l line) bool {
	switch l {
	case forwardGapSaid:
		return in.LeftSaid != ""
	case forwardNotWhole:
		return in.NotWhole != ""
	}
	return in.Unexplained != ""
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

// outcomeOfCTA is the result of doing an action that is more than its kind says.
var outcomeOfCTA = map[Code]line{
	ctaRenewedRefused.code(): forwardRenewedRefused, ctaRunCollector.code(): forwardRunCollector, ctaFlawed.code(): forwardFlawed,
}

// outcomeOfAction is the result of doing an action.
var outcomeOfAction = map[Kind]line{
	Reauth: forwardReauth, AddInfo: forwardAddInfo, RefreshNow: forwardRefreshNow, RetryGap: forwardRetryGap, Backfill: forwardBackfill,
	ReattachSchedule: forwardReattach, CodeFix: forwardCodeFix, ContactSupport: forwardHostFix,
}

// checking returns l, or a more specific line if the reason why the state is unknown is
// known: no run has begun, or the last one found nothing.
func (in *Input) checking(l line) line {
	switch {
	case l == forwardChecking && in.NeverRan:
		return forwardNotRun
	case l == forwardChecking && in.ReadNothing:
		return forwardNothingRead
	case l == forwardChecking && in.FoundNothing:
		return forwardNothingFound
	}
	return l
}

// notRead counts and names the files of a folder that the last run did not read.
func (in *Input) notRead() string {
	var files []string
	for _, some := range []string{in.LeftFiles, in.NotWhole, in.Unexplained} {
		if some != "" {
			files = append(files, some)
		}
	}
	return strings.Join(files, "; ")
}

// completeLine returns the strongest line about complete data that the evidence
// supports.
func (in *Input) completeLine(tone Tone) line {
	s := &in.Snapshot
	switch {
	case in.unconfirmed():
		return forwardUnconfirmed
	case s.Axes.Freshness != health.FreshnessFresh && s.Axes.Freshness != health.FreshnessStale:
		return forwardFreshnessUnknown
	case !in.RuntimeOK: // a device's uploads are not received either
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
