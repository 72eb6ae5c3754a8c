package api

import "github.com/pdpp-host/pdpp-host/abi/device"

// heartbeat keeps what a source says of itself. Words that the store does not know
// it leaves out: a collector may be newer than its host.
func (a *API) heartbeat(c *call) (any, error) {
	var h device.Heartbeat
	if err := c.decode(&h); err != nil {
		return nil, err
	}
	src, err := a.sourceOf(c, h.SourceInstanceID)
	if err != nil {
		return nil, err
	}
	if err := bodyOf(src, h.SourceInstanceID, h.ConnectorID); err != nil {
		return nil, err
	}
	at, err := a.store.PutHeartbeat(c.r.Context(), src, h)
	if err != nil {
		return nil, err
	}
	return device.HeartbeatAnswer{Object: "device_exporter_heartbeat", DeviceID: c.device.ID, ReceivedAt: at.UTC(), Status: "accepted"}, nil
}
