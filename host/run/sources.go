package run

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The sources of a connection are its module, its folders and its base URL. A run
// without --root or --set repeats those of the runs before, and a run with other
// sources is refused until the owner accepts them: everything collected from the
// sources of before would look as if it had vanished.

// OptionBaseURL is the option that sends a connector to another address than
// its provider's. A connection keeps to its first address: another one would also get
// the credentials of the first.
const OptionBaseURL = abi.OptionBaseURL

// Connection.ReadRoots has, beside the folders by root name, two entries of other
// kinds. No folder's root has a name with a colon.
const (
	moduleKey  = ":module"   // the path of the module, when it was named by its path
	baseURLKey = ":base_url" // the base URL; "" is the provider's own
)

// ModulePath returns the path of the connection's module; "" when the module was not
// named by its path.
func ModulePath(conn *storage.Connection) string { return conn.ReadRoots[moduleKey] }

// SetModulePath makes path the path of the connection's module.
func SetModulePath(own *storage.Connection, path string) { own.ReadRoots[moduleKey] = path }

// BaseURL returns the base URL that the connection's runs use, "" for the provider's
// own; known is false before the first run.
func BaseURL(conn *storage.Connection) (address string, known bool) {
	address, known = conn.ReadRoots[baseURLKey]
	return address, known
}

// SetBaseURL makes an address the connection's own; "" is its provider's. The maps of
// own must not be nil.
func SetBaseURL(own *storage.Connection, address string) {
	own.ReadRoots[baseURLKey] = address
	if address == "" {
		delete(own.Options, OptionBaseURL)
		return
	}
	own.Options[OptionBaseURL] = address
}

// Folders returns the folders that the connection's runs have read, by root name.
func Folders(conn *storage.Connection) map[string]string {
	folders := maps.Clone(conn.ReadRoots)
	maps.DeleteFunc(folders, func(name, _ string) bool { return strings.HasPrefix(name, ":") })
	return folders
}

// SetFolders makes roots the folders that the connection's next run is checked
// against. An empty folder is not checked. The maps of own must not be nil.
func SetFolders(own *storage.Connection, roots []ResolvedRoot) {
	for _, root := range roots {
		if root.Empty {
			delete(own.ReadRoots, root.Name)
		} else {
			own.ReadRoots[root.Name] = root.Path
		}
	}
}

// CheckSources refuses folders and options that are not those of the connection's
// runs before, as a run would.
func CheckSources(own *storage.Connection, roots []ResolvedRoot, options map[string]string) error {
	if _, err := keepBaseURL(own, options, options, false); err != nil {
		return err
	}
	return checkFolders(own, roots)
}

// checkFolders refuses another folder than the connection has read before, or the
// same folder with nothing in it, as a disk that is not mounted leaves behind.
func checkFolders(own *storage.Connection, roots []ResolvedRoot) error {
	for _, root := range roots {
		was, known := own.ReadRoots[root.Name]
		switch {
		case known && was != root.Path:
			return abi.NewError(abi.CodeRootChanged,
				fmt.Sprintf("connection %q has read another folder for root %q before", own.Name, root.Name),
				"collect another folder under a connection of its own: --connection NAME; if the folder has moved: --accept-root").
				WithDetail(fmt.Sprintf("%s, from %s; before it was %s", root.Path, root.Origin, was))
		case known && root.Empty:
			return abi.NewError(abi.CodeRootEmptied,
				fmt.Sprintf("the folder for root %q is empty, and was not when connection %q read it", root.Name, own.Name),
				"mount or restore it; if it is meant to be empty now: --accept-root; what it held then counts as deleted, but for what came from archives that were downloaded").
				WithDetail(root.Path + ", from " + root.Origin)
		}
	}
	return nil
}

// keepBaseURL adds the connection's base URL to options that have none, and refuses
// another one that the owner has not accepted. typed are the options of this run
// alone, without those that the connection has.
func keepBaseURL(own *storage.Connection, options, typed map[string]string, accept bool) (map[string]string, error) {
	was, known := BaseURL(own)
	now, given := options[OptionBaseURL]
	switch {
	case !known, given && now == was:
		return options, nil
	case !given:
		if was == "" {
			return options, nil
		}
		return merged(options, map[string]string{OptionBaseURL: was}), nil
	case accept:
		return options, nil
	}
	hint := "leave base_url out; ask another address under a connection of its own: --connection NAME; if the service has moved: --accept-root"
	if _, named := typed[OptionBaseURL]; !named {
		hint = "say which of the two is meant: pdpp-host connections set " + own.Name + " --set base_url=ADDRESS --accept-root"
	}
	return nil, abi.NewError(abi.CodeOriginChanged, fmt.Sprintf("connection %q has asked another address before", own.Name), hint).
		WithDetail(fmt.Sprintf("%s; before it was %s", addressText(now), addressText(was)))
}

func addressText(base string) string {
	if base == "" {
		return "the provider's own"
	}
	return base
}

// acceptedSources returns the folders and the base URL that a run of the connection is
// checked against: none before its first run.
func acceptedSources(own *storage.Connection) map[string]string {
	sources := merged(own.ReadRoots, nil)
	delete(sources, moduleKey)
	return sources
}

// rememberSources stores the run's sources with the connection, once the run may
// begin: other folders and another address were refused before, or accepted. The
// options of a connection's first run become the connection's own. A base URL that the
// owner accepted does so once it has answered (see adoptBaseURL).
//
// If the owner changed folders or address while the run was being prepared, or took back
// what they accepted, it refuses the run instead of overwriting the change.
func (r *Runner) rememberSources(ctx context.Context, p *plan) error {
	return r.changeConnection(ctx, p, func(own *storage.Connection) error {
		if own.PinnedSHA256 != p.request.Module.SHA256 || !maps.Equal(acceptedSources(own), p.lastAccepted) {
			return changedMeanwhile(own)
		}
		SetFolders(own, p.granted.roots)
		own.Roots = merged(own.Roots, p.request.Roots)
		if p.first {
			own.Options = merged(own.Options, p.request.Options)
			maps.DeleteFunc(own.Options, func(_, value string) bool { return value == "" })
		}
		if now, known := BaseURL(own); p.network.sending != nil && (!known || now == p.options[OptionBaseURL]) {
			SetBaseURL(own, p.options[OptionBaseURL])
		}
		delete(own.ReadRoots, moduleKey)
		if p.request.ModulePath != "" {
			SetModulePath(own, p.request.ModulePath)
		}
		return nil
	})
}

// changedMeanwhile refuses a run whose connection is not as it was judged.
func changedMeanwhile(now *storage.Connection) error {
	return abi.NewError(abi.CodeConnectionBusy, "connection "+now.Name+" was changed while a run of it was prepared", "run it again")
}

// adoptBaseURL makes the run's base URL the connection's own, if the connection still
// has the one of before, which the owner accepted to replace.
func (r *Runner) adoptBaseURL(ctx context.Context, p *plan, was string) error {
	return r.changeConnection(ctx, p, func(own *storage.Connection) error {
		if now, known := BaseURL(own); known && now == was {
			SetBaseURL(own, p.options[OptionBaseURL])
		}
		return nil
	})
}

// changeConnection changes the connection as it is now: another process may have
// changed it since the run was prepared.
func (r *Runner) changeConnection(ctx context.Context, p *plan, change func(own *storage.Connection) error) error {
	_, err := r.deps.Store.KeepConnection(ctx, p.connection.ID, change)
	return err
}
