package plugin

import (
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
)

// moduleCache returns the folder of one module's compiled code, and whether
// there is some. Each module has its own, so that a miss is known before a
// worker is started and a bad entry is thrown away alone. The engine checks
// inside it for its own version and processor.
func moduleCache(dir, sha256, variant string) (path string, filled bool) {
	if dir == "" {
		return "", false
	}
	path = filepath.Join(dir, sha256+"-"+variant)
	entries, _ := filepath.Glob(filepath.Join(path, "wazero-*", "*"))
	for _, e := range entries {
		if filepath.Ext(e) == "" {
			return path, true
		}
	}
	return path, false
}

func compileError(reason string) *abi.Error {
	return abi.NewError(abi.CodePluginInvalid, "the module cannot be compiled",
		"rebuild the connector; this host runs WebAssembly 2.0 without threads").
		WithDetail(cut(string(clean(nil, []byte(reason))), 512))
}
