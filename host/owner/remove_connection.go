package owner

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/run/holder"
)

// Removed is what went with a connection.
type Removed struct {
	Connection string `json:"connection"`
	Records    int64  `json:"records"`
}

// RemoveConnection deletes a connection and everything it collected. confirm is called
// once, before anything is deleted; its error is the operation's, and nothing is deleted. Its
// browser profile goes last, and an error says that it is there still.
func (o *Owner) RemoveConnection(ctx context.Context, name string, confirm func(Removed) error) (*Removed, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	streams, err := store.Streams(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	r := Removed{Connection: conn.Name}
	for _, s := range streams {
		r.Records += s.Live
	}
	if err := confirm(r); err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "connections.remove", conn.Name, func(ctx context.Context) error {
		return store.RemoveConnection(ctx, conn.ID, holder.Alive) // by its id: another may be called so by now
	})
	if err == nil && o.Browser != nil {
		err = o.Browser.Forget(ctx, conn.Connector, conn.ID)
	}
	return &r, err
}

// RevokeConnection takes back what its owner accepted for a connection: nothing of it runs any
// more, by itself or by hand, until they accept a module for it again. Its records stay, and so
// do its credentials. A run that goes on ends by itself; what a device delivers ends with the device.
func (o *Owner) RevokeConnection(ctx context.Context, name string) (*Connection, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "connections.revoke", conn.Name, func(ctx context.Context) error {
		if err := NotOnDevice(ctx, store, conn.ID); err != nil {
			return err
		}
		done, err := store.RevokeConnection(ctx, conn.ID)
		if err == nil && !done {
			err = errUnchanged
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return o.Connection(ctx, conn.ID)
}
