package client

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// A host that knows no more than the public protocol takes no manifest, and of a run only the
// end of one that succeeded and accounted for its stores. A fact that it has no words for is
// not sent: it would refuse it, and hold the lane up.

// ErrUnsaid marks a row that the host's protocol cannot express.
var ErrUnsaid = errors.New("the host has no words for it")

// publicReasons are the reasons of gaps that every host knows.
const (
	publicBudget = "policy_budget"
	publicFailed = "connector_child_failure"
)

// sendPublicCommit sends the ten members of a run's end; of one that says nothing of
// its stores the cursors alone, and of one that did not succeed nothing.
func (l *Lane) sendPublicCommit(ctx context.Context, body []byte, r *device.RunCommit) error {
	r.Facts = slices.DeleteFunc(r.Facts, func(f device.TerminalFact) bool { return slices.Contains(l.Withhold, f.Stream) })
	switch {
	case r.Outcome.Status != run.StatusSucceeded, len(r.Facts)+len(r.StateDelta) == 0:
		return ErrUnsaid
	case len(r.Facts) == 0:
		return l.putState(ctx, r.StateDelta)
	}
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(body, &whole); err != nil {
		return badShape("it is no end of a run")
	}
	delete(whole, "outcome")
	if len(l.Withhold) > 0 {
		l.withhold(r.StateDelta)
		var err, factsErr error
		whole["state_delta"], err = json.Marshal(r.StateDelta)
		whole["terminal_facts"], factsErr = json.Marshal(r.Facts)
		if err != nil || factsErr != nil {
			return badShape("it is no end of a run")
		}
	}
	ten, err := json.Marshal(whole)
	if err != nil {
		return badShape("it is no end of a run")
	}
	return l.postCommit(ctx, ten, r)
}

// publicGap is a gap in the members of the public protocol. Its details are the
// reason, where that is one that the host does not know.
type publicGap struct {
	ConnectorID      string     `json:"connector_id"`
	SourceInstanceID string     `json:"source_instance_id"`
	Reason           string     `json:"reason"`
	Stream           string     `json:"stream,omitempty"`
	Boundary         string     `json:"stream_boundary,omitempty"`
	RecoveredRunID   string     `json:"recovered_run_id,omitempty"`
	Retryable        *bool      `json:"retryable,omitempty"`
	FirstSeenAt      *time.Time `json:"first_seen_at,omitempty"`
	BackoffMS        *int64     `json:"next_attempt_backoff_ms,omitempty"`
	FirstSeenRunID   string     `json:"first_seen_run_id,omitempty"`
	LastRunID        string     `json:"last_run_id,omitempty"`
	Details          string     `json:"details,omitempty"`
}

// asPublicGap writes what is said of a gap in the public protocol's members. Two gaps
// of one stream and boundary are one there.
func asPublicGap(body []byte, recovered bool) ([]byte, error) {
	var g publicGap
	if err := json.Unmarshal(body, &g); err != nil {
		return nil, err
	}
	reason := publicFailed
	if g.Reason == publicBudget {
		reason = publicBudget
	}
	if reason != g.Reason && !recovered {
		g.Details = g.Reason
	}
	g.Reason = reason
	return json.Marshal(g)
}
