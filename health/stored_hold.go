package health

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// noDevice: devices fed the connection, and none of them may any more.
const noDevice Word = "no_device_enrolled"

// The words of what only the owner can put right. What a refusal is called is the
// host's own code, of which there are many; a connection waits for one of these.
const (
	waitsForFolder     Word = "folder_not_usable"
	waitsForModule     Word = "module_not_usable"
	waitsForAcceptance Word = "module_not_accepted"
	waitsForAddress    Word = "address_not_allowed"
	waitsForOption     Word = "option_not_valid"
	waitsForBinding    Word = "binding_not_given"
)

// waitsFor are the areas and codes of refusals, the more special first.
var waitsFor = [...]struct {
	code Word
	word Word
}{
	{"connection.origin_changed", waitsForAddress},
	{"send.base_url_invalid", waitsForAddress},
	{"files.", waitsForFolder},
	{Word(abi.CodePluginNotAccepted), waitsForAcceptance},
	{"plugin.", waitsForModule},
	{"manifest.", waitsForModule},
	{"binding.", waitsForBinding},
	{"egress.", waitsForAddress},
	{"usage.", waitsForOption},
	{"config.", waitsForOption},
	{"connection.", waitsForOption},
	{"stream.", waitsForOption},
}

// waiting is what a connection waits for, by the refusal's code; the code itself
// where nobody has a word for it.
func waiting(code Word) Word {
	for i := range waitsFor {
		if w := &waitsFor[i]; code == w.code || strings.HasSuffix(string(w.code), ".") && strings.HasPrefix(string(code), string(w.code)) {
			return w.word
		}
	}
	return code
}

// deserted reports whether nothing comes in until the owner enrols a device again.
func (s *Stored) deserted() bool { return s.Device != nil && len(s.Device.Sources) == 0 }

// takenOver reports whether the connection has a device that has not ended a run
// yet, behind another one that had: what that one did says nothing of it.
func (s *Stored) takenOver() bool {
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

// settled is the run that says how the connection is; nil when none does, or it was
// another device's.
func (s *Stored) settled() *StoredRun {
	if s.takenOver() {
		return nil
	}
	return s.Settled
}

// attention is what waits for the owner: a device, the running run, while somebody
// is there who takes the answer, a run that was refused, the scheduler, or what the
// last run left to its owner: one of them, once. A credential that was rejected, or
// taken away, says for itself what is to be done; what keeps a run from beginning is
// said beside it, since only a run tells whether that one is any good by now.
func (s *Stored) attention(m Moment) *Attention {
	if s.deserted() {
		return &Attention{Lifecycle: AttentionOpen, ReasonCode: noDevice, ResponseContract: "none"}
	}
	if s.Running() && s.Asking && m.RunAlive {
		return &Attention{
			Lifecycle: AttentionOpen, ReasonCode: "interaction_required", ResponseContract: "response_required", RunID: Word(s.Latest.ID),
		}
	}
	refusal := s.refusal()
	ofCredentials := credentialShaped(normalise(refusal))
	switch c, h := s.Credential, s.Hold; {
	case s.signedOut() && (ofCredentials || waiting(refusal) == refusal):
		return nil
	case refusal == "":
		return s.leftByRun(m)
	case ofCredentials && c != nil && h != nil && c.PutUS > h.AtUS:
		return s.leftByRun(m) // what it waited for was missed, and is there since
	}
	return &Attention{Lifecycle: AttentionOpen, ReasonCode: waiting(refusal), ResponseContract: "none"}
}

// refusal is why no run begins until its owner has done something, in the host's own
// word; "" where nothing is known to be in the way, or a run has begun.
func (s *Stored) refusal() Word {
	switch last := s.settled(); {
	case s.Running():
		return ""
	case last != nil && last.Refused:
		return last.Reason
	case s.Hold != nil && s.Hold.Kind == HeldForOwner:
		return s.Hold.Reason
	}
	return ""
}

// signedOut reports whether the credentials say for themselves that the owner is to
// sign in. A run that was refused for something else says nothing of them.
func (s *Stored) signedOut() bool {
	last := s.settled()
	if last != nil && last.Status == Word(RunFailed) && credentialShaped(normalise(last.Reason)) || s.credentials().removed() {
		return true
	}
	return s.rejection() != nil && (last == nil || !last.Refused)
}
