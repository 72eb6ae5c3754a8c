package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/schedule"
	"github.com/pdpp-host/pdpp-host/storage"
)

// typed reports whether something was typed for this run only that can be why it is
// refused: that says nothing of the connection.
func (f runFlags) typed() bool {
	return f.acceptRoot || f.since != "" || f.record != "" || len(f.streams)+len(f.resources)+len(f.roots)+len(f.set) > 0
}

// passing are the areas of refusals that the scheduler holds for the owner, and that say
// nothing of the connection when it is run by hand: what was typed or set for this
// process, whose vault the one that serves may well open.
var passing = []string{"config", "stream", "usage", vaultArea}

// ownersToChange reports whether a refusal of a run by hand stays one until the owner has
// changed something about the connection.
func ownersToChange(code abi.Code) bool {
	area, _, _ := strings.Cut(string(code), ".")
	return schedule.OwnersToChange(code) && !slices.Contains(passing, area)
}

// refusedUnopened is refused for a module that could not be opened, before the
// store was.
func (a *app) refusedUnopened(ctx context.Context, c *config.Config, m typedModule, f runFlags, refusal error) error {
	if !exists(c.StorageDSN()) || isPath(m.connector) {
		return refusal
	}
	told := refusal
	_ = a.withStore(ctx, func(_ *config.Config, store *storage.Store) error {
		told = a.refused(ctx, store, m, f, refusal)
		return nil
	}) // the refusal says more than a store that cannot be read
	return told
}

// refused tells of a run that was refused before it began, with what its owner can
// do about that connection, and keeps it with the connection as `serve` does: how it
// stands is no secret of whoever tried.
func (a *app) refused(ctx context.Context, store *storage.Store, m typedModule, f runFlags, refusal error) error {
	if m.path != "" {
		refusal = orByPath(m.path, m.connection, refusal)
	}
	if isPath(m.connector) {
		return orByPath(m.connector, m.connection, refusal)
	}
	ctx = context.WithoutCancel(ctx)
	conn, err := store.Connection(ctx, cmp.Or(m.connection, m.connector))
	if err != nil || conn.Connector != m.connector {
		return refusal
	}
	refusal = a.ofConnection(conn, f, refusal)
	code := abi.CodeOf(refusal)
	asks := strings.HasPrefix(string(code), "binding.") || strings.HasPrefix(string(code), "interact.")
	if f.typed() || !ownersToChange(code) || asks && (f.noInput || !a.interactive()) {
		return refusal
	}
	if err := a.keepRefusal(ctx, store, conn, refusal); err != nil {
		a.Logger.Warn("it cannot be kept that the run was refused", "code", abi.CodeOf(err))
	}
	return refusal
}

// keepRefusal keeps a refusal with the connection, in its own words. What a device
// feeds is not for this host to judge.
func (a *app) keepRefusal(ctx context.Context, store *storage.Store, conn *storage.Connection, refusal error) error {
	fed, err := store.SourceInstances(ctx, conn.ID)
	if err != nil || len(fed) > 0 {
		return err
	}
	state, err := store.ScheduleState(ctx, conn.ID, 2)
	if err != nil {
		return err
	}
	d := storage.Dispatch{ConnectionID: conn.ID, Trigger: string(schedule.Manual), Reason: string(abi.CodeOf(refusal))}
	if len(state.Runs) > 0 {
		d.AfterRun = state.Runs[0].Number
	}
	for _, r := range state.Runs {
		if r.Status != storage.StatusRunning {
			d.Identity = r.RunID // as a scheduler tells two refusals apart
			break
		}
	}
	if e, ok := errors.AsType[*abi.Error](refusal); ok {
		d.Says = e.Message
	}
	return store.RecordRefusal(ctx, d)
}

// ofConnection gives a refusal the hint that fits a connection that has folders of
// its own: leaving a flag out does not help it, nor would another folder be taken.
func (a *app) ofConnection(conn *storage.Connection, f runFlags, refusal error) error {
	var e *abi.Error
	if !errors.As(refusal, &e) || len(f.roots) > 0 {
		return refusal
	}
	change := "pdpp-host connections set " + quoted(conn.Name) + " --root "
	hint := ""
	switch e.Code {
	case abi.CodeRootMissing:
		if root, path := goneFolder(conn.ReadRoots); root != "" {
			hint = "restore or mount " + a.tilde(path) + ", or move the connection with: " + change + root + "=DIR --accept-root"
		} else if root, path := goneFolder(conn.Roots); root != "" {
			hint = "make or mount " + a.tilde(path) + ", or name another folder with: " + change + root + "=DIR"
		}
	case abi.CodeRootChanged:
		for _, root := range sorted(conn.ReadRoots) {
			path := conn.ReadRoots[root]
			if !strings.HasPrefix(root, ":") && strings.HasSuffix(e.Detail, "before it was "+path) {
				hint = "keep to the one of before with: " + change + root + "=" + quoted(path) +
					"   or, if the folder has moved: " + change + root + "=DIR --accept-root"
			}
		}
	}
	detail := strings.Replace(e.Detail, ", from "+files.OriginFlag, ", the connection's own", 1) // nothing was typed
	if hint == "" {
		hint = e.Hint
	}
	return e.WithHint(hint).WithDetail(detail).Wrap(refusal)
}

// goneFolder is the first of the folders that is not there; "" when all are.
func goneFolder(folders map[string]string) (root, path string) {
	for _, root := range sorted(folders) {
		if strings.HasPrefix(root, ":") {
			continue // an address, or a module
		}
		if _, err := os.Stat(folders[root]); errors.Is(err, os.ErrNotExist) {
			return root, folders[root]
		}
	}
	return "", ""
}
