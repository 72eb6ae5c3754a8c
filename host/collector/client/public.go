package client

import (
	"context"
	"encoding/json"
	"errors"
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

// asPublicBatch writes a batch as the public protocol demands: a deletion has no data, and a key
// of several fields is a list of them. key returns the primary key of a stream. A batch that
// needs no change keeps its hash and its id; a changed one gets new ones.
func asPublicBatch(body []byte, b *device.Batch, key func(stream string) []string) ([]byte, error) {
	var records []map[string]json.RawMessage
	if err := json.Unmarshal(b.Records, &records); err != nil {
		return nil, err
	}
	changed := false
	for _, r := range records {
		var op, stream, text string
		_ = json.Unmarshal(r["op"], &op) // no text is no deletion
		if _, has := r["data"]; has && op == device.OpDelete {
			delete(r, "data")
			changed = true
		}
		if err := errors.Join(json.Unmarshal(r["stream"], &stream), json.Unmarshal(r["record_key"], &text)); err != nil {
			return nil, err
		}
		fields := len(key(stream))
		var parts []json.RawMessage
		if fields > 1 && json.Unmarshal([]byte(text), &parts) == nil && len(parts) == fields {
			r["record_key"], changed = json.RawMessage(text), true
		}
	}
	if !changed {
		return body, nil
	}
	return rewritten(b, records)
}

// rewritten returns the body of a batch with other records than it had.
func rewritten(b *device.Batch, records []map[string]json.RawMessage) ([]byte, error) {
	var err error
	if b.Records, err = json.Marshal(records); err != nil {
		return nil, err
	}
	if b.BodyHash, err = device.Hash(b.Records); err != nil {
		return nil, err
	}
	b.BatchID = device.BatchID(b.ConnectorID, b.SourceInstanceID, b.BatchSeq, b.BodyHash)
	return json.Marshal(b)
}
