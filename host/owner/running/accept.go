package running

import (
	"cmp"
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// askFirst asks for the owner's word for the module of a run, where its connection has
// accepted none. Where nobody is asked, the run itself is refused.
func askFirst(ctx context.Context, o *owner.Owner, store *storage.Store, engine *plugin.Engine, r *Request) error {
	if r.Consent == nil {
		return nil
	}
	known, err := store.Connection(ctx, cmp.Or(r.Connection, r.Module.Name))
	if err == nil && known.PinnedSHA256 == r.Module.SHA256 {
		return nil // accepted as it is: describing it would take longer than the start of a run
	}
	d, err := modules.Describe(ctx, engine, r.Module)
	if err != nil {
		return nil //nolint:nilerr // the run itself says what is wrong with its module
	}
	conn, err := store.Connection(ctx, cmp.Or(r.Connection, d.Manifest.ConnectorKey))
	switch {
	case abi.CodeOf(err) == abi.CodeConnectionUnknown:
		conn = &storage.Connection{}
	case err != nil:
		return err
	case conn.PinnedSHA256 != "":
		return nil
	}
	t, err := o.Terms(d, owner.Overlaid(conn.Roots, r.Roots), owner.Overlaid(conn.Options, r.Options))
	if err != nil {
		return err
	}
	r.Allowed, err = r.Consent.Ask(ctx, t, nil, nil)
	if err != nil {
		return declined{err}
	}
	r.Accept = true
	return nil
}

// declined is the error of an owner who was asked and did not accept the module: nothing
// was refused to them.
type declined struct{ error }

func (d declined) Unwrap() error { return d.error }
