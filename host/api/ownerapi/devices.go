package ownerapi

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func (c *call) listDevices() (*wire.List[devices.Device], error) {
	all, err := devices.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "devices", all, func(d *devices.Device) string { return d.ID })
}

func (c *call) showDevice() (*devices.Detail, error) {
	return devices.Show(c.Context(), c.owner, c.r.PathValue("device"))
}

// invitation asks for a code with which one device enrols.
type invitation struct {
	Connector  string `json:"connector_id"`
	Binding    string `json:"local_binding_name,omitempty"`
	BaseURL    string `json:"base_url,omitempty"`
	ExpiresSec int64  `json:"expires_seconds,omitempty"` // 900 where it is left out
	Meant      bool   `json:"unknown_connector,omitempty"`
	// Manifest is the connector's, for a device that sends none.
	Manifest json.RawMessage `json:"manifest,omitempty"`
}

func (c *call) inviteDevice(in *invitation) (*devices.Invited, error) {
	const usual, most = 15 * 60, 24 * 60 * 60
	if in.ExpiresSec < 0 || in.ExpiresSec > most {
		return nil, wire.Invalid("expires_seconds", "is not between one minute and one day")
	}
	return devices.Invite(c.Context(), c.owner, devices.Invitation{
		Connector: in.Connector, Binding: in.Binding, BaseURL: in.BaseURL, Meant: in.Meant, Manifest: in.Manifest,
		Expires: time.Duration(cmp.Or(in.ExpiresSec, usual)) * time.Second,
	})
}

func (c *call) acceptStreams(*struct{}) (*devices.AcceptedStreams, error) {
	return devices.AcceptStreams(c.Context(), c.owner, c.r.PathValue("device"), func(*devices.Device, []devices.Offer) error { return nil })
}

func (c *call) revokeDevice() (*devices.Device, error) {
	return devices.Revoke(c.Context(), c.owner, c.r.PathValue("device"), func(*devices.Device) error { return nil })
}
