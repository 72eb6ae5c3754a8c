package schedule

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Obstacle is a problem that stops automatic runs until the connection's owner acts.
type Obstacle struct {
	Kind  ObstacleKind
	Code  string
	Since time.Time
}

// ObstacleKind is the kind of an obstacle.
type ObstacleKind string

// The kinds of obstacle.
const (
	BadCredentials ObstacleKind = "credentials"
	NoFolder       ObstacleKind = "folder" // missing, emptied, or not the folder used before
	OtherModule    ObstacleKind = "module" // missing, or not the accepted one
	OwnersTurn     ObstacleKind = "owner"  // resolved only by a run that the owner starts
)

// CodeSignedOut is the code of an obstacle that no run has met yet: a credential that
// the connector requires was removed.
const CodeSignedOut = "credential_required"

// signedOut returns the obstacle of a connection whose credential was removed at
// since; nil if none was.
func signedOut(since time.Time) *Obstacle {
	if since.IsZero() {
		return nil
	}
	return &Obstacle{Kind: BadCredentials, Code: CodeSignedOut, Since: since}
}

// FindObstacle returns the obstacle that the newest attempt in the history, newest
// first, reports; nil for none. A cancelled or killed run reports nothing.
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

// otherModule are the refusals of a module that can be checked without running it.
var otherModule = []abi.Code{
	abi.CodePluginUnknown, abi.CodePluginChanged, abi.CodePluginNotAccepted, abi.CodePluginUnsafe, abi.CodePluginUnreadable, abi.CodePluginNotRegular, abi.CodePluginsDirWritable,
}

// CredentialsAtFault reports whether the attempt failed over its credentials, so that
// the owner has to check them.
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

// ownersAreas are the areas of refusals that only the owner can resolve: by a setting,
// a folder, a module, a credential. Other refusals may resolve themselves.
var ownersAreas = []string{
	"binding", "config", "connection", "credential", "egress", "files", "interact", "manifest", "plugin", "send", "stream", "usage", "vault",
}

// OwnersToChange reports whether a refusal remains until the owner acts. That alone
// does not make it an obstacle, because often only another attempt can show the
// change: the back-off delays such attempts (FindObstacle returns the obstacles that
// prevent them).
func OwnersToChange(code abi.Code) bool {
	area, _, _ := strings.Cut(string(code), ".")
	return slices.Contains(ownersAreas, area)
}

// allowsRun reports whether a run could begin despite the obstacle.
func (o *Obstacle) allowsRun() bool { return o.Kind != NoFolder && o.Kind != OtherModule }

// Action returns the obstacle as an action of its owner's: one mechanism detects for
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

// Attention returns a probe's evidence for an obstacle that the host can check: a
// folder, a module.
func Attention(putRight bool) verdict.SatisfactionEvidence {
	status := health.False
	if putRight {
		status = health.True
	}
	return verdict.SatisfactionEvidence{Conditions: []health.Condition{{Type: health.AttentionClear, Status: status, Current: true}}}
}
