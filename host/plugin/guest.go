package plugin

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Guest is one loaded module. Describe, Collect and Close may be called from
// any goroutine, one of Describe and Collect at a time.
type Guest struct {
	engine    *Engine
	info      Info
	cell      cell
	running   sync.Mutex
	collected bool
	closed    sync.Once
}

// cell is where a guest runs: this process, or a worker.
type cell interface {
	// load compiles the module and makes a first instance with nothing granted.
	load(ctx context.Context) error
	// describe runs pdpp_describe in a fresh instance, at one of describedAt.
	describe(ctx context.Context, d *door, again bool) error
	// collect runs pdpp_collect in a fresh instance and returns once it is gone.
	collect(ctx context.Context, roots []Mount, d *door) Exit
	// close ends whatever still runs. It may be called more than once, and while
	// one of the others runs.
	close() error
}

// Info says what is known of the module.
func (g *Guest) Info() Info { return g.info }

// Describe returns the manifest that the guest hands over, unread. The guest
// gets a fresh instance, no binding, Limits.Describe, and a clock and randomness
// that are the same each time, so that it says the same on any day. The error is
// an *abi.Error plugin.describe_failed that wraps why.
func (g *Guest) Describe(ctx context.Context) ([]byte, error) { return g.describe(ctx, false) }

// Steady describes the guest once more, at another time and with other randomness,
// and refuses one that hands over anything but manifest, which Describe returned. The
// error is as Describe's.
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
		err = abi.NewError(abi.CodeEnvelope, abi.ExportDescribe+" returned without handing over a manifest", "")
	}
	if err != nil {
		return nil, describeFailed(err, d.written.String())
	}
	return d.manifest, nil
}

// describeFailed says that a guest could not say what it is. What stopped the
// host itself stays as it is.
func describeFailed(err error, written string) error {
	switch code := abi.CodeOf(err); code {
	case abi.CodeInternal, abi.CodeInterrupted, abi.CodeWorkerStart, abi.CodePluginABIVersion, abi.CodePluginInvalid, abi.CodeCacheUnavailable:
		return err
	default:
		detail := err.Error()
		if code == abi.CodeLimitTime {
			detail = "it did not finish in time [" + string(code) + "]"
		}
		if written != "" {
			detail += "; it wrote: " + cut(written, 512)
		}
		return abi.NewError(abi.CodePluginDescribeFailed, "the plugin does not say what it is",
			"this is a fault in the plugin; check it with: pdpp-host plugin test").WithDetail(detail).Wrap(err)
	}
}

// Collect runs the guest and blocks until it is gone. When ctx ends or
// Limits.Run has passed, the guest is asked to stop, and killed after
// Limits.Grace. A Guest collects once.
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

// check holds the grant against the module and itself.
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
		g.engine.discharge(g)
	})
	return err
}
