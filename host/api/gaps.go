package api

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// putGap keeps a gap. There is one for each (reason, stream, boundary): seen again
// it is the same.
func (a *API) putGap(c *call) (any, error) {
	var g device.Gap
	if err := c.decode(&g); err != nil {
		return nil, err
	}
	if err := bodyOf(c.source, g.SourceInstanceID, g.ConnectorID); err != nil {
		return nil, err
	}
	if err := checkGap(g.Reason, g.Boundary); err != nil {
		return nil, err
	}
	kept, err := a.store.PutDeviceGap(c.r.Context(), c.source, g)
	if err != nil {
		return nil, err
	}
	return gapAnswer(kept), nil
}

// recoverGap marks a gap as filled.
func (a *API) recoverGap(c *call) (any, error) {
	var g device.GapRecovered
	if err := c.decode(&g); err != nil {
		return nil, err
	}
	if err := bodyOf(c.source, g.SourceInstanceID, g.ConnectorID); err != nil {
		return nil, err
	}
	if err := checkGap(g.Reason, g.Boundary); err != nil {
		return nil, err
	}
	kept, err := a.store.RecoverDeviceGap(c.r.Context(), c.source, g)
	if err != nil {
		return nil, err
	}
	return gapAnswer(kept), nil
}

// checkGap holds a gap's identity to what the store can hold as text. A boundary is
// a record's key or a name of the connector's. A stream that the manifest has no
// more is the store's to answer: the device must be able to be done with it.
func checkGap(reason, at string) error {
	switch {
	case !isWord(reason):
		return wrong("reason", "must be a word")
	case len(at) > abi.MaxKeyBytes || strings.ContainsRune(at, 0):
		return wrong("stream_boundary", "is too long, or holds a NUL character")
	}
	return nil
}

func gapAnswer(g *storage.Gap) device.GapAnswer {
	return device.GapAnswer{Object: "device_local_collector_gap", GapID: g.ID, Status: g.Status, AttemptCount: g.AttemptCount, Stream: g.Stream}
}
