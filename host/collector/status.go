package collector

import (
	"context"
	"errors"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Status is what a lane is like. It holds no secret. DB names a path and is for
// this machine alone, and so is Failed (LC-07.4).
type Status struct {
	Object              string          `json:"object"` // local_collector_status
	SourceInstanceID    string          `json:"source_instance_id"`
	ConnectorID         string          `json:"connector_id"`
	ConnectorInstanceID string          `json:"connector_instance_id,omitempty"`
	DeviceID            string          `json:"device_id"`
	Host                string          `json:"host"` // that the lane delivers to
	Profile             string          `json:"profile,omitempty"`
	Protocol            string          `json:"collector_protocol_version"`
	AgentVersion        string          `json:"agent_version"`
	Posture             posture.Posture `json:"deployment_posture"`
	LifecycleState      string          `json:"lifecycle_state"`
	DB                  DB              `json:"db"`
	Outbox              StatusOutbox    `json:"outbox"`
	Coverage            CoverageSeen    `json:"coverage"`
	Open                OpenWork        `json:"open_work"`
	Last                *LastRun        `json:"last_run"`                 // nil: none yet
	Since               string          `json:"collects_since,omitempty"` // RFC 3339: the host wants nothing older, as it last said
	PutOff              []PutOff        `json:"put_off,omitempty"`
	Failed              *Failed         `json:"failed,omitempty"` // nil: the last execution began, and delivered
}

// LastRun is how the lane's newest run ended.
type LastRun struct {
	RunID      string    `json:"run_id"`
	Status     string    `json:"status"`
	Reason     string    `json:"reason,omitempty"`
	Code       string    `json:"error_code,omitempty"`
	FinishedAt time.Time `json:"finished_at"`
}

// PutOff counts the uploads that are to be tried again for one reason.
type PutOff struct {
	Count   int64  `json:"count"`
	Class   string `json:"error_class"`
	Message string `json:"message,omitempty"`
}

// DB is the lane's file.
type DB struct {
	Path   string `json:"path"`
	Exists bool   `json:"exists"`
}

// StatusOutbox holds the counts.
type StatusOutbox struct {
	Counts Counts `json:"counts"`
}

// Status reads the lane and changes nothing: no file is made, no schema moved on,
// nothing is sent. A lane that has collected nothing yet is idle.
func (c *Collector) Status(ctx context.Context) (*Status, error) {
	p := c.deps.Profile
	s := &Status{
		Object: "local_collector_status", SourceInstanceID: p.SourceInstanceID, ConnectorID: p.ConnectorID,
		ConnectorInstanceID: p.ConnectorInstanceID, DeviceID: p.DeviceID, Host: c.lane.Client.Base.Host, Profile: p.Name,
		Protocol: device.ProtocolVersion, AgentVersion: c.deps.Install.AgentVersion(), Posture: posture.Of(c.deps.Install),
	}
	info, counts, exists, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	known := c.recall()
	s.Open, s.Failed = openWorkOf(&info, &known), known.Failed
	s.Since = known.Since
	s.DB = DB{Path: c.deps.LanePath, Exists: exists}
	s.LifecycleState, s.Outbox.Counts = counts.LifecycleState, countsOf(&counts)
	if l := info.Last; l != nil {
		s.Last = &LastRun{RunID: l.RunID, Status: l.Status, Reason: l.Reason, Code: l.Code, FinishedAt: l.FinishedAt}
	}
	for _, o := range counts.PutOff {
		s.PutOff = append(s.PutOff, PutOff(o))
	}
	s.Coverage = CoverageSeen{Observed: counts.CoverageObserved, RecordBatches: counts.RecordBatches}
	return s, nil
}

// inspect counts the lane without changing anything.
func (c *Collector) inspect(ctx context.Context) (counts storage.OutboxCounts, exists bool, err error) {
	_, counts, exists, err = c.look(ctx)
	return counts, exists, err
}

// look reads the lane without changing anything. A lane of another source
// instance is refused: it would be told as this one.
func (c *Collector) look(ctx context.Context) (info storage.LaneInfo, counts storage.OutboxCounts, exists bool, err error) {
	info, counts, err = storage.InspectLane(ctx, c.deps.LanePath, c.deps.Now())
	switch {
	case errors.Is(err, &abi.Error{Code: storage.CodeLaneMissing}):
		return storage.LaneInfo{}, storage.OutboxCounts{LifecycleState: storage.LaneHealthyIdle}, false, nil
	case err != nil:
		return info, counts, true, err
	}
	if info.SourceInstanceID != c.deps.Profile.SourceInstanceID {
		return info, counts, true, abi.NewError(storage.CodeLaneMismatch, "the file is the outbox of another source instance",
			"use the profile that the file belongs to, or name another file with --queue").WithDetail(c.deps.LanePath)
	}
	return info, counts, true, nil
}
