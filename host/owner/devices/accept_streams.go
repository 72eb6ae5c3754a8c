package devices

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeNothingOffered is the code of an acceptance for a device that adds no streams.
const CodeNothingOffered abi.Code = "device.nothing_offered"

// Offer is what the renewed connector of a device adds to one connection.
type Offer struct {
	Connection string
	Streams    []string
}

// AcceptedStreams are the streams that a device may deliver from now on, by connection.
type AcceptedStreams struct {
	Streams  map[string][]string `json:"accepted_streams"`
	DeviceID string              `json:"device_id"`

	Device *Device `json:"-"`
}

// AcceptStreams takes over what the connectors of a device add. confirm is called once,
// with what is offered now; its error is the operation's, and nothing is changed. A
// manifest that is offered in the meantime is not accepted.
func AcceptStreams(ctx context.Context, o *owner.Owner, typed string, confirm func(*Device, []Offer) error) (*AcceptedStreams, error) {
	store, d, err := findDevice(ctx, o, typed)
	if err != nil {
		return nil, err
	}
	all, err := store.SourceInstances(ctx, "")
	if err != nil {
		return nil, err
	}
	offering := slices.DeleteFunc(all, func(s storage.SourceInstance) bool { return s.DeviceID != d.ID || s.OfferedAt.IsZero() })
	if len(offering) == 0 {
		return nil, o.Refused(ctx, store, "devices.accept", d.ID,
			abi.NewError(CodeNothingOffered, d.Name()+" offers no streams to accept", "`pdpp-host devices show "+d.ID+"` shows what it may deliver"))
	}
	offers := make([]Offer, len(offering))
	for i := range offering {
		offers[i] = Offer{offering[i].ConnectionName, offering[i].OfferedStreams}
	}
	if err := confirm(d, offers); err != nil {
		return nil, err
	}
	a := &AcceptedStreams{Streams: map[string][]string{}, DeviceID: d.ID, Device: d}
	for i := range offering {
		err := o.Audited(ctx, store, "devices.accept", offering[i].ConnectionName+" "+d.ID, func(ctx context.Context) error {
			return store.AcceptDeviceManifest(ctx, &offering[i])
		})
		if err != nil {
			return nil, err
		}
		a.Streams[offers[i].Connection] = offers[i].Streams
	}
	return a, nil
}
