package unread

import (
	"context"

	"github.com/pdpp-host/pdpp-host/host/leftover"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Show returns the files of a connection.
func Show(ctx context.Context, o *owner.Owner, name string) (*leftover.Files, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	return leftover.Show(ctx, store, conn)
}

// Decide changes which files a connection leaves alone, and returns its files.
func Decide(ctx context.Context, o *owner.Owner, name string, c leftover.Change) (*leftover.Files, error) {
	store, conn, err := o.Find(ctx, name)
	if err != nil {
		return nil, err
	}
	err = o.Audited(ctx, store, "connections.ignore", conn.Name, func(ctx context.Context) error {
		return leftover.Decide(ctx, store, conn, c)
	})
	if err != nil {
		return nil, err
	}
	return leftover.Show(ctx, store, conn)
}
