package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// moduleCache returns the folder of one module's compiled code, and whether it holds
// some. Each module has its own folder, so that a miss is known before a worker is
// started and a bad entry is deleted alone. Inside it the engine checks for its own
// version and processor.
func moduleCache(dir, sha256, variant string) (path string, filled bool) {
	if dir == "" {
		return "", false
	}
	path = filepath.Join(dir, sha256+"-"+variant)
	return path, len(compiled(path)) > 0
}

// compiled returns the files of code in a module's cache folder that this program's engine
// compiled. A file with an extension is one that a compiler is writing.
func compiled(path string) (files []string) {
	entries, _ := filepath.Glob(filepath.Join(path, "wazero-"+engineVersion()+"-*", "*"))
	for _, e := range entries {
		if filepath.Ext(e) == "" {
			files = append(files, e)
		}
	}
	return files
}

// engineVersion returns the engine's version, by which it names its folder of code.
var engineVersion = sync.OnceValue(func() (version string) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		info = &debug.BuildInfo{}
	}
	for _, dep := range append(info.Deps, &info.Main) {
		if dep.Path == "github.com/tetratelabs/wazero" {
			version = dep.Version
		}
	}
	const none, unknown = "(devel)", "dev"
	if version == "" || version == none {
		version = info.Main.Version
	}
	if version == "" || version == none {
		return unknown // as in a test's program
	}
	return version
})

// forgetCompiled deletes the compiled code in a module's cache folder. The folder
// itself stays: another process may be compiling the module into it.
func forgetCompiled(path string) (err error) {
	for _, file := range compiled(path) {
		if e := os.Remove(file); !errors.Is(e, fs.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	return err
}

// A folder of the cache also records a failed compilation, so that a module made to be
// slow costs its time once a day and not at each look. A compiler that was killed, or
// that took too long or too much memory, may have met a busy machine: one such loss
// has no effect, and a second one counts for a few minutes.
const (
	failureName = "failed.json"
	failureAge  = 24 * time.Hour // a later version of the host may succeed
	lossName    = "lost"         // file that marks the first loss
	lossAge     = 10 * time.Minute
)

// failedBefore returns why the module of a cache folder is not compiled now, nil if no
// failure is recorded.
func failedBefore(path string) error {
	name := filepath.Join(path, failureName)
	note, _ := os.ReadFile(name)    //nolint:gosec // a writer of this folder can run code as this user anyway
	failed, _ := decodeReport(note) // an incomplete note is ignored, and the module is compiled again
	age := failureAge
	if isLoss(failed.Err) {
		age = lossAge
	}
	if !youngerThan(name, age) {
		return nil
	}
	return failed.Err
}

// rememberFailure records err, the reason why the module of a cache folder was not
// compiled, if the module caused it or it is a second loss. It returns err. If the
// disk refuses the note, the failure costs its time again.
func rememberFailure(path string, err error) error {
	loss := isLoss(err)
	if path == "" || !loss && abi.CodeOf(err) != abi.CodePluginInvalid || os.MkdirAll(path, 0o700) != nil {
		return err
	}
	if first := filepath.Join(path, lossName); loss && !youngerThan(first, failureAge) {
		_ = os.WriteFile(first, nil, 0o600)
		return err
	}
	_ = os.WriteFile(filepath.Join(path, failureName), encodeReport(guest.Outcome{Err: err}), 0o600)
	return err
}

func youngerThan(name string, age time.Duration) bool {
	info, err := os.Stat(name)
	return err == nil && time.Since(info.ModTime()).Abs() <= age
}

// isLoss reports whether err is the end of a compiler that the module may not have
// caused.
func isLoss(err error) bool {
	switch abi.CodeOf(err) {
	case abi.CodeLimitTime, abi.CodeLimitMemory, abi.CodeWorkerLost:
		return true
	}
	return false
}

// compileFailed returns the error of a worker that only compiles and gave no result.
func compileFailed(err error) error {
	code, what := abi.CodeOf(err), "the worker that compiled it ended"
	switch code {
	case abi.CodeLimitTime:
		what = fmt.Sprintf("compiling it took longer than %s", compileTime)
	case abi.CodeLimitMemory:
		what = "the worker that compiled it ran out of memory"
	case abi.CodeWorkerLost:
	default:
		return err
	}
	return abi.NewError(code, "the module was not compiled: "+what,
		"the machine may lack time or memory for it: make room and run it again; after a second failure wait 10 minutes").WithDetail(err.Error()).Wrap(err)
}

// compileError returns why a module was not compiled: the host's disk, or the module
// itself.
func compileError(err error) *abi.Error {
	if diskRefuses(err) {
		return cacheError(err)
	}
	return abi.NewError(abi.CodePluginInvalid, "the module cannot be compiled",
		"rebuild the connector; this host runs WebAssembly 2.0 without threads").
		WithDetail(truncate(string(clean(nil, []byte(err.Error()))), 512))
}

// diskRefuses reports whether err concerns the disk of the cache, or a folder that
// somebody deleted meanwhile. Nothing else is written while a module is compiled.
func diskRefuses(err error) bool {
	for _, cause := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EIO, fs.ErrNotExist} {
		if errors.Is(err, cause) {
			return true
		}
	}
	return false
}

func cacheError(err error) *abi.Error {
	return abi.NewError(abi.CodeCacheUnavailable, "compiled modules cannot be stored in the cache folder",
		"make room on its disk and make it writable for you, or choose another data_dir (--data-dir)").
		WithDetail(truncate(string(clean(nil, []byte(err.Error()))), 512)).Wrap(err)
}
