package plugin

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/confine"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/spawn"
)

// The isolation modes.
const (
	IsolationProcess = "process" // a worker process for each guest
	IsolationInline  = "inline"  // in this process
)

// Options configure an Engine.
type Options struct {
	// Isolation defaults to IsolationProcess. A guest that recurses without a loop
	// cannot be ended inline: its collect returns limit.time, and the goroutine stays.
	Isolation string
	// CacheDir holds compiled modules; "" compiles each time. It is created with mode
	// 0700, because a writer of this folder can run code as this user.
	CacheDir string
	Limits   Limits // values that are not positive have their default
	// WorkerCommand starts a worker; by default this program with the argument
	// WorkerArgument. Any other command must call WorkerMain.
	WorkerCommand []string
	Logger        *slog.Logger // nil: discarded
	// Compiling is called before each compilation of a file that CacheDir does not
	// hold, which takes seconds; nil: no call. It must be safe for concurrent use.
	Compiling func(*File)
}

// WorkerArgument is the hidden subcommand that runs WorkerMain.
const WorkerArgument = "plugin-worker"

// Engine loads modules. It is safe for concurrent use.
type Engine struct {
	options Options
	mu      sync.Mutex
	guests  map[*Guest]struct{} // nil after Close
	// idle is the code of the module that ended last in this process, whose SHA-256 is idleOf.
	// Its next run need not read it anew, which takes longer than a small run.
	idle   *guest.Runtime
	idleOf string
}

// NewEngine checks o and prepares the cache folder. The error is an *abi.Error.
func NewEngine(o Options) (*Engine, error) {
	o.Limits = o.Limits.withDefaults()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	switch o.Isolation {
	case "":
		o.Isolation = IsolationProcess
	case IsolationProcess, IsolationInline:
	default:
		return nil, abi.NewError(abi.CodeConfigInvalid, "there is no isolation mode "+o.Isolation,
			"use "+IsolationProcess+" or "+IsolationInline)
	}
	if o.CacheDir != "" {
		if err := prepareCache(&o.CacheDir); err != nil {
			if !diskRefuses(err) {
				return nil, abi.NewError(abi.CodeConfigInvalid, "the folder for compiled plugins cannot be used",
					"make it writable for this user only, or choose another one").WithDetail(err.Error()).Wrap(err)
			}
			o.Logger.Warn(notKept, "code", abi.CodeCacheUnavailable, "error", err)
			o.CacheDir = ""
		}
	}
	if o.Compiling == nil {
		o.Compiling = func(*File) {}
	}
	if len(o.WorkerCommand) == 0 {
		o.WorkerCommand = []string{spawn.Program(), WorkerArgument}
	}
	return &Engine{options: o, guests: map[*Guest]struct{}{}}, nil
}

func prepareCache(dir *string) error {
	abs, err := filepath.Abs(*dir)
	if err != nil {
		return err
	}
	*dir = abs
	if err := os.MkdirAll(abs, 0o700); err != nil {
		return err
	}
	return os.Chmod(abs, 0o700) //nolint:gosec // a folder needs its x bit
}

// Load checks file and compiles it. It ends when ctx does. The error is an *abi.Error
// of area plugin, limit or worker, or wraps ctx's cause.
//
// If the roots that Collect will grant are given here, Collect needs no second worker:
// a worker is confined to its roots before it looks at the module, so one that was
// started for other roots is replaced.
func (e *Engine) Load(ctx context.Context, file *File, roots ...Mount) (*Guest, error) {
	info, err := admit(file, e.options.Limits.MemoryBytes)
	if err != nil {
		return nil, err
	}
	g := &Guest{engine: e, info: info}
	if e.options.Isolation == IsolationInline {
		g.cell = &inlineCell{engine: e, file: file, kind: info.Kind}
	} else {
		g.cell = &processCell{engine: e, file: file, kind: info.Kind, roots: paths(roots)}
	}
	if !e.register(g) {
		return nil, errClosed()
	}
	began := time.Now()
	if err := g.cell.load(ctx); err != nil {
		_ = g.Close()
		return nil, err
	}
	e.options.Logger.Debug("plugin loaded", "name", file.Name, "sha256", file.SHA256,
		"kind", info.Kind, "isolation", e.options.Isolation, "took", time.Since(began))
	return g, nil
}

func (e *Engine) register(g *Guest) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.guests == nil {
		return false
	}
	e.guests[g] = struct{}{}
	return true
}

func (e *Engine) unregister(g *Guest) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.guests, g)
}

// Workers returns how many worker processes there are now, and their resident memory in bytes;
// 0 where the system does not say.
func (e *Engine) Workers() (n int, resident int64) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for g := range e.guests {
		cell, ok := g.cell.(*processCell)
		if !ok {
			continue
		}
		if pid := cell.pid(); pid > 0 {
			n++
			bytes, _ := spawn.Resident(pid)
			resident += bytes
		}
	}
	return n, resident
}

// Resident returns the resident memory of this process in bytes.
func Resident() (n int64, known bool) { return spawn.Resident(os.Getpid()) }

// Close ends every guest. The Engine loads nothing afterwards.
func (e *Engine) Close() error {
	e.mu.Lock()
	guests := e.guests
	e.guests = nil
	e.mu.Unlock()
	if rt := e.takeIdle(e.idleOf); rt != nil {
		rt.Close()
	}
	var errs []error
	for g := range guests {
		errs = append(errs, g.Close())
	}
	return errors.Join(errs...)
}

// takeIdle returns the code of a module, which is the caller's from now on, or nil if it is not
// there.
func (e *Engine) takeIdle(sha256 string) (rt *guest.Runtime) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idleOf == sha256 {
		rt, e.idle = e.idle, nil
	}
	return rt
}

// leave gives code that no guest uses to the next run of its module, and frees what was there.
func (e *Engine) leave(sha256, kind string, rt *guest.Runtime) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.guests != nil && kind == KindRaw {
		rt.Rest()
		rt, e.idle, e.idleOf = e.idle, rt, sha256
	}
	if rt != nil {
		rt.Close()
	}
}

// Walls lists how the system confines worker processes here, and which walls are
// missing.
func Walls() []Wall { return confine.Walls() }

// Wall is one way in which the system confines a worker process.
type Wall = confine.Wall

func errClosed() error {
	return abi.NewError(abi.CodeInternal, "the plugin engine is closed", "")
}
