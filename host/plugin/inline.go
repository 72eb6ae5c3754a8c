package plugin

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/wasmbin"
)

// inlineCell runs a guest in this process, so that tests and embedders need no second
// process; it does not give the worker's guarantees.
type inlineCell struct {
	engine  *Engine
	file    *File
	kind    string
	mu      sync.Mutex // guards the fields that close reads
	runtime *guest.Runtime
	first   *inlineGuest // the instance made by load, until describe uses it
	live    *inlineGuest
	strays  bool // a guest could not be ended: its code must not be freed
	closed  bool
}

// inlineGuest is one instance with its session and its kill switch.
type inlineGuest struct {
	sink     *sinkProxy
	session  *guest.Session
	rested   func() time.Duration // see Grant
	instance *guest.Instance
	ctx      context.Context
	cancel   context.CancelFunc
}

// sinkProxy lets the instance that load made use describe's door later.
type sinkProxy struct{ guest.Sink }

func newInlineGuest(d *door) *inlineGuest {
	g := &inlineGuest{sink: &sinkProxy{d}, rested: d.grant.Rested}
	g.session = guest.NewSession(g.sink)
	g.ctx, g.cancel = context.WithCancel(context.Background())
	return g
}

func (g *inlineGuest) kill() {
	g.session.Kill()
	g.cancel()
}

func (c *inlineCell) load(ctx context.Context) error {
	o := &c.engine.options
	rt := c.engine.takeIdle(c.file.SHA256)
	if rt == nil {
		var err error
		if rt, err = c.compile(ctx, o); err != nil {
			return err
		}
	}
	c.mu.Lock()
	c.runtime = rt
	c.mu.Unlock()
	d := &door{limits: o.Limits}
	g := newInlineGuest(d)
	g.session.Fix(describedAt(false))
	out := c.run(ctx, g, o.Limits.Describe, 0, func() guest.Outcome {
		i, out := rt.Instantiate(g.ctx, g.session, nil)
		g.instance = i
		return out
	})
	if out.Err != nil {
		g.cancel()
		return describeFailed(out.Err, d.written.String())
	}
	c.mu.Lock()
	c.first = g
	c.mu.Unlock()
	return nil
}

// compile returns the module's code, from the cache if that has it.
func (c *inlineCell) compile(ctx context.Context, o *Options) (*guest.Runtime, error) {
	cacheDir, filled := moduleCache(o.CacheDir, c.file.SHA256, "inline")
	if !filled {
		if err := errors.Join(wasmbin.CheckCode(c.file.Bytes), failedBefore(cacheDir)); err != nil {
			return nil, err
		}
		if cacheDir != "" {
			o.Compiling(c.file)
		}
	}
	config := guest.Config{
		CacheDir: cacheDir, MemoryBytes: uint64(o.Limits.MemoryBytes),
		Interruptible: true, Extism: c.kind == KindExtism,
	}
	rt, err := guest.Compile(ctx, config, c.file.Bytes)
	if err != nil && cacheDir != "" && ctx.Err() == nil {
		// The cached code may be the problem; try once more without it.
		_ = forgetCompiled(cacheDir)
		rt, err = guest.Compile(ctx, config, c.file.Bytes)
	}
	if err != nil && cacheDir != "" && ctx.Err() == nil && diskRefuses(err) {
		c.engine.noCache(cacheDir, cacheError(err))
		config.CacheDir, cacheDir = "", ""
		rt, err = guest.Compile(ctx, config, c.file.Bytes)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, interrupted(ctx)
	case err != nil:
		return nil, rememberFailure(cacheDir, compileError(err).Wrap(err))
	}
	return rt, nil
}

// takeFirst returns the instance that load made, once.
func (c *inlineCell) takeFirst() *inlineGuest {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.first
	c.first = nil
	return g
}

func (c *inlineCell) describe(ctx context.Context, d *door, again bool) error {
	limit := c.engine.options.Limits.Describe
	g := c.takeFirst()
	if g != nil && again {
		c.free(g)
		g.cancel()
		g = nil
	}
	if g == nil {
		g = newInlineGuest(d)
		g.session.Fix(describedAt(again))
	}
	g.sink.Sink = d
	defer g.cancel()
	out := c.run(ctx, g, limit, 0, func() (out guest.Outcome) {
		if g.instance == nil {
			if g.instance, out = c.runtime.Instantiate(g.ctx, g.session, nil); out.Err != nil {
				return out
			}
		}
		return describeOutcome(g.instance.Describe())
	})
	c.free(g)
	return out.Err
}

// describeOutcome turns a describe that returned anything but 0 into an error.
func describeOutcome(out guest.Outcome) guest.Outcome {
	if out.Err == nil && out.Code != 0 {
		out.Err = abi.NewError(abi.CodeGuestExit, abi.ExportDescribe+" returned an error", "")
	}
	return out
}

func (c *inlineCell) collect(ctx context.Context, roots []Mount, d *door) Exit {
	if first := c.takeFirst(); first != nil {
		c.free(first)
		first.cancel()
	}
	mounts, err := openMounts(guestMounts(roots))
	if err != nil {
		return Exit{Err: err}
	}
	l := &c.engine.options.Limits
	g := newInlineGuest(d)
	defer g.cancel()
	kept := keep(d.grant.Accounting, mounts)
	g.sink.Sink = booked{d, kept}
	if fixed := d.grant.Deterministic; fixed != nil {
		g.session.Fix(guest.Determinism(*fixed))
	}
	d.deliver = g.session.Answer
	var stopped error
	out := c.runStopped(ctx, g, l.Run, l.Grace, &stopped, func() (out guest.Outcome) {
		if g.instance, out = c.runtime.Instantiate(g.ctx, g.session, mounts); out.Err != nil {
			return out
		}
		out = g.instance.Collect()
		closeBooks(kept, mounts, &out)
		return out
	})
	if c.free(g) {
		closeMounts(mounts)
	}
	return Exit{Returned: out.Returned && out.Err == nil, Code: out.Code, Err: out.Err, Stopped: stopped, Books: out.Books}
}

func (c *inlineCell) run(ctx context.Context, g *inlineGuest, limit, grace time.Duration, f func() guest.Outcome) guest.Outcome {
	return c.runStopped(ctx, g, limit, grace, new(error), f)
}

// runStopped runs f, which runs the guest, under a deadline. A guest that cannot be
// ended is abandoned after MaxGrace: its goroutine, its memory and the runtime's code
// stay.
func (c *inlineCell) runStopped(ctx context.Context, g *inlineGuest, limit, grace time.Duration, stopped *error, f func() guest.Outcome) guest.Outcome {
	c.mu.Lock()
	switch {
	case c.closed:
		c.mu.Unlock()
		return guest.Outcome{Err: errClosed()}
	case c.strays:
		c.mu.Unlock()
		return guest.Outcome{Err: abi.NewError(abi.CodeInternal, "an earlier guest of this module could not be ended", "load it again")}
	}
	c.live = g
	c.mu.Unlock()
	done := make(chan guest.Outcome, 1)
	killed := make(chan struct{})
	var why error
	stop := g.session.Stop
	if grace == 0 {
		stop = nil
	}
	w := watch(ctx, limit, grace, g.rested, stop, func(err error) {
		why = err
		g.kill()
		close(killed)
	})
	go func() { done <- f() }()
	var out guest.Outcome
	select {
	case out = <-done:
	case <-killed:
		t := time.NewTimer(MaxGrace / 3)
		defer t.Stop()
		select {
		case out = <-done:
		case <-t.C:
			c.mu.Lock()
			c.strays = true
			c.mu.Unlock()
			out.Err = why
		}
	}
	*stopped = w.finish()
	c.mu.Lock()
	c.live = nil
	if c.closed {
		c.release()
	}
	c.mu.Unlock()
	switch {
	case why != nil && (out.Err != nil || !out.Returned):
		return guest.Outcome{Err: why}
	case errors.Is(out.Err, guest.ErrKilled):
		return guest.Outcome{Err: errReleased()}
	}
	return out
}

// free closes an instance that has ended, and reports whether it had. An abandoned
// instance is not closed, since its code still runs in it.
func (c *inlineCell) free(g *inlineGuest) bool {
	c.mu.Lock()
	strays := c.strays
	c.mu.Unlock()
	if strays {
		return false
	}
	if g.instance != nil {
		g.instance.Close()
		g.instance = nil
	}
	return true
}

// close kills a live guest, whose end then frees everything, or frees it now.
func (c *inlineCell) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.live != nil {
		c.live.kill()
		return nil
	}
	c.release()
	return nil
}

// release frees the first instance and the compiled code. The caller holds c.mu.
func (c *inlineCell) release() {
	if c.first != nil {
		if c.first.instance != nil {
			c.first.instance.Close()
		}
		c.first.cancel()
		c.first = nil
	}
	if c.runtime != nil && !c.strays {
		c.engine.leave(c.file.SHA256, c.kind, c.runtime)
		c.runtime = nil
	}
}
