package schedule

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Obstacle is what keeps a connection from running by itself until its owner
// has done something about it.
type Obstacle struct {
	Kind  ObstacleKind
	Code  string
	Since time.Time
}

// ObstacleKind says what is in the way.
type ObstacleKind string

// The kinds of obstacle.
const (
	BadCredentials ObstacleKind = "credentials"
	NoFolder       ObstacleKind = "folder" // gone, emptied, or not the one of before
	OtherModule    ObstacleKind = "module" // gone, or not the accepted one
	OwnersTurn     ObstacleKind = "owner"  // something that only a run of the owner's shows to be done
)

// CodeSignedOut is of the obstacle that no run has met yet: a credential was taken
// away that the connector requires.
const CodeSignedOut = "credential_required"

// signedOut is the obstacle of a connection whose credential was taken away then;
// nil where none was.
func signedOut(since time.Time) *Obstacle {
	if since.IsZero() {
		return nil
	}
	return &Obstacle{Kind: BadCredentials, Code: CodeSignedOut, Since: since}
}

// FindObstacle returns what the newest of the history, newest first, says is in
// the way; nil for nothing. A run that was cancelled or killed says nothing.
func FindObstacle(history []Ended) *Obstacle {
	at := slices.IndexFunc(history, func(e Ended) bool { return e.Status != StatusCancelled && e.Status != StatusAbandoned })
	if at < 0 {
		return nil
	}
	e := &history[at]
	if kind := e.obstacle(); kind != "" {
		return &Obstacle{Kind: kind, Code: e.Code, Since: e.FinishedAt}
	}
	return nil
}

// otherModule are the refusals of a module that can be seen to be put right
// without running it.
var otherModule = []abi.Code{
	abi.CodePluginUnknown, abi.CodePluginChanged, abi.CodePluginNotAccepted, abi.CodePluginUnsafe, abi.CodePluginUnreadable, abi.CodePluginNotRegular, abi.CodePluginsDirWritable,
}

// CredentialsAtFault reports whether it ended for its credentials, and the owner has
// to see to them.
func (e *Ended) CredentialsAtFault() bool { return e.obstacle() == BadCredentials }

func (e *Ended) obstacle() ObstacleKind {
	area, _, _ := strings.Cut(e.Code, ".")
	switch {
	case e.Status == StatusFailed:
		switch {
		case e.RecoveryHint == "refresh_credentials", e.Class == "failure:"+string(abi.ReasonAuthenticationError):
			return BadCredentials
		case e.RecoveryHint == "manual_action_required":
			return OwnersTurn
		}
	case e.Status != StatusRefused:
	case area == "credential", area == "vault":
		return BadCredentials
	case area == "files":
		return NoFolder
	case slices.Contains(otherModule, abi.Code(e.Code)):
		return OtherModule
	case area == "binding", area == "interact":
		return OwnersTurn
	}
	return ""
}

// ownersAreas are the areas of refusals that only the owner can change: by a setting,
// a folder, a module, a credential. What is not among them may pass by itself.
var ownersAreas = []string{
	"binding", "config", "connection", "credential", "egress", "files", "interact", "manifest", "plugin", "send", "stream", "usage", "vault",
}

// OwnersToChange reports whether a refusal stays one until the owner has done
// something. That can often be seen by trying again alone, so that it is no obstacle
// for that: the back-off has its say (see FindObstacle for what is not even tried).
func OwnersToChange(code abi.Code) bool {
	area, _, _ := strings.Cut(string(code), ".")
	return slices.Contains(ownersAreas, area)
}

// ready reports whether a run could begin at all with the obstacle there.
func (o *Obstacle) ready() bool { return o.Kind != NoFolder && o.Kind != OtherModule }

// Action is the obstacle as an action of its owner's: one mechanism tells for
// every kind whether it was done (HL-25).
func (o *Obstacle) Action() verdict.RequiredAction {
	a := verdict.RequiredAction{Kind: verdict.AddInfo, Audience: verdict.AudienceOwner, Urgency: verdict.Now}
	switch o.Kind {
	case BadCredentials:
		a.Kind, a.SatisfiedWhen.Kind = verdict.Reauth, verdict.CredentialPresentAndUnrejected
	case OwnersTurn:
		a.Kind, a.SatisfiedWhen.Kind = verdict.RefreshNow, verdict.ConfirmingRunSucceeded
	default:
		a.SatisfiedWhen.Kind = verdict.AttentionResolved
	}
	return a
}

// Attention is the evidence of a probe for something that the owner was to put
// right and that the host can look at: a folder, a module.
func Attention(putRight bool) verdict.SatisfactionEvidence {
	status := health.False
	if putRight {
		status = health.True
	}
	return verdict.SatisfactionEvidence{Conditions: []health.Condition{{Type: health.AttentionClear, Status: status, Current: true}}}
}
