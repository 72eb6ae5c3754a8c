package serving

import (
	"context"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// Installed returns the manifest and the module's SHA-256 of a connector in the plugins
// folder, nil where none is installed. Each module is described once: what a device
// delivers that puts no manifest is held against it. It is safe for concurrent use.
func (s *Server) Installed(ctx context.Context, connector string) (manifest []byte, moduleSHA256 string, err error) {
	file, err := modules.Open(s.Config, connector, modules.ListCommand)
	switch {
	case abi.CodeOf(err) == abi.CodePluginUnknown:
		return nil, "", nil
	case err != nil:
		return nil, "", err
	}
	s.describing.Lock()
	defer s.describing.Unlock()
	d, err := s.Modules.Describe(ctx, s.engine, file)
	if err == nil {
		err = modules.Misnamed(connector, d)
	}
	if err != nil {
		return nil, "", err
	}
	return d.Raw, file.SHA256, nil
}
