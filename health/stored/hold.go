package stored

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// noDevice: devices fed the connection, and all of them were revoked.
const noDevice health.Word = "no_device_enrolled"

// Words for problems that only the owner can solve. The host has many codes for
// refusals; each is mapped to one of these.
const (
	waitsForFolder     health.Word = "folder_not_usable"
	waitsForModule     health.Word = "module_not_usable"
	waitsForAcceptance health.Word = "module_not_accepted"
	waitsForAddress    health.Word = "address_not_allowed"
	waitsForOption     health.Word = "option_not_valid"
	waitsForBinding    health.Word = "binding_not_given"
	waitsForBrowser    health.Word = "browser_not_given" // short enough to be no token
	waitsForSignIn     health.Word = "sign_in_unfinished"
	waitsForVault      health.Word = "vault_not_usable"
)

// schedulerWaits is the scheduler's word for a run that waits for its owner, whom the last run
// has named.
const schedulerWaits health.Word = "attention"

// waitsFor maps areas and codes of refusals to words, the more specific first.
var waitsFor = [...]struct {
	code health.Word
	word health.Word
}{
	{"connection.origin_changed", waitsForAddress},
	{"send.base_url_invalid", waitsForAddress},
	{"files.", waitsForFolder},
	{health.Word(abi.CodePluginNotAccepted), waitsForAcceptance},
	{"plugin.", waitsForModule},
	{"manifest.", waitsForModule},
	{health.Word(abi.CodeBrowserRuntime), waitsForBrowser},
	{"binding.", waitsForBinding},
	{"egress.", waitsForAddress},
	{"usage.", waitsForOption},
	{"config.", waitsForOption},
	{"connection.", waitsForOption},
	{"stream.", waitsForOption},
	{"vault.", waitsForVault},
}

// waitReason returns the word for a refusal's code, or the code itself if there is no
// word for it.
func waitReason(code health.Word) health.Word {
	for i := range waitsFor {
		if w := &waitsFor[i]; code == w.code || strings.HasSuffix(string(w.code), ".") && strings.HasPrefix(string(code), string(w.code)) {
			return w.word
		}
	}
	return code
}

// OfFolder reports whether the hold ends once its owner has put a folder right.
func (h *Hold) OfFolder() bool { return waitReason(h.Reason) == waitsForFolder }

// FolderSaid says what is wrong with which folder that no run can read; "" where that is not known.
func (s *Facts) FolderSaid() string {
	switch h := s.Hold; {
	case h == nil || !h.OfFolder():
		return ""
	case h.Says == "" || h.Folder == "":
		return h.Says
	default:
		return h.Says + ": " + h.Folder
	}
}

// hasNoDevice reports whether no data can arrive until the owner enrols a device again.
func (s *Facts) hasNoDevice() bool { return s.Device != nil && len(s.Device.Sources) == 0 }

// takenOver reports whether the connection's current devices have not ended a run yet
// and the settled run came from an earlier device, whose result is no evidence about
// them.
func (s *Facts) takenOver() bool {
	if s.Device == nil || len(s.Device.Sources) == 0 || s.Settled == nil || s.Settled.Device == "" {
		return false
	}
	for i := range s.Device.Sources {
		if s.Device.Sources[i].Device == s.Settled.Device {
			return false
		}
	}
	return true
}

// decidingRun returns the run that determines the connection's state; nil if there is
// none, or it came from an earlier device.
func (s *Facts) decidingRun() *Run {
	if s.takenOver() {
		return nil
	}
	return s.Settled
}

// attention returns the one request that waits for the owner: a device to enrol, the
// running run's question while somebody takes the answer, what this host refuses of a device, a refused run, a hold of the
// scheduler, or a gap that the last run left to the owner. A rejected or removed
// credential is reported by the credentials themselves. A reason that prevents a run
// is reported beside it, since only a run can test the credential.
func (s *Facts) attention(m Moment) *health.Attention {
	if s.hasNoDevice() {
		return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: noDevice, ResponseContract: "none"}
	}
	if s.Running() && s.Asking != "" && m.RunAlive {
		a := &health.Attention{
			Lifecycle: health.AttentionOpen, ReasonCode: askedFor(s.Asking), ActionTarget: "connection", ResponseContract: "response_required", RunID: health.Word(s.Latest.ID),
			ExpiresAt: instantOf(s.AskingUntilUS),
		}
		if m.Attended {
			a.Lifecycle = health.AttentionInProgress
		}
		return a
	}
	if r, _ := s.refusedDelivery(); r != nil {
		return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: DeliveryRefused, ResponseContract: "none"}
	}
	refusal, left := s.refusal(), s.endedForOwner(m)
	if left != "" && (refusal == "" || refusal == schedulerWaits) {
		return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: left, ResponseContract: "none"}
	}
	ofCredentials := health.CredentialShaped(health.Normalise(refusal))
	switch c, h := s.Credential, s.Hold; {
	case s.signedOut() && (ofCredentials || waitReason(refusal) == refusal):
		return nil
	case refusal == "":
		return s.attentionOfRun(m)
	case (ofCredentials || waitReason(refusal) == waitsForVault) && c != nil && h != nil && c.PutUS > h.AtUS:
		return s.attentionOfRun(m) // the credential was stored since, with a key that there is
	}
	return &health.Attention{Lifecycle: health.AttentionOpen, ReasonCode: waitReason(refusal), ResponseContract: "none"}
}

// askedFor returns the reason for a question of that kind.
func askedFor(kind health.Word) health.Word {
	switch kind {
	case abi.InteractionOTP:
		return "otp_required"
	case abi.InteractionCredentials, abi.InteractionMissingCredentials:
		return "credentials_required"
	case abi.InteractionManualAction:
		return "manual_action_required"
	}
	return "interaction_required"
}

// endedForOwner returns the word for why the last run leaves the next one to its owner: it sent a
// secret of theirs and was not let in, or there is no browser that it may use; "" otherwise.
// Credentials that the site refused are the owner's turn by themselves.
func (s *Facts) endedForOwner(m Moment) health.Word {
	last := s.decidingRun()
	if s.Running() {
		if last = nil; s.interrupted(m) {
			last = s.Latest
		}
	}
	switch {
	case last == nil:
	case last.Submitted && !s.signedOut():
		return waitsForSignIn
	case last.lacksBrowser():
		return waitsForBrowser
	}
	return ""
}

// refusal returns the host's word for why no run begins until its owner acts; "" if no
// obstacle is known, or a run has begun.
func (s *Facts) refusal() health.Word {
	switch last := s.decidingRun(); {
	case s.Running():
		return ""
	case last != nil && last.Refused:
		return last.Reason
	case s.Hold != nil && s.Hold.Kind == HeldForOwner:
		return s.Hold.Reason
	}
	return ""
}

// CannotBegin reports whether nothing is collected before the owner acts, whatever is asked or
// scheduled meanwhile: the host refuses each run, the credentials let none in, or the running
// run waits for credentials that it lacks. A question, a pause or a hold is then another
// sight of the same state and not another state.
func (s *Facts) CannotBegin(m Moment) bool {
	if s.hasNoDevice() {
		return false // nothing is to run here, and what came in is kept
	}
	if s.Running() && m.RunAlive {
		return s.asksToSignIn(m) || s.signedOut() && !s.untried()
	}
	return s.signedOut() && !s.untried() || s.endedForOwner(m) == waitsForBrowser || slices.Contains(startsNothing[:], waitReason(s.refusal()))
}

// untried reports whether the owner has stored a credential that no run has tried: it is not known
// to be rejected, and not to work either (HL-07.1).
func (s *Facts) untried() bool {
	last := s.decidingRun()
	return s.Credential != nil && last != nil && s.Credential.PutUS > last.EndedUS
}

// startsNothing are the words of refusals that the next run meets as well.
var startsNothing = [...]health.Word{
	waitsForFolder, waitsForModule, waitsForAcceptance, waitsForAddress, waitsForOption, waitsForBinding, waitsForBrowser, waitsForVault,
}

// asksToSignIn reports whether the running run waits for credentials of its owner's.
func (s *Facts) asksToSignIn(m Moment) bool {
	if until := instantOf(s.AskingUntilUS); !until.IsZero() && !m.Now.Before(until.Time) {
		return false
	}
	return s.Asking == abi.InteractionCredentials || s.Asking == abi.InteractionMissingCredentials
}

// signedOut reports whether the credentials themselves require the owner to sign in. A
// run that was refused for another reason is no evidence about them.
func (s *Facts) signedOut() bool {
	last := s.decidingRun()
	if last != nil && last.Status == health.Word(health.RunFailed) && health.CredentialShaped(health.Normalise(last.Reason)) || s.credentials().WasRemoved() {
		return true
	}
	return s.rejection() != nil && (last == nil || !last.Refused)
}
