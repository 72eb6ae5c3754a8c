package plugin

import (
	"errors"
	"path/filepath"
	"syscall"

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

// compileError says why a module was not compiled: the host's disk, or the
// module itself.
func compileError(err error) *abi.Error {
	if diskRefuses(err) {
		return cacheError(err)
	}
	return abi.NewError(abi.CodePluginInvalid, "the module cannot be compiled",
		"rebuild the connector; this host runs WebAssembly 2.0 without threads").
		WithDetail(cut(string(clean(nil, []byte(err.Error()))), 512))
}

// diskRefuses reports whether err is about the disk that the cache lies on.
// Nothing else is written while a module is compiled.
func diskRefuses(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

func cacheError(err error) *abi.Error {
	return abi.NewError(abi.CodeCacheUnavailable, "compiled modules cannot be kept: the cache folder takes no more",
		"make room on its disk and make it writable for you, or choose another data_dir (--data-dir)").
		WithDetail(cut(string(clean(nil, []byte(err.Error()))), 512)).Wrap(err)
}
