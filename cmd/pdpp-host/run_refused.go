package main

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/run"
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
func (a *app) refusedUnopened(ctx context.Context, m owner.TypedModule, f runFlags, refusal error) error {
	if !a.owner.HasStore() || modules.IsPath(m.Connector) {
		return refusal
	}
	store, err := a.owner.Store(ctx)
	if err != nil {
		return refusal // it says more than a store that cannot be read
	}
	return a.refused(ctx, store, m, f, refusal)
}

// refused tells of a run that was refused before it began, with what its owner can
// do about that connection, and keeps it with the connection as `serve` does: how it
// stands is no secret of whoever tried.
func (a *app) refused(ctx context.Context, store *storage.Store, m owner.TypedModule, f runFlags, refusal error) error {
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
	refusal = a.ofConnection(conn, f, refusal)
	code := abi.CodeOf(refusal)
	asks := strings.HasPrefix(string(code), "binding.") || strings.HasPrefix(string(code), "interact.")
	if f.typed() || !ownersToChange(code) || asks && (f.noInput || !a.Interactive()) {
		return refusal
	}
	if err := owner.KeepRefusal(ctx, store, conn, refusal); err != nil {
		a.Logger.Warn("it cannot be kept that the run was refused", "code", abi.CodeOf(err))
	}
	return refusal
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
		if root, path := goneFolder(run.Folders(conn)); root != "" {
			hint = "restore or mount " + a.Tilde(path) + ", or move the connection with: " + change + root + "=DIR --accept-root"
		} else if root, path := goneFolder(conn.Roots); root != "" {
			hint = "make or mount " + a.Tilde(path) + ", or name another folder with: " + change + root + "=DIR"
		}
	case abi.CodeRootChanged:
		folders := run.Folders(conn)
		for _, root := range slices.Sorted(maps.Keys(folders)) {
			path := folders[root]
			if strings.HasSuffix(e.Detail, "before it was "+path) {
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
	for _, root := range slices.Sorted(maps.Keys(folders)) {
		if _, err := os.Stat(folders[root]); errors.Is(err, os.ErrNotExist) {
			return root, folders[root]
		}
	}
	return "", ""
}
