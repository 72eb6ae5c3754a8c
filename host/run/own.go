package run

import (
	"context"
	"maps"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// A connection is made of a module, folders and options: those that it was made
// with or changed to, and the folders that its runs were told since. A later run
// that is told nothing repeats them.

// ModuleRoot is where a connection's ReadRoots hold the path of its module when
// that was named by its path. No folder's root is called so.
const ModuleRoot = ":module"

// keep keeps with the connection what a run of it is made of, once it may begin:
// another folder or address than before was refused, or meant. What a run is told
// besides is the connection's when it is its first. An address that the owner
// accepted becomes its own when something was collected there (see arrive).
//
// Who has given it other folders or another address to be held against since it was
// prepared is not undone, and nothing is read that was not held against them.
func (r *Runner) keep(ctx context.Context, req Request, p *prepared) error {
	return r.change(ctx, p.connection.ID, func(own *storage.Connection) error {
		if !maps.Equal(heldTo(own), p.against) {
			return abi.NewError(abi.CodeConnectionBusy, "connection "+own.Name+" was changed while a run of it was prepared", "run it again")
		}
		own.ReadRoots = readRoots(own.ReadRoots, p.granted.roots)
		own.Roots = merged(own.Roots, req.Roots)
		if p.first {
			own.Options = merged(own.Options, req.Options)
			maps.DeleteFunc(own.Options, func(_, value string) bool { return value == "" })
		}
		if now, known := own.ReadRoots[OriginRoot]; p.sending != nil && (!known || now == p.options[OptionBaseURL]) {
			AskAt(own, p.options[OptionBaseURL])
		}
		delete(own.ReadRoots, ModuleRoot)
		if req.ModulePath != "" {
			own.ReadRoots[ModuleRoot] = req.ModulePath
		}
		return nil
	})
}

// heldTo is what a run of the connection is held against: nothing before its first.
func heldTo(c *storage.Connection) map[string]string {
	if c == nil {
		return nil
	}
	to := merged(c.ReadRoots, nil)
	delete(to, ModuleRoot)
	return to
}

// moveFrom makes the address that the run asks the connection's own, when that is
// still the one that the owner has accepted it instead of.
func (r *Runner) moveFrom(ctx context.Context, was string, p *prepared) error {
	return r.change(ctx, p.connection.ID, func(own *storage.Connection) error {
		if now, known := own.ReadRoots[OriginRoot]; known && now == was {
			AskAt(own, p.options[OptionBaseURL])
		}
		return nil
	})
}

// change changes what is the connection's own, as it is now: whoever watches over a
// run may have kept something since it was prepared.
func (r *Runner) change(ctx context.Context, id string, change func(own *storage.Connection) error) error {
	_, err := r.deps.Store.KeepConnection(ctx, id, change)
	return err
}

// AskAt makes an address the connection's own; "" is its provider's. Its maps must
// not be nil.
func AskAt(own *storage.Connection, address string) {
	own.ReadRoots[OriginRoot] = address
	if address == "" {
		delete(own.Options, OptionBaseURL)
		return
	}
	own.Options[OptionBaseURL] = address
}

// ReadFrom makes folders those that the connection reads: the next run is held
// against them. Its maps must not be nil.
func ReadFrom(own *storage.Connection, roots []ResolvedRoot) {
	own.ReadRoots = readRoots(own.ReadRoots, roots)
}

// HeldAgainst refuses folders and options that are not what the connection has read
// before, as a run would.
func HeldAgainst(own *storage.Connection, roots []ResolvedRoot, options map[string]string) error {
	if _, err := keepOrigin(own.Name, own.ReadRoots, options, options, false); err != nil {
		return err
	}
	return sameRoots(own.Name, own.ReadRoots, roots)
}

// arrive makes the address that the owner accepted the connection's own, before
// anything from there is kept. Until then it stays with the one of before: nothing
// of it can have vanished.
func (c *collection) arrive() error {
	c.moving.Lock()
	defer c.moving.Unlock()
	if c.moves == nil || c.sending == nil || c.sending.Counts().Answered == 0 {
		return nil
	}
	moves := c.moves
	c.moves = nil
	return c.stored(moves(context.WithoutCancel(c.ctx)))
}
