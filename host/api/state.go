package api

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// statePage bounds the cursors of one page, in bytes: one of abi.MaxStateBytes fits.
const statePage = abi.MaxStateBytes

// readState tells the committed cursors, all of them or a page, and which manifest
// the host has.
func (a *API) readState(c *call) (any, error) {
	after, paged, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	part := storage.StatePart{After: after}
	if paged {
		part.Most = statePage
	}
	return a.stateOf(c, part)
}

// pageOf reads what page of the cursors is asked for; paged is false for all at once.
func pageOf(c *call) (after string, paged bool, err error) {
	all, paged := c.r.URL.Query()[device.StateAfter]
	switch {
	case !paged:
		return "", false, nil
	case len(all) != 1 || !isText(all[0]) || !utf8.ValidString(all[0]) || strings.ContainsRune(all[0], 0):
		return "", false, wrong(device.StateAfter, "must be the name of a stream, once")
	}
	return all[0], true, nil
}

func (a *API) stateOf(c *call, part storage.StatePart) (any, error) {
	src := c.source
	state, next, at, err := a.store.DeviceState(c.r.Context(), src, part)
	if err != nil {
		return nil, err
	}
	answer := device.State{
		Object: "device_source_instance_state", ConnectorInstanceID: src.ConnectionID, DeviceID: c.device.ID,
		SourceInstanceID: src.ID, State: make(map[string]json.RawMessage, len(state)), ManifestSHA256: src.ManifestSHA256, Next: next,
	}
	for stream, cursor := range state {
		answer.State[stream] = cursor
	}
	if part.After == "" && part.Streams == nil {
		if answer.State[device.ScopeKey], err = device.DeclaredScope(src.Scope, src.CreatedAt); err != nil {
			return nil, err
		}
	}
	if !at.IsZero() {
		at = at.UTC()
		answer.UpdatedAt = &at
	}
	return answer, nil
}

// commitState moves cursors while a run goes on.
func (a *API) commitState(c *call) (any, error) {
	_, paged, err := pageOf(c)
	if err != nil {
		return nil, err
	}
	var q device.StateCommit
	if err := c.decode(&q); err != nil {
		return nil, err
	}
	if q.RunID != "" && !isID(q.RunID) {
		return nil, wrong("run_id", "must be a short id, or left out")
	}
	if len(q.State) == 0 {
		return nil, wrong("state", "holds no stream")
	}
	m, err := a.described(c.r.Context(), c.source, q.RunID, seeNames(slices.Collect(maps.Keys(q.State))...))
	if err != nil {
		return nil, err
	}
	if err := checkState("state", m.manifest, q.State); err != nil {
		return nil, err
	}
	state := make(map[string][]byte, len(q.State))
	for stream, cursor := range q.State {
		state[stream] = cursor
	}
	if err := a.store.CommitDeviceState(c.r.Context(), c.source, q.RunID, state); err != nil {
		return nil, err
	}
	var part storage.StatePart
	if paged {
		part.Streams = slices.Collect(maps.Keys(state))
	}
	return a.stateOf(c, part)
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
