package schedule

import "github.com/pdpp-host/pdpp-host/abi"

// Trigger is the reason to start a run.
type Trigger string

// The triggers.
const (
	Scheduled  Trigger = "scheduled"
	Confirming Trigger = "confirming" // the owner did what the connection waited for (HL-26)
	Manual     Trigger = "manual"     // the owner runs it
)

// Attendance says whether somebody has to be present.
type Attendance string

// How a run may start, or that it may not.
const (
	Unattended   Attendance = "unattended"
	Assisted     Attendance = "assisted" // the connector may ask its owner a question
	AskBeforeRun Attendance = "ask_before_run"
	Blocked      Attendance = "blocked"
)

// Setting is the owner's choice for a connection. The zero Setting follows the
// manifest's recommendation, which is a hint to this host and not protocol (RT-01.4).
type Setting struct {
	Mode   Mode
	Every  int64 // seconds; 0: the recommended interval
	Paused bool
}

// Mode says whether a connection runs automatically.
type Mode string

// The modes.
const (
	AsRecommended Mode = ""
	Automatic     Mode = "automatic"
	ByHand        Mode = "manual"
)

// Facts are the inputs of eligibility besides the policy.
type Facts struct {
	OnDevice      bool // a device runs it, never this host
	Paused        bool // by the owner
	Ready         bool // module and folders are available
	AttentionOpen bool // the owner has to act first
}

// Decision says whether a run may start.
type Decision struct {
	Start      bool
	Attendance Attendance
	Why        Reason // why it may not
}

// Eligible decides whether a connection may run, by the first rule that matches
// (runtime contract, section 8). A nil policy recommends nothing and forbids nothing.
// A confirming run follows from the owner's own action, so a policy about automatic
// runs does not stop it; a missing requirement does.
func Eligible(p *abi.RefreshPolicy, t Trigger, f Facts) Decision {
	if p == nil {
		p = &abi.RefreshPolicy{}
	}
	switch byItself := t == Scheduled; {
	case f.OnDevice:
		return Decision{Attendance: Blocked, Why: ReasonOnDevice}
	case t == Manual:
		return start(p, t)
	case f.Paused, byItself && p.RecommendedMode == "paused":
		return Decision{Attendance: Blocked, Why: ReasonPaused}
	case byItself && p.BackgroundSafe != nil && !*p.BackgroundSafe:
		return Decision{Attendance: Blocked, Why: ReasonUnsafe}
	case byItself && p.RecommendedMode == "manual" && (p.BackgroundSafe == nil || !*p.BackgroundSafe):
		return Decision{Attendance: Blocked, Why: ReasonManual}
	case !f.Ready:
		return Decision{Attendance: AskBeforeRun, Why: ReasonNotReady}
	case f.AttentionOpen:
		return Decision{Attendance: AskBeforeRun, Why: ReasonAttention}
	}
	return start(p, t)
}

func start(p *abi.RefreshPolicy, t Trigger) Decision {
	asks := p.InteractionPosture != "" && p.InteractionPosture != "none"
	signedIn := t == Scheduled && p.AssistedAfterOwnerAuth != nil && *p.AssistedAfterOwnerAuth
	if asks && !signedIn {
		return Decision{Start: true, Attendance: Assisted}
	}
	return Decision{Start: true, Attendance: Unattended}
}

// Enrolled reports whether a connection runs automatically at all: because its owner
// said so, or because its manifest recommends it and the owner made no choice.
func (s Setting) Enrolled(p *abi.RefreshPolicy) bool {
	switch s.Mode {
	case Automatic:
		return true
	case ByHand:
		return false
	}
	return p == nil || p.RecommendedMode == "" || p.RecommendedMode == "automatic"
}
