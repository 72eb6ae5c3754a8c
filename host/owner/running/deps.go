package running

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Deps wires what every run works with, by hand or by schedule. Nobody is asked and
// nobody watches. At most maxRequests are sent; 0: as many as are configured.
func Deps(o *owner.Owner, store *storage.Store, engine *plugin.Engine, maxRequests int64) run.Deps {
	d := run.Deps{
		Store: store, Engine: engine, Roots: o.Folders, Now: o.Now, Holder: holder.Self(), HolderAlive: holder.Alive,
		NewID:  func() string { return run.NewID(o.Now(), o.Random) },
		Logger: o.Logger,
		Sender: newSender(o.Config, o.Traffic, maxRequests),
		Secrets: func(ctx context.Context, conn *storage.Connection, m *abi.Manifest) (run.Secrets, error) {
			s := credential.New(store, o.Vault, conn, manifest.Credentials(m), o.Getenv)
			return s, s.Check(ctx) // now, so that a lost key refuses the run before it begins
		},
		Details: func(connector string) *abi.DetailLimits { return detailLimits(connector, o.Getenv) },
	}
	if o.Browser != nil {
		d.Browser = &sealing{o.Browser, store, o.Vault}
	}
	return d
}

// byHand is Deps for a run that an owner makes: one that a provider's pressure puts off
// is refused, and what the owner changes by it is audited.
func byHand(o *owner.Owner, store *storage.Store, engine *plugin.Engine, maxRequests int64) run.Deps {
	d := Deps(o, store, engine, maxRequests)
	d.Witness = func(ctx context.Context, change run.Change, connection, moduleSHA256 string) context.Context {
		if change == run.ChangeAccepts {
			return connectors.WitnessAcceptance(ctx, o, connection, moduleSHA256)
		}
		return o.Witness(ctx, operation, connection)
	}
	d.Admit = func(ctx context.Context, id string) error { return cooledDown(ctx, o, store, id) }
	return d
}
