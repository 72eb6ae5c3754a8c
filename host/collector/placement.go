package collector

import (
	"context"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Bindings are what a collector grants a connector: the files of its machine. What
// needs the network, a browser or a person runs on the host.
func Bindings() []string { return []string{abi.BindingFilesystem} }

// Runnable reports whether everything that a manifest requires is granted here;
// needs are the required bindings, in order.
func Runnable(m *abi.Manifest) (needs []string, ok bool) {
	ok = true
	for name, b := range m.Requirements.Bindings {
		if b.Required {
			needs = append(needs, name)
			ok = ok && slices.Contains(Bindings(), name)
		}
	}
	slices.Sort(needs)
	return needs, ok
}

// described is a module's manifest, read and as it stands.
type described struct {
	*abi.Manifest

	raw []byte
}

// has reports whether the manifest has a stream.
func (d *described) has(stream string) bool {
	return slices.ContainsFunc(d.Streams, func(s abi.Stream) bool { return s.Name == stream })
}

// placed refuses a connector that cannot run here, before anything is collected.
// A module that cannot be read is no matter of its place: the scan says what is
// wrong with it.
func (c *Collector) placed(ctx context.Context, module *plugin.File) (*described, error) {
	if module == nil { // only what waits is to be delivered
		return nil, nil
	}
	m, err := c.describe(ctx, module)
	if err != nil {
		c.deps.Logger.Debug("the connector was not described before the scan", "code", string(abi.CodeOf(err)))
		return nil, nil
	}
	needs, ok := Runnable(m.Manifest)
	if ok {
		return m, nil
	}
	for _, name := range needs {
		if !slices.Contains(Bindings(), name) {
			return m, abi.NewError(abi.CodeBindingMissing, fmt.Sprintf("Runtime cannot satisfy required binding: %s", name),
				"a connector that needs it runs on the host: pdpp-host run "+c.deps.Profile.ConnectorID)
		}
	}
	return m, nil
}

func (c *Collector) describe(ctx context.Context, module *plugin.File) (*described, error) {
	guest, err := c.deps.Run.Engine.Load(ctx, module)
	if err != nil {
		return nil, err
	}
	raw, err := guest.Describe(ctx)
	_ = guest.Close() // it ran nothing but its description
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(raw)
	if err != nil {
		return nil, err
	}
	return &described{m, raw}, nil
}
