package running

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// Streams returns the names of a connector's streams, as far as its connections know
// them.
func Streams(ctx context.Context, o *owner.Owner, connector string) ([]string, error) {
	store, err := o.Store(ctx)
	if err != nil {
		return nil, err
	}
	all, err := store.Connections(ctx)
	var names []string
	for i := range all {
		if m := modules.Pinned(&all[i]); m != nil && abi.SameConnector(m.ConnectorKey, connector) {
			for _, s := range m.Streams {
				names = append(names, s.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names), err
}
