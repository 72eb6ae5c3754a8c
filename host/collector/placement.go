package collector

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Bindings are what a collector grants a connector: the files of its machine. A connector
// that needs the network, a browser or a person runs on the host.
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

// fits refuses a connector that cannot run here.
func (c *Collector) fits(m *abi.Manifest) error {
	needs, ok := Runnable(m)
	if ok {
		return nil
	}
	i := slices.IndexFunc(needs, func(name string) bool { return !slices.Contains(Bindings(), name) })
	return abi.NewError(abi.CodeBindingMissing, fmt.Sprintf("Runtime cannot satisfy required binding: %s", needs[i]),
		"a connector that needs it runs on the host: pdpp-host run "+c.deps.Profile.ConnectorID)
}

// outOfPlace returns why a run was refused before it learned what the connector is. That
// the connector cannot run here, or belongs to another lane, comes before any other
// reason. A connector that cannot be read keeps the reason that it had.
func (e *execution) outOfPlace(ctx context.Context, module *plugin.File, why error) error {
	if e.about != nil || e.result.Run != nil || module == nil || !refuses(why) {
		return why
	}
	m, err := e.c.describe(ctx, module)
	if err != nil {
		e.c.deps.Logger.Debug("the connector was not described", "code", string(abi.CodeOf(err)))
		return why
	}
	e.about = m
	return cmp.Or(e.c.fits(m.Manifest), e.c.enrolledFor(m.Manifest), why)
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
