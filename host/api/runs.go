package api

import (
	"maps"
	"net/http"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
)

// commitRun ends a run: its cursors, its outcome and its evidence move together,
// or nothing does. The answer echoes the hash of what was received, which the
// collector compares with its own before it forgets the run.
func (a *API) commitRun(c *call) (any, error) {
	var q device.RunCommit
	if err := c.decode(&q); err != nil {
		return nil, err
	}
	if q.DeviceID != c.device.ID {
		return nil, refuse(http.StatusForbidden, device.CodeForbidden, "the run is another device's")
	}
	if err := bodyOf(c.source, q.SourceInstanceID, q.ConnectorID); err != nil {
		return nil, err
	}
	if q.ConnectorInstanceID != c.source.ConnectionID {
		return nil, wrong("connector_instance_id", "is not the source's")
	}
	m, err := a.manifestOf(c, &q)
	if err != nil {
		return nil, err
	}
	plain := q.Plain()
	if plain {
		q.Outcome = a.plainOutcome(&q, m)
	}
	if err := checkRun(&q, m, plain); err != nil {
		return nil, err
	}
	sum, err := device.Hash(c.body)
	if err != nil {
		return nil, wrong("body", "is not valid JSON")
	}
	echo := sum
	if q.Boundary != nil { // else an older collector of this project, which hashes the whole
		if echo, err = device.CommitHash(c.body); err != nil {
			return nil, wrong("terminal_facts", "have the wrong form")
		}
	}
	event, _, err := a.store.CommitDeviceRun(c.r.Context(), c.source, &q, sum)
	if err != nil {
		return nil, err
	}
	return device.RunCommitAnswer{
		Object: "device_terminal_run_commit", CommitID: q.CommitID, RunID: q.RunID, EnvelopeHash: echo, TerminalEventID: event,
	}, nil
}

// plainOutcome is the outcome of a run whose collector says none: it sends the end of
// those runs alone that succeeded.
func (a *API) plainOutcome(q *device.RunCommit, m *abi.Manifest) device.Outcome {
	return device.Outcome{
		Status: abi.DoneSucceeded, Mode: abi.ModeIncremental, Connector: m.ConnectorKey, Version: m.Version, Streams: streamsOf(q),
		FinishedAt: a.now(),
	}
}

// streamsOf returns the streams that a run's end names, sorted.
func streamsOf(q *device.RunCommit) []string {
	streams := slices.Collect(maps.Keys(q.StateDelta))
	for _, f := range q.Facts {
		streams = append(streams, f.Stream)
	}
	slices.Sort(streams)
	return slices.Compact(streams)
}

// manifestOf is what a run's end is held against. A run that was refused before it
// began may have had no module, and so no manifest: it has no streams either.
func (a *API) manifestOf(c *call, q *device.RunCommit) (*abi.Manifest, error) {
	ends := q.RunID
	if q.Plain() {
		ends = "" // the public collector names a run when it ends, and never before
	}
	m, err := a.described(c.r.Context(), c.source, ends, seeNames(streamsOf(q)...))
	switch {
	case err == nil:
		return m.manifest, nil
	case refused(&q.Outcome) && refusalOf(err).code == device.CodeManifestMissing:
		return &abi.Manifest{ConnectorKey: c.source.ConnectorID}, nil
	}
	return nil, err
}
