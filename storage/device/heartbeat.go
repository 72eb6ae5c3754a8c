package device

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/run"
)

// The words of a heartbeat. A word that is not among them is not kept: a heartbeat is shown
// to the owner, and to whoever the owner shows it to (LC-07.4).
var (
	HeartbeatStatuses = []string{device.StatusStarting, device.StatusHealthy, device.StatusRetrying, device.StatusBlocked, device.StatusStopped}
	heartbeatErrors   = []string{device.ErrorStateRead, device.ErrorDeadLetters, device.ErrorRunNotTakenUp}
	lifecycleStates   = []string{"dead_letter", "stale_lease", "draining", "retryable_backlog", "coverage_missing", "healthy_idle"}
)

const (
	maxErrorClasses = 8
	maxErrorWord    = 64
	// MaxCount is the largest whole number that every reader of JSON has. A larger count is
	// stored as this.
	MaxCount = 1<<53 - 1
)

// PutHeartbeat keeps what a source says of itself, and returns when it was
// received. A run of its device that goes on is alive.
func (s *Store) PutHeartbeat(ctx context.Context, src *SourceInstance, h device.Heartbeat) (time.Time, error) {
	if !slices.Contains(HeartbeatStatuses, h.Status) {
		return time.Time{}, badRequest("status", "one of "+strings.Join(HeartbeatStatuses, ", "))
	}
	var received time.Time
	err := s.db.Alone(ctx, "keep the heartbeat", func(t *db.Tx) error {
		row, err := feed(t, src)
		if err != nil {
			return err
		}
		received = db.Time(db.Micros(t.Now))
		row.HeardUS = db.Micros(t.Now)
		if row.Heartbeat, err = tables.EncodeJSON(keptHeartbeat(h, row, t.Now)); err != nil {
			return err
		}
		if _, err := t.DB.NewUpdate().Model(&row.SourceRow).WherePK().Column("heard_us", "heartbeat").Exec(t.Ctx); err != nil {
			return err
		}
		d := deviceRow{ID: row.DeviceID, HeardUS: row.HeardUS, AgentVersion: labelOf(h.AgentVersion)}
		change := t.DB.NewUpdate().Model(&d).WherePK().Column("heard_us")
		if d.AgentVersion != "" {
			change = change.Column("agent_version")
		}
		if _, err := change.Exec(t.Ctx); err != nil {
			return err
		}
		if err := heardOf(t, row); err != nil {
			return err
		}
		if h.Status == device.StatusHealthy {
			if n := h.RecordsPending; n != nil && *n == 0 {
				if err := clearRefusal(t, row, nil); err != nil {
					return err
				}
			}
			if err := s.endImplied(t, row); err != nil {
				return err
			}
		}
		return evidence.DevicesMoved(t, row.ConnectionID)
	})
	return received, err
}

// endImplied ends the lane's run without a name, if there is one: its collector
// says that nothing is left to be delivered.
func (s *Store) endImplied(t *db.Tx, src *tables.SourceJoined) error {
	current, err := currentRun(t, src)
	if err != nil || !strings.HasPrefix(current, impliedPrefix) {
		return err
	}
	w, err := s.deviceRun(t, src, current)
	if err != nil {
		return err
	}
	commit := &device.RunCommit{RunID: current, Outcome: device.Outcome{Status: tables.StatusSucceeded, Mode: abi.ModeIncremental, Connector: src.Connector, FinishedAt: t.Now}}
	o := run.Outcome{Status: tables.StatusSucceeded, EndedAt: t.Now, Events: []run.Event{{Type: lastEvents[tables.StatusSucceeded]}}}
	return endDeviceRun(t, src, w, commit, o)
}

// keptHeartbeat is what is kept of a heartbeat: known words, counts that are
// counts, and times that have come.
func keptHeartbeat(h device.Heartbeat, src *tables.SourceJoined, now time.Time) device.Heartbeat {
	out := device.Heartbeat{
		AgentVersion: labelOf(h.AgentVersion), ConnectorID: src.Connector, SourceInstanceID: src.ID, Status: h.Status,
	}
	if n := h.RecordsPending; n != nil && *n >= 0 {
		rows := bounded(*n)
		out.RecordsPending = &rows
	}
	if o := h.Outbox; o != nil {
		kept := *o
		for _, n := range []*int64{
			&kept.Pending, &kept.Leased, &kept.Retrying, &kept.DeadLetter, &kept.StaleLeases, &kept.Succeeded, &kept.Total, &kept.BacklogOpen,
		} {
			*n = bounded(*n)
		}
		for _, when := range []**time.Time{&kept.OldestPendingAt, &kept.OldestRetryingAt, &kept.LastAckAt, &kept.LastCheckpointAt} {
			*when = past(*when, now)
		}
		if !slices.Contains(lifecycleStates, kept.LifecycleState) {
			kept.LifecycleState = ""
		}
		out.Outbox = &kept
	}
	if e := h.LastError; e != nil && slices.Contains(heartbeatErrors, e.Kind) {
		kept := device.LastError{Kind: e.Kind}
		for _, c := range e.Classes[:min(len(e.Classes), maxErrorClasses)] {
			kept.Classes = append(kept.Classes, device.ErrorClass{Count: bounded(c.Count), Class: errorClass(c.Class)})
		}
		out.LastError = &kept
	}
	return out
}

// bounded is a count as it is kept.
func bounded(n int64) int64 { return min(max(n, 0), MaxCount) }

// past passes a device's time that has come; a clock that is ahead tells nothing.
func past(when *time.Time, now time.Time) *time.Time {
	if when == nil {
		return nil
	}
	us, ok := tables.Earlier(*when, now)
	if !ok || us != db.Micros(*when) {
		return nil
	}
	out := db.Time(us)
	return &out
}

// errorClass passes a class of errors: a word, and behind a colon the host's own
// for it. Neither could be a path, and both are too short for a token.
func errorClass(s string) string {
	word, code, answered := strings.Cut(s, ":")
	if !isErrorWord(word) || answered && !isErrorWord(code) {
		return "unclassified"
	}
	return s
}

func isErrorWord(s string) bool {
	return s != "" && len(s) <= maxErrorWord && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '.' && r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
