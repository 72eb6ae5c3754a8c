package running

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// typed reports whether something was typed for this run only that can be why it is
// refused: that says nothing of the connection.
func (r *Request) typed() bool {
	return r.AcceptRoot || !r.Since.IsZero() || r.RecordTo != "" || len(r.Streams)+len(r.Resources)+len(r.Roots)+len(r.Options) > 0
}

// passing are the areas of refusals that the scheduler holds for the owner, and that say
// nothing of the connection when it is run by hand: what was typed or set for this
// process.
var passing = []string{"config", "stream", "usage"}

// ownersToChange reports whether a refusal of a run by hand stays one until the owner has
// changed something about the connection.
func ownersToChange(code abi.Code) bool {
	area, _, _ := strings.Cut(string(code), ".")
	// Whether a keyring answers is this process's own; a key that is lost is lost for all.
	return schedule.OwnersToChange(code) && !slices.Contains(passing, area) && code != vault.CodeKeyringUnavailable
}

// toList reports whether a refusal that says nothing of the connection stands beside the list of its
// runs. One of what was typed for this run is answered to who typed it, and so is a stop.
func toList(r *Request, code abi.Code) bool {
	area, _, _ := strings.Cut(string(code), ".")
	return code != abi.CodeInterrupted && !slices.Contains(passing, area) && !(r.typed() && ownersToChange(code))
}

// turnAway keeps that a run was refused by a fault of the machine, before its module was looked at. The
// reserve of a full disk is for deletions, and not given back for that.
func turnAway(ctx context.Context, o *owner.Owner, r *Request, refusal error) {
	name := cmp.Or(r.Connection, r.Typed)
	if !o.HasStore() || modules.IsPath(name) {
		return
	}
	ctx = context.WithoutCancel(ctx)
	store, err := o.StoreAsItIs(ctx)
	if err != nil {
		return // the refusal says it
	}
	if conn, err := store.Connection(ctx, name); err == nil {
		o.TurnAway(ctx, store, conn, schedule.Manual, refusal)
	}
}

// refusedUnopened is refused for a module that could not be opened, before the
// store was.
func refusedUnopened(ctx context.Context, o *owner.Owner, m owner.TypedModule, r *Request, refusal error) error {
	if !o.HasStore() || modules.IsPath(m.Connector) {
		return refusal
	}
	store, err := o.Store(ctx)
	if err != nil {
		return refusal // it says more than a store that cannot be read
	}
	return refused(ctx, o, store, m, r, refusal)
}

// refused tells of a run that was refused before it began, with what its owner can
// do about that connection, and keeps it with the connection as `serve` does: how it
// stands is no secret of whoever tried.
func refused(ctx context.Context, o *owner.Owner, store *storage.Store, m owner.TypedModule, r *Request, refusal error) error {
	if _, ok := errors.AsType[declined](refusal); !ok {
		name := cmp.Or(m.Connection, m.Connector)
		if modules.IsPath(name) && m.File != nil {
			name = m.File.Name
		}
		_ = o.RefusedTo(ctx, store, operation, name, refusal) // it is returned below, with a better hint
	}
	if m.Path != "" {
		refusal = orByPath(m.Path, m.Connection, refusal)
	}
	if modules.IsPath(m.Connector) {
		return orByPath(m.Connector, m.Connection, refusal)
	}
	ctx = context.WithoutCancel(ctx)
	conn, err := store.Connection(ctx, cmp.Or(m.Connection, m.Connector))
	if err != nil || conn.Connector != m.Connector {
		return refusal
	}
	if len(r.Roots) == 0 {
		refusal = OfConnection(o.Home, conn, refusal)
	}
	code := abi.CodeOf(refusal)
	asks := strings.HasPrefix(string(code), "binding.") || strings.HasPrefix(string(code), "interact.")
	if r.typed() || !ownersToChange(code) || asks && !r.Attended {
		if toList(r, code) {
			o.TurnAway(ctx, store, conn, schedule.Manual, refusal)
		}
		return refusal
	}
	if err := owner.KeepRefusal(ctx, store, conn, refusal); err != nil {
		o.Logger.Warn("it cannot be kept that the run was refused", "code", abi.CodeOf(err))
	}
	return refusal
}
