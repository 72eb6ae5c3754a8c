package ownerapi

import (
	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/owner/notifications"
)

func (c *call) listChannels() (*wire.List[notifications.Channel], error) {
	all, err := notifications.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return pageOf(c, "notification-channels", all.Channels, func(ch *notifications.Channel) string { return ch.ID })
}

func (c *call) showChannel() (*notifications.Channel, error) {
	return notifications.Show(c.Context(), c.owner, c.r.PathValue("channel"))
}

// newChannel asks for a channel. No answer has its address.
type newChannel struct {
	Name    string                `json:"name,omitempty"`
	Address notifications.Address `json:"address"`
}

func (c *call) addChannel(in *newChannel) (*notifications.Channel, error) {
	made, err := notifications.Add(c.Context(), c.owner, notifications.NewChannel{Name: in.Name, Address: in.Address})
	if err != nil {
		return nil, err
	}
	c.w.Header().Set("Location", Prefix+"/notification-channels/"+made.ID)
	return made, nil
}

func (c *call) removeChannel() (*notifications.Channel, error) {
	return notifications.Remove(c.Context(), c.owner, c.r.PathValue("channel"))
}

func (c *call) testChannel(*struct{}) (*notifications.Channel, error) {
	return notifications.Test(c.Context(), c.owner, c.r.PathValue("channel"))
}

func (c *call) showNoticeSettings() (*notifications.Settings, error) {
	all, err := notifications.List(c.Context(), c.owner)
	if err != nil {
		return nil, err
	}
	return &all.Settings, nil
}

// noticeChange says what is to change about notifications; a member that is left out stays.
type noticeChange struct {
	QuietFrom  *string `json:"quiet_from,omitempty"` // HH:MM; "" for both: no hour is quiet
	QuietUntil *string `json:"quiet_until,omitempty"`
	Zone       *string `json:"zone,omitempty"`
	TellsOver  *bool   `json:"tells_over,omitempty"`
}

func (c *call) changeNoticeSettings(in *noticeChange) (*notifications.Settings, error) {
	return notifications.ChangeSettings(c.Context(), c.owner, notifications.Change(*in))
}
