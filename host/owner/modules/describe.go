package modules

import (
	"context"
	"errors"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// Described is a module that was loaded, and what its manifest says.
type Described struct {
	File     *plugin.File
	Info     plugin.Info
	Raw      []byte
	Manifest *abi.Manifest
}

// Describe loads a module and checks everything that can be checked before it runs. The facts
// known so far come with the error, so that an inspection can show them.
func Describe(ctx context.Context, engine *plugin.Engine, file *plugin.File) (*Described, error) {
	d := &Described{File: file}
	guest, err := engine.Load(ctx, file)
	if err != nil {
		return d, err
	}
	d.Info = guest.Info()
	if d.Raw, err = guest.Describe(ctx); err == nil {
		err = guest.Steady(ctx, d.Raw)
	}
	err = errors.Join(err, guest.Close())
	if err != nil {
		return d, err
	}
	if d.Manifest, err = manifest.Parse(d.Raw); err != nil {
		return d, err
	}
	if err := plugin.CheckImports(d.Info, d.Manifest); err != nil {
		return d, err
	}
	if err := plugin.CheckHosts(d.Manifest); err != nil {
		return d, err
	}
	return d, boundary.CheckSchemas(d.Manifest)
}
