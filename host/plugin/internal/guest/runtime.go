package guest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/experimental/sysfs"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/rootfs"
)

// Config configures a module's compilation and limits.
type Config struct {
	// CacheDir holds compiled code; "" always compiles. A writer of this folder can
	// run code as this process.
	CacheDir string
	// MemoryBytes is the maximum linear memory of an instance.
	MemoryBytes uint64
	// Interruptible lets Session.Kill end endless loops, at several times the cost of
	// running. A worker does not need it, because the whole process is killed.
	Interruptible bool
	// Extism loads the module through the Extism SDK.
	Extism bool
}

// Runtime is one compiled module. It has at most one live instance; it is not safe for
// concurrent use.
type Runtime struct {
	config  Config
	cache   wazero.CompilationCache
	wazero  wazero.Runtime // nil for an Extism guest
	module  wazero.CompiledModule
	extism  extismModule
	session *Session // the live instance's
}

// Mount is one read-only folder, mounted for the guest at "/" + Name.
type Mount struct {
	Name string   `json:"name"`
	Path string   `json:"path"`
	Root *os.Root `json:"-"`
	// Watch is told what the guest does there; nil: nobody is.
	Watch rootfs.Watcher `json:"-"`
}

// Compile compiles module, or takes its code from the cache. The error is the engine's
// own and describes why the module is not valid.
func Compile(ctx context.Context, config Config, module []byte) (r *Runtime, err error) {
	r = &Runtime{config: config}
	defer func() {
		if err != nil {
			r.Close()
		}
	}()
	_, err = protect(func() (int32, error) { return 0, r.compile(ctx, module) })
	return r, err
}

func (r *Runtime) compile(ctx context.Context, module []byte) error {
	rc := wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2).
		WithDebugInfoEnabled(false).
		WithCloseOnContextDone(r.config.Interruptible)
	if r.config.CacheDir != "" {
		var err error
		if r.cache, err = wazero.NewCompilationCacheWithDir(r.config.CacheDir); err != nil {
			return fmt.Errorf("compile cache: %w", err)
		}
		rc = rc.WithCompilationCache(r.cache)
	}
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	if r.config.Extism {
		return r.extism.compile(ctx, rc, module, r)
	}
	r.wazero = wazero.NewRuntimeWithConfig(ctx, rc)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, r.wazero); err != nil {
		return err
	}
	if err := r.link(ctx); err != nil {
		return err
	}
	var err error
	r.module, err = r.wazero.CompileModule(ctx, module)
	return err
}

// Close frees the compiled code. No instance may be running.
func (r *Runtime) Close() {
	ctx := context.Background()
	r.extism.close(ctx)
	if r.wazero != nil {
		_ = r.wazero.Close(ctx)
	}
	if r.cache != nil {
		_ = r.cache.Close(ctx)
	}
}

// Rest has the runtime know nothing of its last instance.
func (r *Runtime) Rest() { r.session = nil }

// Instance is one live instance of a Runtime's module.
type Instance struct {
	runtime *Runtime
	session *Session
	memory  *budget
	ctx     context.Context
	module  api.Module   // nil for an Extism guest
	plugin  extismPlugin // zero for a raw one
}

// Instantiate makes a fresh instance whose calls go to s, runs its initialization, and
// checks its ABI version. If the Outcome has an Err there is no instance. If the
// Runtime is Interruptible, ending ctx ends the guest.
func (r *Runtime) Instantiate(ctx context.Context, s *Session, mounts []Mount) (*Instance, Outcome) {
	mem := &budget{limit: r.config.MemoryBytes}
	i := &Instance{runtime: r, session: s, memory: mem, ctx: experimental.WithMemoryAllocator(ctx, mem)}
	r.session = s
	version, err := protect(func() (int32, error) {
		if r.config.Extism {
			return i.startExtism(mounts)
		}
		return i.startRaw(mounts)
	})
	out := i.end(version, err)
	if out.Err == nil && version != abi.Version {
		out.Err = abi.NewError(abi.CodePluginABIVersion, "the connector was built for another version of the plugin ABI",
			"rebuild the connector against this host's SDK, or update the host").
			WithDetail(fmt.Sprintf("%s returned %d, this host speaks %d", abi.ExportVersion, version, abi.Version))
	}
	if out.Err != nil {
		i.Close()
		return nil, out
	}
	return i, out
}

func (i *Instance) startRaw(mounts []Mount) (int32, error) {
	var err error
	i.module, err = i.runtime.wazero.InstantiateModule(i.ctx, i.runtime.module, moduleConfig(i.session, mounts))
	if err != nil {
		return 0, err
	}
	if _, err = i.call(abi.ExportInitialize); err != nil {
		return 0, err
	}
	return i.call(abi.ExportVersion)
}

func (i *Instance) call(export string) (int32, error) {
	if i.module == nil {
		return i.plugin.call(i.ctx, i.session, export)
	}
	f := i.module.ExportedFunction(export)
	if f == nil {
		return 0, fmt.Errorf("the export %s is missing", export)
	}
	res, err := f.Call(i.ctx)
	if err != nil || len(res) == 0 {
		return 0, err
	}
	return api.DecodeI32(res[0]), nil
}

// moduleConfig returns the guest's whole environment: no arguments, no variables, no
// standard input, a real clock, real randomness (or fixed ones), and its mounts.
func moduleConfig(s *Session, mounts []Mount) wazero.ModuleConfig {
	c := wazero.NewModuleConfig().
		WithName("").
		WithStartFunctions().
		WithStdout(&s.outputs[0]).
		WithStderr(&s.outputs[1]).
		WithRandSource(rand.Reader).
		WithSysWalltime().
		WithSysNanotime().
		WithOsyield(runtime.Gosched).
		WithNanosleep(s.sleep)
	if s.fixed != nil {
		c = s.fixed.config(c)
	}
	if len(mounts) > 0 {
		fs := wazero.NewFSConfig()
		for _, m := range mounts {
			fs = fs.(sysfs.FSConfig).WithSysFSMount(rootfs.New(m.Root, m.Watch), "/"+m.Name) //nolint:forcetypeassert // guaranteed by the runtime's documentation
		}
		c = c.WithFSConfig(fs)
	}
	return c
}

// sleep is the guest's sleep. A kill ends it early; the guest is unwound at
// its next step.
func (s *Session) sleep(ns int64) {
	if s.fixed != nil {
		if s.fixed.advance(ns); !s.fixed.paced {
			return
		}
	}
	t := time.NewTimer(time.Duration(ns))
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.kill:
	}
}

// Describe runs pdpp_describe.
func (i *Instance) Describe() Outcome { return i.run(abi.PhaseDescribe, abi.ExportDescribe) }

// Collect runs pdpp_collect.
func (i *Instance) Collect() Outcome { return i.run(abi.PhaseCollect, abi.ExportCollect) }

func (i *Instance) run(phase abi.Phase, export string) Outcome {
	i.session.phase = phase
	code, err := protect(func() (int32, error) { return i.call(export) })
	i.session.phase = 0
	return i.end(code, err)
}

// end classifies the result of a call into the guest, after flushing the rest of its
// output.
func (i *Instance) end(code int32, err error) Outcome {
	out := i.session.classify(code, err, i.memory)
	if i.session.killed.Load() {
		return out // the sink may have closed
	}
	if ferr := i.session.flush(); ferr != nil && i.session.failed == nil {
		out = Outcome{Err: ferr}
	}
	return out
}

// Close frees the instance. After an error no other call is allowed: an instance that
// trapped may still answer, but its answers are meaningless.
func (i *Instance) Close() {
	_, _ = protect(func() (int32, error) {
		if i.module != nil {
			return 0, i.module.Close(context.Background())
		}
		return 0, i.plugin.close()
	})
}
