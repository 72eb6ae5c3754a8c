package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wasmbin"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wire"
)

// processCell runs a guest in its own worker process. The worker that loaded the
// module also describes and collects, each time in a fresh instance. A worker that was
// killed, or that cannot read the granted folders, is replaced when it is needed
// again.
type processCell struct {
	engine *Engine
	file   *File
	kind   string

	mu     sync.Mutex
	worker *process // nil: none
	roots  []string // the folders that the worker can read, or will be able to
	closed bool

	prepared bool // a first instance was made, so the module is known to start
}

func (c *processCell) load(ctx context.Context) error {
	o := &c.engine.options
	dir, filled := moduleCache(o.CacheDir, c.file.SHA256, "worker")
	if !filled {
		if err := wasmbin.CheckCode(c.file.Bytes); err != nil {
			return err
		}
	}
	if dir != "" && !filled {
		if err := failedBefore(dir); err != nil {
			return err
		}
		o.Compiling(c.file)
		// Compiling takes several times the memory of running, and never releases it,
		// so a separate worker does it.
		if err := c.start(ctx, dir, true); err != nil {
			switch {
			case ctx.Err() != nil: // the caller gave up
				return err
			case abi.CodeOf(err) == abi.CodeCacheUnavailable:
				return c.loadUncached(ctx, dir, err)
			}
			return rememberFailure(dir, err)
		}
		c.drop(errReleased())
	}
	err := c.start(ctx, dir, false)
	if filled && ctx.Err() == nil && suspect(err) && forgetCompiled(dir) == nil {
		// The cached code may be the problem; try once more without it.
		return c.load(ctx)
	}
	return err
}

// loadUncached loads the module where its compiled code cannot be kept: a disk that is full, or
// takes no writes, is no reason to refuse the module. It is compiled anew each time.
func (c *processCell) loadUncached(ctx context.Context, dir string, why error) error {
	c.engine.noCache(dir, why)
	return c.start(ctx, "", false)
}

const notKept = "compiled connectors are not kept: each is compiled anew whenever it runs"

// noCache says that compiled code is not kept in a folder, and removes what was written of it.
func (e *Engine) noCache(dir string, why error) {
	e.options.Logger.Warn(notKept, "code", abi.CodeOf(why), "error", why)
	_ = os.RemoveAll(dir)
}

// suspect reports whether a load error can come from damaged code in the cache.
func suspect(err error) bool {
	for _, code := range []abi.Code{abi.CodePluginInvalid, abi.CodeWorkerLost, abi.CodeLimitMemory} {
		if errors.Is(err, &abi.Error{Code: code}) {
			return true
		}
	}
	return false
}

// start starts a worker, sends it the module, and waits until it is loaded.
func (c *processCell) start(ctx context.Context, cacheDir string, compileOnly bool) error {
	o := &c.engine.options
	p, err := startProcess(o.WorkerCommand)
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		p.close(errReleased())
		return errClosed()
	}
	c.worker = p
	c.mu.Unlock()
	load := loadOrder{
		CacheDir: cacheDir, MemoryBytes: uint64(o.Limits.MemoryBytes), Extism: c.kind == KindExtism, CompileOnly: compileOnly,
	}
	if !compileOnly {
		load.Roots = c.roots // compiling reads none of the owner's folders
	}
	order, err := json.Marshal(load)
	if err != nil {
		return err
	}
	d := &door{limits: o.Limits}
	p.out.send(wire.Load, 0, order)
	p.out.send(wire.Module, 0, c.file.Bytes)
	out, _ := c.converse(ctx, p, d, wire.Loaded, compileTime, 0)
	// A guest makes its first instance once; a worker that replaces another makes its
	// instance later.
	if out.Err == nil && !compileOnly && !c.prepared {
		p.out.send(wire.Prepare, 0, nil)
		out, _ = c.converse(ctx, p, d, wire.End, o.Limits.Describe, 0)
	}
	if out.Err != nil {
		c.drop(errReleased())
		switch {
		case compileOnly && ctx.Err() != nil:
			return out.Err
		case compileOnly:
			return compileFailed(out.Err)
		}
		return describeFailed(out.Err, d.written.String())
	}
	c.prepared = c.prepared || !compileOnly
	return nil
}

// ensure returns a loaded worker.
func (c *processCell) ensure(ctx context.Context) (*process, error) {
	c.mu.Lock()
	p, closed := c.worker, c.closed
	c.mu.Unlock()
	switch {
	case closed:
		return nil, errClosed()
	case p != nil:
		return p, nil
	}
	if err := c.load(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worker == nil {
		return nil, errClosed()
	}
	return c.worker, nil
}

// pid returns the worker's process id; 0: there is none.
func (c *processCell) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.worker == nil {
		return 0
	}
	return c.worker.cmd.Process.Pid
}

// drop ends the worker, if there is one, and waits for its end.
func (c *processCell) drop(reason error) {
	c.mu.Lock()
	p := c.worker
	c.worker = nil
	c.mu.Unlock()
	if p != nil {
		p.close(reason)
	}
}

func (c *processCell) describe(ctx context.Context, d *door, again bool) error {
	p, err := c.ensure(ctx)
	if err != nil {
		return err
	}
	order := []byte{0}
	if again {
		order[0] = 1
	}
	p.out.send(wire.Describe, 0, order)
	out, _ := c.converse(ctx, p, d, wire.End, c.engine.options.Limits.Describe, 0)
	if out = describeOutcome(out); out.Err != nil {
		c.drop(errReleased())
	}
	return out.Err
}

func (c *processCell) collect(ctx context.Context, roots []Mount, d *door) Exit {
	if granted := paths(roots); !slices.Equal(c.roots, granted) {
		c.drop(errReleased())
		c.roots = granted
	}
	p, err := c.ensure(ctx)
	if err != nil {
		return Exit{Err: err}
	}
	order, err := json.Marshal(collectOrder{
		Mounts: guestMounts(roots), Deterministic: (*guest.Determinism)(d.grant.Deterministic), Network: d.grant.Bindings[abi.BindingNetwork],
		Rule: d.grant.Accounting,
	})
	if err != nil {
		return Exit{Err: err}
	}
	l := &c.engine.options.Limits
	p.out.send(wire.Collect, 0, order)
	out, stopped := c.converse(ctx, p, d, wire.End, l.Run, l.Grace)
	c.drop(errReleased())
	return Exit{Returned: out.Returned && out.Err == nil, Code: out.Code, Err: out.Err, Stopped: stopped, Books: out.Books}
}

// converse passes every frame of p to d until a frame of kind last arrives, and
// returns that frame's outcome. A deadline without grace kills at once. After an
// Outcome with an Err the worker must not be used again.
func (c *processCell) converse(ctx context.Context, p *process, d *door, last wire.Kind, limit, grace time.Duration) (out guest.Outcome, stopped error) {
	d.deliver = func(handle int32, answer []byte) { p.out.answer(uint32(handle), answer) }
	var stop func()
	if grace > 0 {
		stop = func() { p.out.send(wire.Stop, 0, nil) }
	}
	w := watch(ctx, limit, grace, d.grant.Rested, stop, p.kill)
	defer func() { stopped = w.finish() }()
	for {
		f, err := p.frames.Next()
		if err != nil {
			return guest.Outcome{Err: p.endReason(err)}, nil
		}
		if f.Kind == last {
			if out, err = decodeReport(f.Payload); err != nil {
				out = guest.Outcome{Err: err}
			}
			return out, nil
		}
		if err := relay(p, d, f); err != nil {
			p.kill(err)
			return guest.Outcome{Err: p.endReason(nil)}, nil
		}
	}
}

// close kills the worker and waits for it.
func (c *processCell) close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.drop(errReleased())
	return nil
}
