package collector

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/storage"
)

// beat tells the host how the lane is. It is sent even when ctx has ended, since
// the end of an execution is what the host has to learn of most.
func (c *Collector) beat(ctx context.Context, status string, counts *storage.OutboxCounts, last *device.LastError) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.policy.BeatTimeout)
	defer cancel()
	h := device.Heartbeat{
		AgentVersion: c.deps.Install.AgentVersion(), ConnectorID: c.deps.Profile.ConnectorID,
		SourceInstanceID: c.deps.Profile.SourceInstanceID, Status: status, LastError: last,
	}
	if counts != nil {
		rows := waiting(counts)
		h.RecordsPending, h.Outbox = &rows, outboxOf(counts)
	}
	err := c.lane.Heartbeat(ctx, h)
	if errors.Is(err, context.DeadlineExceeded) {
		err = client.Unreachable("timeout", "it did not answer in time")
	}
	if err != nil {
		c.deps.Logger.Debug("a heartbeat was not taken", "status", status, "error", err.Error())
	}
	return err
}

func outboxOf(c *storage.OutboxCounts) *device.Outbox {
	return &device.Outbox{
		Pending: c.Pending, Leased: c.Leased, Retrying: c.Retrying, DeadLetter: c.DeadLetter, StaleLeases: c.StaleLeases,
		Succeeded: c.Succeeded, Total: c.Total, BacklogOpen: c.BacklogOpen,
		OldestPendingAt: moment(c.OldestPendingAt), OldestRetryingAt: moment(c.OldestRetryingAt),
		LastAckAt: moment(c.LastAckAt), LastCheckpointAt: moment(c.LastCheckpointAt), LifecycleState: c.LifecycleState,
	}
}

// standing is the status of a lane at the end of an execution, and what is wrong
// with it. A host calls a lane blocked only for what somebody has to put right. A
// run that failed, or was refused, has an end of its own that says so.
func standing(e *ending) (status string, last *device.LastError) {
	switch c := e.counts; {
	case e.stateRead:
		return device.StatusBlocked, &device.LastError{Kind: device.ErrorStateRead}
	case c == nil:
		return device.StatusRetrying, nil // the outbox could not be counted: nothing better is known
	case c.DeadLetter > 0:
		return device.StatusBlocked, &device.LastError{Kind: device.ErrorDeadLetters, Classes: c.DeadLetterClasses}
	case e.commitPending:
		return device.StatusRetrying, &device.LastError{Kind: device.ErrorRunNotTakenUp}
	case e.interrupted:
		return device.StatusStopped, nil
	case waiting(c) > 0 || e.budgetReached || e.unsaid:
		return device.StatusRetrying, nil
	default:
		return device.StatusHealthy, nil
	}
}
