package api

import (
	"bytes"
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// readState tells the committed cursors, and which manifest the host has.
func (a *API) readState(c *call) (any, error) { return a.stateOf(c, c.source) }

func (a *API) stateOf(c *call, src *storage.SourceInstance) (any, error) {
	state, at, err := a.store.DeviceState(c.r.Context(), src)
	if err != nil {
		return nil, err
	}
	answer := device.State{
		Object: "device_source_instance_state", ConnectorInstanceID: src.ConnectionID, DeviceID: c.device.ID,
		SourceInstanceID: src.ID, State: make(map[string]json.RawMessage, len(state)), ManifestSHA256: src.ManifestSHA256,
	}
	for stream, cursor := range state {
		answer.State[stream] = cursor
	}
	if !at.IsZero() {
		at = at.UTC()
		answer.UpdatedAt = &at
	}
	return answer, nil
}

// commitState moves cursors while a run goes on.
func (a *API) commitState(c *call) (any, error) {
	var q device.StateCommit
	if err := c.decode(&q); err != nil {
		return nil, err
	}
	if !isID(q.RunID) {
		return nil, wrong("run_id", "must be a short id")
	}
	m, err := a.pinned(c.r.Context(), c.source)
	if err != nil {
		return nil, err
	}
	if err := checkState("state", m.manifest, q.State); err != nil {
		return nil, err
	}
	if len(q.State) == 0 {
		return nil, wrong("state", "holds no stream")
	}
	state := make(map[string][]byte, len(q.State))
	for stream, cursor := range q.State {
		state[stream] = cursor
	}
	if err := a.store.CommitDeviceState(c.r.Context(), c.source, q.RunID, state); err != nil {
		return nil, err
	}
	return a.stateOf(c, c.source)
}

// checkState holds cursors to what a local run's STATE may carry: a stream of the
// manifest's, and an object or null.
func checkState(param string, m *abi.Manifest, state map[string]json.RawMessage) error {
	for stream, cursor := range state {
		cursor = bytes.TrimSpace(cursor)
		switch {
		case !declares(m, stream):
			return wrong(param, "names a stream that the manifest does not have")
		case len(cursor) == 0 || cursor[0] != '{' && string(cursor) != "null":
			return wrong(param, "holds a cursor that is neither an object nor null")
		case len(cursor) > abi.MaxStateBytes:
			return wrong(param, "holds a cursor above "+sizeText(abi.MaxStateBytes))
		}
	}
	return nil
}
