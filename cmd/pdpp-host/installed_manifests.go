package main

import (
	"context"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// mostInstalled bounds the modules whose manifests are remembered.
const mostInstalled = 64

// installedManifests are those of the modules in the plugins folder, each described
// once: what a device delivers that puts no manifest is held against them. It is
// safe for concurrent use.
type installedManifests struct {
	app    *app
	config *config.Config

	mu    sync.Mutex
	known map[string]*modules.Described // by the module's SHA-256
}

// of returns the manifest and the module's SHA-256 of a connector, nil where none is
// installed.
func (i *installedManifests) of(ctx context.Context, connector string) (manifest []byte, moduleSHA256 string, err error) {
	file, err := openModule(i.config, connector)
	switch {
	case abi.CodeOf(err) == abi.CodePluginUnknown:
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	d := i.known[file.SHA256]
	if d == nil {
		err = i.app.WithAnyEngine(i.config, func(engine *plugin.Engine) (err error) {
			d, err = modules.Describe(ctx, engine, file)
			return err
		})
		if err == nil {
			err = modules.Misnamed(connector, d)
		}
		if err != nil {
			return nil, "", err
		}
		if i.known == nil || len(i.known) >= mostInstalled {
			i.known = map[string]*modules.Described{}
		}
		i.known[file.SHA256] = d
	}
	return d.Raw, file.SHA256, nil
}
