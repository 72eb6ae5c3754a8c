package plugin

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// Guest is one loaded module. Describe, Collect and Close may be called from any
// goroutine; Describe and Collect do not run at the same time.
type Guest struct {
	engine    *Engine
	info      Info
	cell      cell
	running   sync.Mutex
	collected bool
	closed    sync.Once
}

// cell is the place in which a guest runs: this process, or a worker.
type cell interface {
	// load compiles the module and makes a first instance without a grant.
	load(ctx context.Context) error
	// describe runs pdpp_describe in a fresh instance, with describedAt(again).
	describe(ctx context.Context, d *door, again bool) error
	// collect runs pdpp_collect in a fresh instance and returns after the instance has
	// ended.
	collect(ctx context.Context, roots []Mount, d *door) Exit
	// close ends the guest if it runs. It may be called more than once, and while
	// another method runs.
	close() error
}

// Info describes the module.
func (g *Guest) Info() Info { return g.info }

// Describe returns the guest's manifest without reading it. The guest gets a fresh
// instance, no binding, Limits.Describe, and a clock and randomness that are always
// the same, so that its answer does not depend on the day. The error is an *abi.Error
// plugin.describe_failed that wraps the cause.
func (g *Guest) Describe(ctx context.Context) ([]byte, error) { return g.describe(ctx, false) }

// Steady describes the guest once more, with another time and other randomness, and
// refuses one whose manifest differs from manifest, the result of Describe. Its error
// has the form of Describe's.
func (g *Guest) Steady(ctx context.Context, manifest []byte) error {
	again, err := g.describe(ctx, true)
	if err == nil && !bytes.Equal(again, manifest) {
		err = abi.NewError(abi.CodePluginDescribeFailed, "the plugin does not describe itself the same way twice",
			"report it to its author: a manifest may depend on nothing but the module")
	}
	return err
}

func (g *Guest) describe(ctx context.Context, again bool) ([]byte, error) {
	g.running.Lock()
	defer g.running.Unlock()
	d := &door{phase: abi.PhaseDescribe, limits: g.engine.options.Limits}
	err := g.cell.describe(ctx, d, again)
	if err == nil && !d.described {
		err = abi.NewError(abi.CodeEnvelope, abi.ExportDescribe+" returned without a manifest", "")
	}
	if err != nil {
		return nil, describeFailed(err, d.written.String())
	}
	return d.manifest, nil
}

// describeFailed returns the error of a guest that could not describe itself. An
// interruption of the host stays as it is.
func describeFailed(err error, written string) error {
	switch code := abi.CodeOf(err); code {
	case abi.CodeInternal, abi.CodeInterrupted, abi.CodeWorkerStart, guest.CodeMachineMemory, abi.CodePluginABIVersion, abi.CodePluginInvalid, abi.CodeCacheUnavailable:
		return err
	default:
		detail := err.Error()
		if code == abi.CodeLimitTime {
			detail = "it did not finish in time [" + string(code) + "]"
		}
		if written != "" {
			detail += "; it wrote: " + truncate(written, 512)
		}
		return abi.NewError(abi.CodePluginDescribeFailed, "the plugin could not describe itself",
			"this is a fault in the plugin; check it with: pdpp-host plugin test").WithDetail(detail).Wrap(err)
	}
}

// Collect runs the guest and blocks until it has ended. When ctx ends or Limits.Run
// has passed, it asks the guest to stop, and kills it after Limits.Grace. A Guest
// collects once.
func (g *Guest) Collect(ctx context.Context, grant Grant, host Host) Exit {
	g.running.Lock()
	defer g.running.Unlock()
	if g.collected {
		return Exit{Err: abi.NewError(abi.CodeInternal, "a guest collects once", "load it again")}
	}
	g.collected = true
	if err := g.check(grant); err != nil {
		return Exit{Err: err}
	}
	d := &door{phase: abi.PhaseCollect, limits: g.engine.options.Limits, host: host, grant: grant}
	exit := g.cell.collect(ctx, grant.Roots, d)
	d.ended.Store(true)
	exit.Written = d.written.String()
	return exit
}

// check checks the grant against the module and for consistency.
func (g *Guest) check(grant Grant) error {
	if err := checkBindings(g.info, func(b string) bool { return grant.Bindings[b] },
		"grant the binding, or build the plugin without these functions"); err != nil {
		return err
	}
	if d := grant.Deterministic; d != nil && (d.Start.Year() < 1970 || d.Start.Year() > 2200) {
		return abi.NewError(abi.CodeConfigInvalid, "a guest's clock cannot start there", "give it a time from 1970 to 2200")
	}
	seen := map[string]bool{}
	for _, m := range grant.Roots {
		if !grant.Bindings[abi.BindingFilesystem] || !fs.ValidPath(m.Name) || m.Name == "." || seen[m.Name] || pathElements(m.Name) != 1 {
			return abi.NewError(abi.CodeRootInvalid, "a granted folder cannot be mounted",
				"give each one a name of its own, without slashes").WithDetail(fmt.Sprintf("%q", m.Name))
		}
		seen[m.Name] = true
	}
	return nil
}

func pathElements(p string) int {
	n := 1
	for i := range len(p) {
		if p[i] == '/' || p[i] == '\\' {
			n++
		}
	}
	return n
}

// Close ends the guest if it still runs, and frees it.
func (g *Guest) Close() (err error) {
	g.closed.Do(func() {
		err = g.cell.close()
		g.engine.unregister(g)
	})
	return err
}
