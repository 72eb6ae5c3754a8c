package devices

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeDeviceUnknown says that nobody enrolled a device of that name.
const CodeDeviceUnknown abi.Code = "connection.device_unknown"

// Device is a device as it is listed.
type Device struct {
	ID           string     `json:"device_id"`
	Label        string     `json:"label"`
	AgentVersion string     `json:"agent_version"`
	CreatedAt    time.Time  `json:"created_at"`
	HeardAt      *time.Time `json:"last_heartbeat_at"` // null: never
	RevokedAt    *time.Time `json:"revoked_at"`        // null: it may deliver
	Connections  []string   `json:"connections"`       // that it feeds

	bindings []string
}

// Source is one source on a device, with what the device said of it last: the
// device's own words and counts, which decide nothing here.
type Source struct {
	ID         string            `json:"source_instance_id"`
	Connection string            `json:"connection"`
	Connector  string            `json:"connector_id"`
	Binding    string            `json:"local_binding_name"`
	HeardAt    *time.Time        `json:"last_heartbeat_at"` // null: never
	Heartbeat  *device.Heartbeat `json:"heartbeat"`         // null: there was none

	owner.FeedNews
}

// Detail is a device with its sources.
type Detail struct {
	Device

	Sources []Source `json:"source_instances"`
}

// Name returns what the device is called.
func (d *Device) Name() string { return owner.DeviceName(d.Label, d.ID, d.bindings...) }

// State says whether the device may deliver, and when it did.
func (d *Device) State() string {
	switch {
	case d.RevokedAt != nil:
		return "revoked " + words.Timestamp(*d.RevokedAt)
	case d.HeardAt == nil:
		return "never heard"
	default:
		return "heard " + words.Timestamp(*d.HeardAt)
	}
}

// List returns all devices, the oldest first, revoked ones as well.
func List(ctx context.Context, o *owner.Owner) ([]Device, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	return devices(ctx, store)
}

// IDs returns the ids of all devices.
func IDs(ctx context.Context, o *owner.Owner) ([]string, error) {
	all, err := List(ctx, o)
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids, err
}

// Show returns a device with its sources.
func Show(ctx context.Context, o *owner.Owner, typed string) (*Detail, error) {
	store, found, err := findDevice(ctx, o, typed)
	if err != nil {
		return nil, err
	}
	all, err := store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	v := &Detail{Device: *found, Sources: []Source{}}
	for i := range all {
		if s := &all[i]; s.DeviceID == v.ID {
			v.Sources = append(v.Sources, Source{s.ID, s.ConnectionName, s.ConnectorID, s.Binding, owner.Moment(s.HeardAt), s.Heartbeat, owner.NewsOf(s)})
		}
	}
	return v, nil
}

func devices(ctx context.Context, store *storage.Store) ([]Device, error) {
	stored, err := store.Devices(ctx)
	if err != nil {
		return nil, err
	}
	sources, err := store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	all := make([]Device, len(stored))
	for i := range stored {
		all[i] = deviceOf(&stored[i], sources)
	}
	return all, nil
}

func deviceOf(d *storage.Device, sources []storage.SourceInstance) Device {
	v := Device{
		ID: d.ID, Label: d.Label, AgentVersion: d.AgentVersion, CreatedAt: d.CreatedAt, HeardAt: owner.Moment(d.HeardAt), RevokedAt: owner.Moment(d.RevokedAt),
		Connections: []string{},
	}
	for i := range sources {
		if sources[i].DeviceID != d.ID {
			continue
		}
		if !slices.Contains(v.Connections, sources[i].ConnectionName) {
			v.Connections = append(v.Connections, sources[i].ConnectionName)
		}
		if !slices.Contains(v.bindings, sources[i].Binding) {
			v.bindings = append(v.bindings, sources[i].Binding)
		}
	}
	return v
}

// findDevice opens the store and finds a device in it.
func findDevice(ctx context.Context, o *owner.Owner, typed string) (*storage.Store, *Device, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, nil, err
	}
	found, err := deviceNamed(ctx, store, typed)
	return store, found, err
}

// deviceNamed finds a device by its id, its name, or the connection that it feeds.
// One that may deliver goes before those that were revoked.
func deviceNamed(ctx context.Context, store *storage.Store, typed string) (*Device, error) {
	all, err := devices(ctx, store)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ID == typed {
			return &all[i], nil
		}
	}
	for _, matches := range []func(*Device) bool{
		func(v *Device) bool { return v.RevokedAt == nil && v.Name() == typed },
		func(v *Device) bool { return v.RevokedAt == nil && slices.Contains(v.Connections, typed) },
		func(v *Device) bool { return v.Name() == typed || slices.Contains(v.Connections, typed) },
	} {
		var found []*Device
		for i := range all {
			if matches(&all[i]) {
				found = append(found, &all[i])
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, manyDevices(typed, found)
		}
	}
	return nil, noDevice(typed, all)
}

func manyDevices(typed string, found []*Device) error {
	var which []string
	for _, v := range found {
		which = append(which, fmt.Sprintf("%s (%s, %s)", v.ID, v.Name(), v.State()))
	}
	return abi.NewError(CodeDeviceUnknown, fmt.Sprintf("%q is %d devices", typed, len(found)), "name one by its id: "+strings.Join(which, ", "))
}

func noDevice(typed string, all []Device) error {
	var known []string
	ids := map[string]string{}
	for i := range all {
		for _, name := range append([]string{all[i].ID, all[i].Name()}, all[i].Connections...) {
			known, ids[name] = append(known, name), all[i].ID
		}
	}
	hint := "pdpp-host devices list shows them"
	if n := abi.Nearest(typed, known); n != "" {
		hint = fmt.Sprintf("did you mean %q, which is %s? %s", n, ids[n], hint)
	}
	return abi.NewError(CodeDeviceUnknown, fmt.Sprintf("there is no device %q", typed), hint)
}
